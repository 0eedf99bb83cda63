/*
 * Idempotency keys with handlers in C: which text is a key, what is kept for
 * it, and who has to wait.
 */
#include "runtime/idempotency.h"

#include "base/limits.h"
#include "base/test.h"
#include "fields/field.h"
#include "json/build.h"
#include "runtime/call.h"
#include "support/c_host.h"

#define RAN(n) "{\"ran\":" #n "}"
#define KEY(k) "{\"number\":1,\"idempotency_key\":" k "}"
#define CONFLICT                                                               \
    "conflict: this idempotency key was used with other arguments "            \
    "{\"reason\":\"idempotency_conflict\"}"
#define BAD "invalid: an idempotency key is a text of 1 to 255 bytes"

static const struct tr_field number_field[] = {
    {.name = TR_STR_INIT("number"), .kind = TR_FIELD_INTEGER}};
static const struct tr_shape number = {.fields = number_field, .count = 1};
static const struct tr_field own_field[] = {
    {.name = TR_STR_INIT(TR_CAP_IDEMPOTENCY_KEY)}};
static const struct tr_shape own = {.fields = own_field, .count = 1};

/* Fails until there is a task. */
static void fail_at_first(const struct tr_cap_handler *handler,
                          struct tr_call *call)
{
    struct c_host *host = ((struct c_call *)(void *)call)->host;
    struct tr_call_outcome outcome = {0};
    if (c_host_number(host, "SELECT count(*) FROM node WHERE version > 0") >
        0) {
        c_run(handler, call);
        return;
    }
    outcome.status = tr_fail(&outcome.err, TR_E_INTERNAL, "not yet");
    tr_call_finish(call, &outcome);
}

static void return_too_much(const struct tr_cap_handler *handler,
                            struct tr_call *call)
{
    static char text[5 << 20];
    struct tr_json value;
    struct tr_call_outcome outcome = {.value = &value};
    (void)handler;
    memset(text, 'x', sizeof(text));
    value = tr_json_make_text(TR_JSON_STRING, (tr_str){text, sizeof(text)});
    tr_call_finish(call, &outcome);
}

static void pass_on(struct tr_call *parent, void *data,
                    const struct tr_call_outcome *outcome)
{
    (void)data;
    tr_call_finish(parent, outcome);
}

static void invoke_add(const struct tr_cap_handler *handler,
                       struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    const struct tr_call_invoke_child request = {
        .id = TR_STR("add"), .args = call->args, .done = pass_on};
    (void)handler;
    outcome.status = tr_call_invoke_child(call, &request, &outcome.err);
    if (outcome.status != TR_OK)
        tr_call_finish(call, &outcome);
}

static const tr_str everywhere = TR_STR_INIT("*");

static const struct tr_cap *const caps[] = {
    &(const struct tr_cap){.id = TR_STR_INIT("add"),
                           .idempotent = true,
                           .input_shape = &number,
                           .handler = {c_run_and_create, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("slow"),
                           .idempotent = true,
                           .input_shape = &number,
                           .handler = {c_run_and_wait, NULL}},
    &(const struct tr_cap){
        .id = TR_STR_INIT("own"), .idempotent = true, .input_shape = &own},
    &(const struct tr_cap){.id = TR_STR_INIT("plain"), .input_shape = &own},
    &(const struct tr_cap){.id = TR_STR_INIT("looks"),
                           .read_only = TR_CAP_HINT_YES},
    &(const struct tr_cap){.id = TR_STR_INIT("twice"),
                           .side_effects = {.graph_writes = {&everywhere, 1}},
                           .input_shape = &number,
                           .handler = {c_run_and_create, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("fails"),
                           .idempotent = true,
                           .input_shape = &number,
                           .handler = {fail_at_first, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("large"),
                           .idempotent = true,
                           .input_shape = &number,
                           .handler = {return_too_much, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("above"),
                           .idempotent = true,
                           .input_shape = &number,
                           .handler = {invoke_add, NULL}},
};

static void start(struct c_host *host)
{
    c_host_open(host);
    c_host_start(host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
}

static int64_t tasks(struct c_host *host)
{
    return c_host_number(host, "SELECT count(*) FROM node WHERE version > 0");
}

TEST(idempotency_gives_the_first_result_again)
{
    struct c_host host;
    start(&host);
    c_check(&host, "add", KEY("\"k\""), RAN(1));
    c_check(&host, "add", KEY("\"k\""), RAN(1));
    c_check(&host, "add", "{\"idempotency_key\":\"k\",\"number\":2}", CONFLICT);
    c_check(&host, "add", "{\"idempotency_key\":\"l\",\"number\":2}", RAN(2));
    CHECK_INT(host.ran, 2);
    CHECK_INT(tasks(&host), 2);
    c_host_close(&host);
}

/* Its meta says which activity it was the first time. */
TEST(idempotency_says_that_a_result_is_not_new)
{
    struct c_host host;
    start(&host);
    for (size_t i = 0; i < 2; i++) {
        struct c_call c;
        c_call_init(&c, &host, "add", KEY("\"k\""));
        c_call_start(&c);
        c_call_wait(&c);
        CHECK(!tr_json_find(c.outcome.meta, TR_STR("dev.trails/replayed")) ==
              (i == 0));
        c_call_done(&c);
    }
    c_host_close(&host);
}

/* What a door was given counts before an argument, which nobody sees. */
TEST(idempotency_key_comes_from_the_door_or_is_an_argument)
{
    const struct tr_json given = tr_json_make_text(TR_JSON_STRING, TR_STR("d"));
    struct c_host host;
    struct c_call c;
    start(&host);
    for (size_t i = 0; i < 2; i++) {
        c_call_init(&c, &host, "add", KEY("\"k\""));
        c.call.given_idempotency_key = &given;
        c_call_start(&c);
        CHECK_STR(c.call.idempotency_key, "d");
        CHECK_INT(c.call.args->len, 1);
        c_call_check(&c, RAN(1));
    }
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM kept"), 1);
    c_host_close(&host);
}

TEST(idempotency_key_of_an_input_that_has_one_stays_there)
{
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "own", "{\"idempotency_key\":\"k\"}");
    c_call_start(&c);
    CHECK_INT(c.call.args->len, 1);
    c_call_check(&c, RAN(1));
    c_check(&host, "plain", "{\"idempotency_key\":\"k\"}", RAN(2));
    c_check(&host, "plain", "{\"idempotency_key\":\"k\"}", RAN(3));
    c_host_close(&host);
}

/* Null is no key, wherever it stands, also where no key may be. */
TEST(idempotency_key_that_is_null_is_absent)
{
    struct tr_json given = {.kind = TR_JSON_NULL};
    struct c_host host;
    struct c_call c;
    start(&host);
    c_check(&host, "add", KEY("null"), RAN(1));
    for (size_t i = 0; i < 2; i++) {
        c_call_init(&c, &host, i ? "plain" : "add",
                    i ? "{\"idempotency_key\":\"k\"}" : "{\"number\":3}");
        c.call.given_idempotency_key = &given;
        c_call_start(&c);
        c_call_check(&c, i ? RAN(3) : RAN(2));
    }
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM kept"), 0);
    c_host_close(&host);
}

TEST(idempotency_key_that_is_none_is_refused)
{
    static const char *const none[] = {KEY("\"\""), KEY("7"), KEY("{}")};
    char longest[TR_LIMIT_IDEMPOTENCY_KEY_BYTES + 1];
    struct tr_json given =
        tr_json_make_text(TR_JSON_STRING, (tr_str){longest, sizeof(longest)});
    struct c_host host;
    struct c_call c;
    start(&host);
    for (size_t i = 0; i < TR_LEN(none); i++)
        c_check(&host, "add", none[i], BAD);
    memset(longest, 'k', sizeof(longest));
    for (size_t over = 0; over < 2; over++) {
        given.len = (uint32_t)(TR_LIMIT_IDEMPOTENCY_KEY_BYTES + over);
        c_call_init(&c, &host, "add", "{\"number\":1}");
        c.call.given_idempotency_key = &given;
        c_call_start(&c);
        c_call_check(&c, over ? BAD : RAN(1));
    }
    c_host_close(&host);
}

/* Whoever brings a key counts on it. What only reads happens again anyway. */
TEST(idempotency_key_for_what_is_not_idempotent_is_refused_if_it_writes)
{
    const struct tr_json given = tr_json_make_text(TR_JSON_STRING, TR_STR("d"));
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "twice", "{\"number\":1}");
    c.call.given_idempotency_key = &given;
    c_call_start(&c);
    c_call_check(&c, "invalid: twice is not idempotent: call it without an "
                     "idempotency key {\"reason\":\"not_idempotent\"}");
    c_check(&host, "twice", "{\"number\":1}", RAN(1));
    c_call_init(&c, &host, "looks", "{}");
    c.call.given_idempotency_key = &given;
    c_call_start(&c);
    c_call_check(&c, RAN(2));
    c_host_close(&host);
}

/* Who failed may try again with the same key. */
TEST(idempotency_keeps_nothing_of_a_failure)
{
    struct c_host host;
    start(&host);
    c_check(&host, "fails", KEY("\"k\""), "internal: not yet");
    c_check(&host, "add", "{\"number\":1}", RAN(1));
    c_check(&host, "fails", KEY("\"k\""), RAN(2));
    c_check(&host, "fails", KEY("\"k\""), RAN(2));
    c_check(&host, "large", KEY("\"k\""),
            "limit: the result is too large to be kept");
    c_host_close(&host);
}

TEST(idempotency_lasts_a_day)
{
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    struct c_host host;
    start(&host);
    c_check(&host, "own", "{\"idempotency_key\":\"k\"}", RAN(1));
    CHECK_OK(tr_db_open(tr_graph_store_path(host.store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_exec(db, "UPDATE kept SET expires = expires - 86400", &err),
             &err);
    tr_db_close(db);
    c_check(&host, "own", "{\"idempotency_key\":\"k\"}", RAN(2));
    c_host_close(&host);
}

/* While the first one runs the others wait, unless they ask for something else;
 * then all have its result. */
TEST(idempotency_makes_others_wait_for_the_first)
{
    struct c_host host;
    struct c_call calls[3];
    start(&host);
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        c_call_init(&calls[i], &host, "slow", KEY("\"k\""));
        c_call_start(&calls[i]);
        CHECK_INT(calls[i].call.state, i ? TR_CALL_QUEUED : TR_CALL_RUNNING);
    }
    c_check(&host, "slow", "{\"number\":2,\"idempotency_key\":\"k\"}",
            CONFLICT);
    c_call_finish(&calls[0]);
    for (size_t i = 0; i < TR_LEN(calls); i++)
        c_call_check(&calls[i], RAN(1));
    CHECK_INT(host.ran, 1);
    c_host_close(&host);
}

/* As two processes are: nobody waits, and the first that lands wins. */
TEST(idempotency_of_two_processes_lands_once)
{
    struct c_host host;
    struct c_call calls[2];
    struct tr_call_idempotency_queue *queue;
    start(&host);
    queue = host.env.calls.idempotency_queue;
    host.env.calls.idempotency_queue = NULL;
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        c_call_init(&calls[i], &host, "slow", KEY("\"k\""));
        c_call_start(&calls[i]);
        CHECK_INT(calls[i].call.state, TR_CALL_RUNNING);
    }
    c_call_finish(&calls[1]);
    c_call_finish(&calls[0]);
    c_call_check(&calls[1], RAN(2));
    c_call_check(&calls[0], RAN(2));
    host.env.calls.idempotency_queue = queue;
    c_host_close(&host);
}

/* The other one's changes are why it failed: it is told what those came to. */
TEST(idempotency_of_one_that_fails_because_it_is_second)
{
    struct tr_call_outcome failure = {.status = TR_E_CONFLICT};
    struct tr_call_idempotency_queue *queue;
    struct c_host host;
    struct c_call first;
    struct c_call second;
    start(&host);
    queue = host.env.calls.idempotency_queue;
    host.env.calls.idempotency_queue = NULL;
    c_call_init(&first, &host, "slow", KEY("\"k\""));
    c_call_init(&second, &host, "slow", KEY("\"k\""));
    c_call_start(&first);
    c_call_start(&second);
    c_call_finish(&first);
    c_call_check(&first, RAN(2));
    tr_call_finish(&second.call, &failure);
    c_call_check(&second, RAN(2));
    host.env.calls.idempotency_queue = queue;
    c_host_close(&host);
}

/* What a handler invokes is a part of the call that has the key. */
TEST(idempotency_is_of_the_whole_call)
{
    struct c_host host;
    start(&host);
    c_check(&host, "above", KEY("\"k\""), RAN(1));
    c_check(&host, "above", KEY("\"k\""), RAN(1));
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM kept"), 1);
    c_host_close(&host);
}

/* Where nothing can be kept, a key changes nothing. */
TEST(idempotency_needs_a_store)
{
    struct c_host host;
    start(&host);
    for (size_t i = 0; i < 2; i++) {
        struct c_call c;
        c_call_init(&c, &host, "own", "{\"idempotency_key\":\"k\"}");
        c.call.env = NULL;
        c_call_start(&c);
        c_call_check(&c, i ? RAN(2) : RAN(1));
    }
    c_host_close(&host);
}
