/*
 * Preconditions of a capability whose handler is in C: about nodes, about their
 * state, about the caller, and until the changes have landed.
 */
#include "access/authority.h"
#include "base/test.h"
#include "fields/field.h"
#include "runtime/stage.h"
#include "support/c_host.h"

#define RAN(n) "{\"ran\":" #n "}"
#define TASK   "trails://team/Task/1"
#define ABSENT(value)                                                          \
    "precondition: precondition not met: task is no Task that is there "       \
    "{\"precondition\":{\"kind\":\"exists\",\"type\":\"Task\",\"arg\":"        \
    "\"task\"},\"value\":" value "}"
#define NOT_DONE                                                               \
    "precondition: precondition not met: state of task has none of the "       \
    "values that it must have {\"precondition\":{\"kind\":\"state\","          \
    "\"type\":\"Task\",\"arg\":\"task\",\"field\":\"state\",\"one_of\":"       \
    "[\"done\"]},\"value\":\"1\",\"found\":\"open\"}"

static const struct {
    const char *name;
    const char *args;
    const char *expected; /* NULL: it runs */
} rows[] = {
    {"exists", "{\"task\":\"1\"}", NULL},
    {"exists", "{\"task\":\"" TASK "\"}", NULL},
    {"exists", "{}", NULL}, /* names no node */
    {"exists", "{\"task\":\"2\"}", ABSENT("\"2\"")},
    {"exists", "{\"task\":\"\"}", ABSENT("\"\"")},
    {"many", "{\"task\":[\"1\",\"" TASK "\"]}", NULL},
    {"many", "{\"task\":[\"1\",\"2\",\"3\"]}", ABSENT("\"2\"")},
    {"open", "{\"task\":\"1\"}", NULL},
    {"done", "{\"task\":\"1\"}", NOT_DONE},
    {"scoped", "{}", NULL}, /* without an authority it is the owner */
};

static const struct tr_field task_field[] = {
    {.name = TR_STR_INIT("task"), .optional = true}};
static const struct tr_shape one = {.fields = task_field, .count = 1};
static const struct tr_field tasks_field[] = {
    {.name = TR_STR_INIT("task"), .optional = true, .many = true}};
static const struct tr_shape many = {.fields = tasks_field, .count = 1};
static const struct tr_field number_field[] = {
    {.name = TR_STR_INIT("number"), .kind = TR_FIELD_INTEGER}};
static const struct tr_shape number = {.fields = number_field, .count = 1};

/* Its condition has been looked at; now it changes the state, and waits. */
static void close_later(const struct tr_cap_handler *handler,
                        struct tr_call *call)
{
    struct c_host *host = ((struct c_call *)(void *)call)->host;
    const struct tr_graph_kg_update update = {
        .fields = c_host_json(host, "{\"state\":\"done\"}")};
    struct tr_err err = {0};
    CHECK_OK(tr_graph_kg_update(call->kg, TR_STR(TASK), &update, &err), &err);
    c_run_and_wait(handler, call);
}

static struct tr_cap_precondition state_is(struct c_host *host,
                                           const char *params)
{
    return (struct tr_cap_precondition){.kind = TR_STR("state"),
                                        .params = c_host_json(host, params)};
}

static void start(struct c_host *host)
{
    c_host_open(host);
    const struct tr_cap_precondition exists = {
        .kind = TR_STR("exists"),
        .params = c_host_json(host, "{\"type\":\"Task\",\"arg\":\"task\"}")};
    const struct tr_cap_precondition is_open =
        state_is(host, "{\"type\":\"Task\",\"arg\":\"task\",\"field\":"
                       "\"state\",\"one_of\":[\"open\"]}");
    const struct tr_cap_precondition is_done =
        state_is(host, "{\"type\":\"Task\",\"arg\":\"task\",\"field\":"
                       "\"state\",\"one_of\":[\"done\"]}");
    const struct tr_cap_precondition builder = {
        .kind = TR_STR("scope"),
        .params = c_host_json(host, "{\"scope\":\"builder\"}")};
#define NEEDS(condition) .preconditions = &(condition), .precondition_count = 1
    const struct tr_cap *const caps[] = {
        &(const struct tr_cap){
            .id = TR_STR("exists"), .input_shape = &one, NEEDS(exists)},
        &(const struct tr_cap){
            .id = TR_STR("many"), .input_shape = &many, NEEDS(exists)},
        &(const struct tr_cap){
            .id = TR_STR("open"), .input_shape = &one, NEEDS(is_open)},
        &(const struct tr_cap){
            .id = TR_STR("done"), .input_shape = &one, NEEDS(is_done)},
        &(const struct tr_cap){.id = TR_STR("close"),
                               .input_shape = &one,
                               .handler = {close_later, NULL},
                               NEEDS(is_open)},
        &(const struct tr_cap){.id = TR_STR("scoped"), NEEDS(builder)},
        &(const struct tr_cap){.id = TR_STR("create"),
                               .input_shape = &number,
                               .handler = {c_run_and_create, NULL}},
    };
    c_host_start(host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
    c_check(host, "create", "{\"number\":1}", RAN(1));
    host->ran = 0;
}

TEST(preconditions_let_through_what_they_should)
{
    struct c_host host;
    start(&host);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        c_check(&host, rows[i].name, rows[i].args,
                rows[i].expected ? rows[i].expected : RAN(1));
        CHECK_ROW(host.ran == !rows[i].expected, rows[i].args);
        host.ran = 0;
    }
    c_host_close(&host);
}

TEST(preconditions_ask_for_the_scopes_of_the_caller)
{
    static const struct tr_access_authority authority = {
        .is_authenticated = true, .scopes = TR_SCOPE_RUNTIME};
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "scoped", "{}");
    c.call.authority = &authority;
    c_call_start(&c);
    c_call_check(&c, "scope: scope denied: scoped requires builder {\"tool\":"
                     "\"scoped\",\"required_scope\":\"builder\","
                     "\"caller_scopes\":[\"runtime\"]}");
    c_host_close(&host);
}

/* Both saw it open; the one that comes second must not close it again. */
TEST(preconditions_hold_until_the_changes_have_landed)
{
    struct c_host host;
    struct c_call first;
    struct c_call second;
    start(&host);
    c_call_init(&first, &host, "close", "{\"task\":\"1\"}");
    c_call_init(&second, &host, "close", "{\"task\":\"1\"}");
    c_call_start(&first);
    c_call_start(&second);
    c_call_finish(&first);
    c_call_finish(&second);
    c_call_check(&first, RAN(2));
    c_call_wait(&second);
    CHECK_INT(second.outcome.status, TR_E_CONFLICT);
    c_call_done(&second);
    c_host_close(&host);
}

TEST(preconditions_about_nodes_need_a_store)
{
    struct c_host host;
    struct c_call c;
    start(&host);
    c_call_init(&c, &host, "exists", "{\"task\":\"1\"}");
    c.call.env = NULL;
    c_call_start(&c);
    c_call_check(&c, "unsupported: there is no graph behind this call");
    c_host_close(&host);
}
