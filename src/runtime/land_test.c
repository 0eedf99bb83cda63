/*
 * What handlers in C change: when it lands, what lands with it, and what is
 * said when it cannot.
 */
#include "runtime/land.h"

#include "base/test.h"
#include "fields/field.h"
#include "model/model.h"
#include "runtime/call.h"
#include "support/c_host.h"

#define RAN(n) "{\"ran\":" #n "}"

static const struct tr_field number_field[] = {
    {.name = TR_STR_INIT("number"), .kind = TR_FIELD_INTEGER}};
static const struct tr_shape number = {.fields = number_field, .count = 1};

static void create(struct tr_call *call, const char *type, tr_str iri,
                   const char *fields)
{
    struct c_host *host = ((struct c_call *)(void *)tr_call_root(call))->host;
    struct tr_graph_kg *kg = NULL;
    struct tr_err err = {0};
    tr_str made;
    CHECK_OK(tr_call_kg(call, &kg, &err), &err);
    CHECK_OK(tr_graph_kg_create(kg, tr_model_find(kg->model, tr_str_from(type)),
                                iri, c_host_json(host, fields), &made, &err),
             &err);
}

/* Changes something, and then ends in another way. */
static void create_and(struct tr_call *call,
                       const struct tr_call_outcome *outcome)
{
    create(call, "Thing", TR_STR(""), "{\"name\":\"x\"}");
    tr_call_finish(call, outcome);
}

static void create_and_wait(const struct tr_cap_handler *handler,
                            struct tr_call *call)
{
    create(call, "Thing", TR_STR("http://ex.org/one"), "{\"name\":\"x\"}");
    c_run_and_wait(handler, call);
}

/* Another task with the number of the first: only the writer can see that. */
static void create_twin(const struct tr_cap_handler *handler,
                        struct tr_call *call)
{
    create(call, "Task", TR_STR(""),
           "{\"name\":\"Twin\",\"project\":\"p\",\"number\":1,"
           "\"state\":\"open\"}");
    c_run(handler, call);
}

static void create_and_fail(const struct tr_cap_handler *handler,
                            struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    outcome.status = tr_fail(&outcome.err, TR_E_INTERNAL, "no");
    create_and(call, &outcome);
}

static void create_and_return_error(const struct tr_cap_handler *handler,
                                    struct tr_call *call)
{
    const struct tr_call_outcome outcome = {.is_error = true};
    (void)handler;
    create_and(call, &outcome);
}

/* Whatever becomes of the child, the parent ends well. */
static void go_on(struct tr_call *parent, void *data,
                  const struct tr_call_outcome *outcome)
{
    struct tr_call_outcome well = {0};
    (void)data;
    (void)outcome;
    tr_call_finish(parent, &well);
}

static void invoke(const struct tr_cap_handler *handler, struct tr_call *call)
{
    const struct tr_call_invoke_child request = {
        .id = tr_str_from(handler->data), .args = call->args, .done = go_on};
    struct tr_err err = {0};
    CHECK_OK(tr_call_invoke_child(call, &request, &err), &err);
}

static const struct tr_cap *const caps[] = {
    &(const struct tr_cap){.id = TR_STR_INIT("create"),
                           .input_shape = &number,
                           .handler = {c_run_and_create, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("named"),
                           .handler = {create_and_wait, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("twin"),
                           .handler = {create_twin, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("read")},
    &(const struct tr_cap){.id = TR_STR_INIT("fails"),
                           .handler = {create_and_fail, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("errs"),
                           .handler = {create_and_return_error, NULL}},
    &(const struct tr_cap){.id = TR_STR_INIT("above_create"),
                           .input_shape = &number,
                           .handler = {invoke, "create"}},
    &(const struct tr_cap){.id = TR_STR_INIT("above_fails"),
                           .handler = {invoke, "fails"}},
};

static void start(struct c_host *host)
{
    c_host_open(host);
    c_host_start(host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
}

static int64_t nodes(struct c_host *host)
{
    return c_host_number(host, "SELECT count(*) FROM node WHERE version > 0");
}

TEST(land_writes_the_activity_with_the_changes)
{
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "create", "{\"number\":1}");
    c_call_start(&c);
    CHECK_INT(c.call.state, TR_CALL_LANDING);
    CHECK_INT(c.finished, 0);
    c_call_check(&c, RAN(1));
    CHECK(c.call.is_recorded);
    CHECK_INT(nodes(&host), 1);
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM activity"), 1);
    c_host_close(&host);
}

/* Its activity goes the way of all reads: later, with others. */
TEST(land_has_nothing_to_do_for_a_call_that_changed_nothing)
{
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "read", "{}");
    c_call_start(&c);
    CHECK_INT(c.call.state, TR_CALL_ENDED);
    CHECK(!c.call.is_recorded);
    c_call_check(&c, RAN(1));
    c_host_close(&host);
}

TEST(land_drops_the_changes_of_what_did_not_end_well)
{
    struct c_host host;
    start(&host);
    c_check(&host, "fails", "{}", "internal: no");
    c_check(&host, "errs", "{}", "error: ");
    c_check(&host, "above_fails", "{}", "");
    CHECK_INT(nodes(&host), 0);
    c_check(&host, "above_create", "{\"number\":1}", "");
    CHECK_INT(nodes(&host), 1);
    c_host_close(&host);
}

TEST(land_says_which_fields_were_refused)
{
    struct c_host host;
    struct c_call c;
    start(&host);
    c_check(&host, "create", "{\"number\":1}", RAN(1));
    c_call_init(&c, &host, "twin", "{}");
    c_call_start(&c);
    CHECK_INT(c.call.state, TR_CALL_LANDING);
    c_call_wait(&c);
    CHECK_INT(c.outcome.status, TR_E_VALIDATION);
    CHECK_STR(tr_str_from(c.outcome.err.msg),
              "validation failed on 1 field(s)");
    CHECK_INT(tr_json_find(c.outcome.data, TR_STR("fields"))->len, 1);
    CHECK(!c.call.is_recorded);
    c_call_done(&c);
    CHECK_INT(nodes(&host), 1);
    c_host_close(&host);
}

/* Both have seen that there is none yet. */
TEST(land_says_when_another_was_first)
{
    struct c_host host;
    struct c_call calls[2];
    start(&host);
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        c_call_init(&calls[i], &host, "named", "{}");
        c_call_start(&calls[i]);
    }
    c_call_finish(&calls[0]);
    c_call_finish(&calls[1]);
    c_call_check(&calls[0], RAN(2));
    c_call_wait(&calls[1]);
    CHECK_INT(calls[1].outcome.status, TR_E_CONFLICT);
    CHECK_STR(
        tr_json_text(tr_json_find(calls[1].outcome.data, TR_STR("reason"))),
        "conflict");
    c_call_done(&calls[1]);
    CHECK_INT(nodes(&host), 1);
    c_host_close(&host);
}

/* Without a store there is no graph to change. */
TEST(land_needs_a_store)
{
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "create", "{\"number\":1}");
    c.call.env = NULL;
    c_call_start(&c);
    c_call_check(&c, "unsupported: there is no graph behind this call");
    c_host_close(&host);
}

TEST(land_survives_without_memory)
{
    size_t landed = 0;
    struct c_host host;
    start(&host);
    for (size_t max = 0; max < TR_KIB(32); max += 256) {
        struct c_call c;
        char args[32];
        (void)snprintf(args, sizeof(args), "{\"number\":%zu}", max + 1);
        c_call_init(&c, &host, "create", args);
        c.arena.max = max;
        c_call_start(&c);
        c_call_wait(&c);
        landed += c.outcome.status == TR_OK;
        c_call_done(&c);
    }
    CHECK(landed > 10);
    CHECK_INT(nodes(&host), landed);
    c_host_close(&host);
}
