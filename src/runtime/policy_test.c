/*
 * Policies in C: in which order they are asked, what they are told, and what
 * the caller hears of it.
 */
#include "base/test.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "graph/store.h"
#include "model/model.h"
#include "support/c_host.h"
#include "support/outcome_text.h"

#define RAN(n) "{\"ran\":" #n "}"

static const struct tr_field number_field[] = {
    {.name = TR_STR_INIT("number"), .kind = TR_FIELD_INTEGER}};
static const struct tr_shape number = {.fields = number_field, .count = 1};

static void break_down(const struct tr_cap_handler *handler,
                       struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    outcome.status = tr_fail(&outcome.err, TR_E_IO, "a secret of ours");
    tr_call_finish(call, &outcome);
}

static void return_error(const struct tr_cap_handler *handler,
                         struct tr_call *call)
{
    struct tr_call_outcome outcome = {.is_error = true};
    (void)handler;
    tr_call_finish(call, &outcome);
}

/* Denies, and says what it was told. */
static void tell(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    char text[256];
    struct tr_buf told;
    (void)handler;
    CHECK(call->decides_only && call->parent && !call->cap);
    tr_buf_init_fixed(&told, text, sizeof(text) - 1);
    json_put(&told, call->args);
    text[told.len] = '\0';
    outcome.status = tr_fail(&outcome.err, TR_E_POLICY, "%s", text);
    tr_call_finish(call, &outcome);
}

static const struct tr_cap_policy policies[] = {
    {.name = TR_STR_INIT("allows"), .handler = {c_allow, NULL}},
    {.name = TR_STR_INIT("denies"), .handler = {c_deny, NULL}},
    {.name = TR_STR_INIT("fails"), .handler = {break_down, NULL}},
    {.name = TR_STR_INIT("errs"), .handler = {return_error, NULL}},
    {.name = TR_STR_INIT("tells"), .handler = {tell, NULL}},
    {.name = TR_STR_INIT("waits"), .handler = {c_allow_later, NULL}},
};

static const struct {
    const char *id;
    tr_str required[3];
    size_t count;
    const char *expected; /* without the data, which has an id */
} rows[] = {
    {"one", {TR_STR_INIT("allows")}, 1, ""},
    {"two", {TR_STR_INIT("allows"), TR_STR_INIT("allows")}, 2, ""},
    {"denied",
     {TR_STR_INIT("allows"), TR_STR_INIT("denies"), TR_STR_INIT("fails")},
     3,
     "policy 'denies' denies it: not today"},
    {"failed",
     {TR_STR_INIT("fails")},
     1,
     "policy 'fails' denies it: it failed"},
    {"erred", {TR_STR_INIT("errs")}, 1, "policy 'errs' denies it: it failed"},
    {"told",
     {TR_STR_INIT("tells"), TR_STR_INIT("denies")},
     2,
     "policy 'tells' denies it: {\"principal\":\"alice\",\"kind\":"
     "\"capability\",\"name\":\"told\",\"capability\":\"told\",\"version\":\"0."
     "1.0\",\"arguments\":{\"x\":1}}"},
    {"waits", {TR_STR_INIT("waits"), TR_STR_INIT("allows")}, 2, ""},
};

static void start(struct c_host *host)
{
    const struct tr_cap *caps[TR_LEN(rows)];
    c_host_open(host);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_cap *cap = TR_NEW(&host->arena, struct tr_cap);
        caps[i] = cap;
        if (cap)
            *cap = (struct tr_cap){
                .id = tr_str_from(rows[i].id),
                .guard.policy_required = {rows[i].required, rows[i].count}};
    }
    c_host_start(host, &(struct c_app){.caps = caps,
                                       .cap_count = TR_LEN(caps),
                                       .policies = policies,
                                       .policy_count = TR_LEN(policies)});
}

/* The arguments are not looked at before: {"x": 1} is no input of theirs. */
TEST(policies_have_to_agree_and_the_first_that_does_not_says_why)
{
    struct c_host host;
    start(&host);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        bool denied = rows[i].expected[0] != '\0';
        struct c_call c;
        c_call_init(&c, &host, rows[i].id, denied ? "{\"x\":1}" : "{}");
        c.call.in_production = true;
        c_call_start(&c);
        if (c.waiting)
            c_call_finish(&c);
        c_call_wait(&c);
        CHECK_ROW(c.outcome.status == (denied ? TR_E_POLICY : TR_OK),
                  rows[i].id);
        CHECK_STR(tr_str_from(c.outcome.err.msg), rows[i].expected);
        c_call_done(&c);
    }
    c_host_close(&host);
}

TEST(policy_that_fails_says_why_in_development)
{
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "failed", "{}");
    c_call_start(&c);
    c_call_wait(&c);
    CHECK_STR(tr_str_from(c.outcome.err.msg),
              "policy 'fails' denies it: it failed: a secret of ours");
    c_call_done(&c);
    c_host_close(&host);
}

/*
 * One instance has many names: a policy is told its IRI, or what was asked for
 * where there is none.
 */
TEST(policy_of_a_type_is_told_which_instance_by_its_iri)
{
    static const struct {
        const char *id;
        const char *told;
    } ids[] = {
        {"{\"id\":\"7\"}", ",\"id\":\"trails://team/Task/7\""},
        {"{\"id\":\"trails://team/Task/7\"}",
         ",\"id\":\"trails://team/Task/7\""},
        {"{\"id\":\"8\"}", ",\"id\":\"8\""},
        {"{\"id\":7}", ""},
        {"{}", ""},
    };
    const struct tr_cap *const caps[] = {
        &(const struct tr_cap){.id = TR_STR("create"),
                               .input_shape = &number,
                               .handler = {c_run_and_create, NULL}}};
    const struct tr_cap_policy *const tells = &policies[4];
    struct tr_cap_guard guard = {.policy_required = {&tells->name, 1},
                                 .policies = &tells};
    struct c_host host;
    c_host_open(&host);
    c_host_start(&host, &(struct c_app){.caps = caps, .cap_count = 1});
    guard.type =
        tr_model_find(tr_cap_snapshot_model(host.snapshot), TR_STR("Task"));
    c_check(&host, "create", "{\"number\":7}", RAN(1));
    for (size_t i = 0; i < TR_LEN(ids); i++) {
        char expected[512];
        struct c_call c;
        c_call_init(&c, &host, "create", ids[i].id);
        c.call.cap = NULL;
        c.call.guard = &guard;
        c.call.kind = TR_CALL_RESOURCE;
        c.call.activity.name = TR_STR("a://t");
        c_call_start(&c);
        c_call_wait(&c);
        (void)snprintf(expected, sizeof(expected),
                       "policy 'tells' denies it: {\"principal\":\"alice\","
                       "\"kind\":\"resource\",\"name\":\"a://t\","
                       "\"type\":\"Task\"%s,\"arguments\":%s}",
                       ids[i].told, ids[i].id);
        CHECK_STR(tr_str_from(c.outcome.err.msg), expected);
        c_call_done(&c);
    }
    CHECK_INT(host.ran, 1);
    c_host_close(&host);
}

/* Nobody knows then whom it is about: whoever would allow it is not asked. */
TEST(policy_of_a_type_is_refused_when_the_store_cannot_be_asked)
{
    const struct tr_cap *const caps[] = {
        &(const struct tr_cap){.id = TR_STR("read")}};
    const struct tr_cap_policy *const allows = &policies[0];
    struct tr_cap_guard guard = {.policy_required = {&allows->name, 1},
                                 .policies = &allows};
    struct c_host host;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    c_host_open(&host);
    c_host_start(&host, &(struct c_app){.caps = caps, .cap_count = 1});
    guard.type =
        tr_model_find(tr_cap_snapshot_model(host.snapshot), TR_STR("Task"));
    CHECK_OK(tr_db_open(tr_graph_store_path(host.store), NULL, &db, &err),
             &err);
    for (int is_broken = 0; is_broken < 3; is_broken++) {
        struct c_call c;
        CHECK_OK(tr_db_exec(db,
                            is_broken == 1 ? "UPDATE meta SET key = 9 WHERE "
                                             "key = 1"
                                           : "UPDATE meta SET key = 1 WHERE "
                                             "key = 9",
                            &err),
                 &err);
        tr_graph_store_raise_generation(host.store);
        c_call_init(&c, &host, "read", "{\"id\":\"7\"}");
        c.call.cap = NULL;
        c.call.guard = &guard;
        c.call.kind = TR_CALL_RESOURCE;
        c.call.activity.name = TR_STR("a://t");
        c_call_start(&c);
        c_call_wait(&c);
        CHECK_INT(c.outcome.status, is_broken == 1 ? TR_E_IO : TR_OK);
        if (is_broken == 1)
            CHECK_STR(tr_str_from(c.outcome.err.msg), "the store has no epoch");
        c_call_done(&c);
    }
    tr_db_close(db);
    CHECK_INT(host.ran, 2);
    c_host_close(&host);
}

/* A decision is an activity of its own: its id is found in provenance. */
TEST(policy_that_denies_is_named_with_its_decision)
{
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "denied", "{}");
    c_call_start(&c);
    c_call_wait(&c); /* for the disk */
    const struct tr_json *data = c.outcome.data;
    CHECK_STR(tr_json_text(tr_json_find(data, TR_STR("policy"))), "denies");
    CHECK_INT(tr_json_text(tr_json_find(data, TR_STR("decision_id"))).len, 36);
    c_call_done(&c);
    c_host_close(&host);
}

TEST(policy_denies_without_memory_for_its_call)
{
    size_t denied = 0;
    struct c_host host;
    start(&host);
    for (size_t max = 0; max < TR_KIB(16); max += 64) {
        struct c_call c;
        c_call_init(&c, &host, "denied", "{}");
        c.arena.max = max;
        c_call_start(&c);
        c_call_wait(&c);
        CHECK(c.outcome.status == TR_E_POLICY ||
              c.outcome.status == TR_E_NOMEM);
        denied += c.outcome.status == TR_E_POLICY;
        c_call_done(&c);
    }
    CHECK(denied > 10);
    CHECK_INT(host.ran, 0);
    c_host_close(&host);
}
