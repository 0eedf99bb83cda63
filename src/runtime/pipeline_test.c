/*
 * The pipeline with handlers in C: its order, who passes it and who does not,
 * what waits in it, and what becomes of a call that is cancelled on the way.
 */
#include "access/authority.h"
#include "base/buf.h"
#include "base/test.h"
#include "cap/live.h"
#include "cap/registry.h"
#include "fields/field.h"
#include "loop/loop.h"
#include "runtime/budget.h"
#include "runtime/stage.h"
#include "support/c_host.h"

#include <stdlib.h>

#define RAN(n) "{\"ran\":" #n "}"

/* The order. ---------------------------------------------------------------*/

/* As docs/decisions/0016 calls them. */
static const char *const names[] = {
    [TR_CALL_STAGE_AUTHORISE] = "authorise",
    [TR_CALL_STAGE_RETIRED] = "retired",
    [TR_CALL_STAGE_POLICIES] = "policies",
    [TR_CALL_STAGE_IDEMPOTENCY_ARGUMENT] = "idempotency argument",
    [TR_CALL_STAGE_INPUT] = "input",
    [TR_CALL_STAGE_IDEMPOTENCY] = "idempotency",
    [TR_CALL_STAGE_PRECONDITIONS] = "preconditions",
    [TR_CALL_STAGE_BUDGETS] = "budgets",
    [TR_CALL_STAGE_HANDLER] = "handler",
};

/* What follows `start` in a text, with one space for each white space. */
static void read_sentence(const char *text, const char *start, char *out,
                          size_t size)
{
    const char *at = strstr(text, start);
    size_t len = 0;
    CHECK(at != NULL);
    for (at += strlen(start); *at && *at != '.' && len + 1 < size; at++)
        out[len++] = *at == '\n' ? ' ' : *at;
    out[len] = '\0';
}

TEST(pipeline_has_the_order_of_its_decision)
{
    static const char path[] = "docs/decisions/0016-before-a-call-runs.md";
    char found[256];
    char text[256];
    struct tr_buf expected;
    tr_str page = tr_test_read_file(path);
    tr_buf_init_fixed(&expected, text, sizeof(text));
    read_sentence(page.ptr, "**The order** is ", found, sizeof(found));
    free((void *)(uintptr_t)page.ptr);
    for (size_t i = 0; i < TR_LEN(names); i++)
        tr_buf_putf(&expected, "%s%s", i ? ", " : "", names[i]);
    tr_buf_putc(&expected, '\0');
    CHECK_STR(tr_str_from(found), text);
}

/* An app in which every stage can refuse a call. */
static const struct tr_field fields[] = {
    {.name = TR_STR_INIT("task")},
    {.name = TR_STR_INIT("please"), .kind = TR_FIELD_BOOLEAN, .optional = true},
};
static const struct tr_shape input = {.fields = fields,
                                      .count = TR_LEN(fields)};
static const struct tr_field number_field[] = {
    {.name = TR_STR_INIT("number"), .kind = TR_FIELD_INTEGER}};
static const struct tr_shape number = {.fields = number_field, .count = 1};
static const tr_str moody_name = TR_STR_INIT("moody");

/* Who says please is let through. */
static void decide(const struct tr_cap_handler *handler, struct tr_call *call)
{
    const struct tr_json *arguments =
        tr_json_find(call->args, TR_STR("arguments"));
    if (tr_json_find(arguments, TR_STR("please")))
        c_allow(handler, call);
    else
        c_deny(handler, call);
}

static void start_strict(struct c_host *host)
{
    c_host_open(host);
    const struct tr_cap_precondition needs_task = {
        .kind = TR_STR("exists"),
        .params = c_host_json(host, "{\"type\":\"Task\",\"arg\":\"task\"}")};
    const struct tr_cap_policy moody = {.name = moody_name,
                                        .handler = {decide, NULL}};
    const struct tr_cap strict = {.id = TR_STR("strict"),
                                  .idempotent = true,
                                  .input_shape = &input,
                                  .guard.policy_required = {&moody_name, 1},
                                  .preconditions = &needs_task,
                                  .precondition_count = 1};
    struct tr_cap withdrawn = strict;
    withdrawn.id = TR_STR("withdrawn");
    withdrawn.version_status = TR_CAP_VERSION_RETIRED;
    const struct tr_cap *const caps[] = {
        &strict,
        &withdrawn,
        &(const struct tr_cap){.id = TR_STR("plain")},
        &(const struct tr_cap){.id = TR_STR("create"),
                               .input_shape = &number,
                               .handler = {c_run_and_create, NULL}},
    };
    const struct c_app app = {
        .caps = caps,
        .cap_count = TR_LEN(caps),
        .policies = &moody,
        .policy_count = 1,
        .budgets = "[budget]\ncapability = ['strict 1 calls/day']\n"};
    c_host_start(host, &app);
}

/* A call that is wrong in every way is mended in one way after the other. */
static const struct {
    const char *args;
    tr_status status; /* of the stage with this index */
} mended[] = {
    {"{\"idempotency_key\":7}", TR_E_SCOPE},
    {"{\"idempotency_key\":7}", TR_E_INVALID},
    {"{\"idempotency_key\":7}", TR_E_POLICY},
    {"{\"please\":true,\"idempotency_key\":7}", TR_E_INVALID},
    {"{\"please\":true,\"idempotency_key\":\"used\"}", TR_E_VALIDATION},
    {"{\"please\":true,\"idempotency_key\":\"used\",\"task\":\"none\"}",
     TR_E_CONFLICT},
    {"{\"please\":true,\"idempotency_key\":\"new\",\"task\":\"none\"}",
     TR_E_PRECONDITION},
    {"{\"please\":true,\"idempotency_key\":\"new\",\"task\":\"1\"}",
     TR_E_BUDGET},
    {"{\"please\":true,\"idempotency_key\":\"used\",\"task\":\"1\"}", TR_OK},
};

static void check_mended(struct c_host *host, size_t stage)
{
    static const struct tr_access_authority nobody = {0};
    unsigned before = (2U << stage) - 1; /* this one and those before it */
    struct c_call c;
    c_call_init(&c, host,
                stage <= TR_CALL_STAGE_RETIRED ? "withdrawn" : "strict",
                mended[stage].args);
    if (stage == TR_CALL_STAGE_AUTHORISE)
        c.call.authority = &nobody;
    c_call_start(&c);
    c_call_wait(&c);
    CHECK_ROW(c.outcome.status == mended[stage].status, names[stage]);
    CHECK_ROW((c.call.stages & before) == 0, names[stage]);
    CHECK_ROW(c.call.stages & (1U << TR_CALL_STAGE_HANDLER), names[stage]);
    c_call_done(&c);
}

TEST(pipeline_refuses_in_its_order_and_goes_no_further)
{
    struct c_host host;
    start_strict(&host);
    c_check(&host, "create", "{\"number\":1}", RAN(1));
    c_check(&host, "strict", mended[TR_CALL_STAGE_HANDLER].args, RAN(2));
    for (size_t i = 0; i < TR_CALL_STAGE_HANDLER; i++)
        check_mended(&host, i);
    CHECK_INT(host.ran, 2);
    CHECK_INT(c_host_number(&host, "SELECT calls FROM budget"), 1);
    c_check(&host, "strict", mended[TR_CALL_STAGE_HANDLER].args, RAN(2));
    c_host_close(&host);
}

/* Who needs what. ----------------------------------------------------------*/

#define SET(stage) (1U << TR_CALL_STAGE_##stage)

static const struct tr_cap_snapshot *
make_snapshot(const struct tr_access_budgets *budgets)
{
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    CHECK_OK(tr_cap_builder_create(NULL, &builder, NULL), NULL);
    tr_cap_registry_live(builder)->budgets = budgets;
    CHECK_OK(tr_cap_registry_build(builder, &snapshot, NULL), NULL);
    tr_cap_builder_free(builder);
    return snapshot;
}

TEST(pipeline_has_for_a_call_the_stages_that_it_needs)
{
    static const struct tr_access_authority token = {.token_id =
                                                         TR_STR_INIT("t")};
    static const struct tr_cap plain = {0};
    static const struct tr_cap retired = {.version_status =
                                              TR_CAP_VERSION_RETIRED};
    static const struct tr_cap_guard guard = {.policy_required = {NULL, 1}};
    static const struct tr_cap guarded = {.guard.policy_required = {NULL, 1}};
    static const struct tr_cap idempotent = {.idempotent = true};
    static const struct tr_cap conditional = {.precondition_count = 1};
    const struct tr_call_env empty = {0};
    const struct tr_cap_snapshot *none = make_snapshot(NULL);
    const struct tr_cap_snapshot *ruled = make_snapshot((const void *)&empty);
    const unsigned always = SET(AUTHORISE) | SET(INPUT) | SET(HANDLER);
    const struct {
        const char *what;
        struct tr_call call;
        unsigned expected;
    } rows[] = {
        {"a resource",
         {.kind = TR_CALL_RESOURCE, .env = &empty, .snapshot = none},
         SET(AUTHORISE) | SET(HANDLER)},
        {"a prompt",
         {.kind = TR_CALL_PROMPT, .env = &empty, .snapshot = none},
         SET(AUTHORISE) | SET(INPUT) | SET(HANDLER)},
        {"a resource with budgets",
         {.kind = TR_CALL_RESOURCE, .env = &empty, .snapshot = ruled},
         SET(AUTHORISE) | SET(BUDGETS) | SET(HANDLER)},
        {"a prompt with budgets",
         {.kind = TR_CALL_PROMPT, .env = &empty, .snapshot = ruled},
         SET(AUTHORISE) | SET(INPUT) | SET(BUDGETS) | SET(HANDLER)},
        {"a completion",
         {.kind = TR_CALL_COMPLETION, .env = &empty, .snapshot = ruled},
         SET(AUTHORISE) | SET(BUDGETS) | SET(HANDLER)},
        {"a subscription",
         {.kind = TR_CALL_SUBSCRIPTION, .env = &empty, .snapshot = ruled},
         SET(AUTHORISE) | SET(HANDLER)},
        {"a resource with policies",
         {.kind = TR_CALL_RESOURCE, .guard = &guard},
         SET(AUTHORISE) | SET(POLICIES) | SET(HANDLER)},
        {"a completion with policies",
         {.kind = TR_CALL_COMPLETION, .guard = &guard},
         SET(AUTHORISE) | SET(POLICIES) | SET(HANDLER)},
        {"a subscription with policies",
         {.kind = TR_CALL_SUBSCRIPTION, .guard = &guard},
         SET(AUTHORISE) | SET(POLICIES) | SET(HANDLER)},
        {"a policy",
         {.kind = TR_CALL_POLICY, .env = &empty, .snapshot = ruled},
         SET(HANDLER)},
        {"a meta-capability",
         {.kind = TR_CALL_META, .cap = &plain, .snapshot = none},
         always},
        {"a meta-capability with budgets",
         {.kind = TR_CALL_META,
          .cap = &plain,
          .env = &empty,
          .snapshot = ruled},
         always | SET(BUDGETS)},
        {"a meta-capability with policies",
         {.kind = TR_CALL_META, .cap = &guarded, .snapshot = none},
         always | SET(POLICIES)},
        {"a plain one", {.cap = &plain}, always},
        {"with a store",
         {.cap = &plain, .env = &empty, .snapshot = none},
         always},
        {"retired", {.cap = &retired}, always | SET(RETIRED)},
        {"policies", {.cap = &guarded}, always | SET(POLICIES)},
        {"idempotent",
         {.cap = &idempotent},
         always | SET(IDEMPOTENCY_ARGUMENT)},
        {"preconditions", {.cap = &conditional}, always | SET(PRECONDITIONS)},
        {"budgets",
         {.cap = &plain, .env = &empty, .snapshot = ruled},
         always | SET(BUDGETS)},
        {"a token",
         {.cap = &plain, .env = &empty, .snapshot = none, .authority = &token},
         always | SET(BUDGETS)},
        {"a token, no store", {.cap = &plain, .authority = &token}, always},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(tr_call_stages_of(&rows[i].call) == rows[i].expected,
                  rows[i].what);
    tr_cap_snapshot_unpin(none);
    tr_cap_snapshot_unpin(ruled);
}

TEST(pipeline_lets_a_call_through_that_needs_nothing_of_it)
{
    struct c_host host;
    struct c_call c;
    start_strict(&host);
    c_check(&host, "plain", "{}", RAN(1));
    c_call_init(&c, &host, "plain", "{\"whatever\":1}");
    c.call.cap = NULL;
    c.call.guard = &tr_cap_guard_open;
    c.call.kind = TR_CALL_RESOURCE;
    c_call_start(&c);
    c_call_check(&c, RAN(2));
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM budget"), 0);
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM kept"), 0);
    c_host_close(&host);
}

/* A capability's handler, called as one of any kind; `meta` is for that of a
 * meta-capability. */
static void init_kind(struct c_call *c, struct c_host *host, const char *name,
                      int kind, struct tr_cap *meta)
{
    static const char *const args[TR_CALL_KINDS] = {
        "{\"number\":1}", "{\"number\":2}", "{\"number\":3}", "{\"number\":4}",
        "{\"number\":5}", "{\"number\":6}", "{\"number\":7}"};
    c_call_init(c, host, name, args[kind]);
    c->call.kind = (enum tr_call_kind)kind;
    c->call.activity.name = tr_str_from(name);
    c->call.guard = &tr_cap_guard_open;
    c->call.input = c->call.cap->input_shape;
    *meta = *c->call.cap;
    meta->is_meta = true;
    if (kind == TR_CALL_META)
        c->call.cap = meta;
    else if (kind != TR_CALL_CAPABILITY)
        c->call.cap = NULL;
}

/*
 * Handlers count themselves. One that somebody starts beside the table ends
 * with an error, whatever it is of and whatever it says, and changes nothing.
 */
TEST(pipeline_is_the_only_way_to_a_handler)
{
    struct c_host host;
    start_strict(&host);
    for (int kind = 0; kind < TR_CALL_KINDS; kind++) {
        struct c_call c;
        struct tr_cap meta;
        size_t before = host.ran;
        init_kind(&c, &host, "plain", kind, &meta);
        CHECK(tr_call_stages_of(&c.call) & SET(HANDLER));
        CHECK_INT(c.call.state, TR_CALL_DECIDING);
        c.call.handler->run(c.call.handler, &c.call);
        c_call_wait(&c);
        CHECK_INT(host.ran, before + 1);
        CHECK_INT(c.outcome.status, TR_E_INTERNAL);
        CHECK(strstr(c.outcome.err.msg, "ran outside of the stages"));
        c_call_done(&c);
    }
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM node"), 0);
    c_host_close(&host);
}

/* Whatever else tries fails, and nothing lands. */
TEST(pipeline_lets_only_capabilities_write)
{
    struct c_host host;
    int nodes = 0;
    start_strict(&host);
    for (int kind = 0; kind < TR_CALL_KINDS; kind++) {
        struct c_call c;
        struct tr_cap meta;
        bool may = kind == TR_CALL_CAPABILITY || kind == TR_CALL_META;
        init_kind(&c, &host, "create", kind, &meta);
        c_call_start(&c);
        c_call_wait(&c);
        CHECK_INT(c.outcome.status, may ? TR_OK : TR_E_UNSUPPORTED);
        CHECK(may || strstr(c.outcome.err.msg, "cannot change the graph"));
        c_call_done(&c);
        nodes += may;
        CHECK_INT(c_host_number(&host, "SELECT count(*) FROM node"), nodes);
    }
    CHECK_INT(nodes, 2);
    c_host_close(&host);
}

/* Neither goes by the other's row. */
TEST(pipeline_refuses_a_capability_of_the_other_registry)
{
    struct c_host host;
    struct c_call c;
    struct tr_cap meta;
    start_strict(&host);
    init_kind(&c, &host, "plain", TR_CALL_META, &meta);
    c.call.kind = TR_CALL_CAPABILITY;
    c_call_start(&c);
    c_call_check(&c, "internal: a call does not say what it is of");
    init_kind(&c, &host, "plain", TR_CALL_CAPABILITY, &meta);
    c.call.kind = TR_CALL_META;
    c_call_start(&c);
    c_call_check(&c, "internal: a call does not say what it is of");
    CHECK_INT(host.ran, 0);
    c_host_close(&host);
}

TEST(pipeline_refuses_a_call_that_does_not_say_what_it_is_of)
{
    struct c_host host;
    struct c_call c;
    start_strict(&host);
    c_call_init(&c, &host, "plain", "{}");
    c.call.cap = NULL;
    c_call_start(&c);
    c_call_check(&c, "internal: a call does not say what it is of");
    CHECK_INT(host.ran, 0);
    c_host_close(&host);
}

/* Nobody in particular has an authority too, which the gate gives. */
TEST(pipeline_opens_no_door_to_a_call_without_an_authority)
{
    struct c_host host;
    start_strict(&host);
    for (int kind = 0; kind < TR_CALL_KINDS; kind++) {
        struct c_call c;
        struct tr_cap meta;
        if (kind == TR_CALL_POLICY)
            continue; /* decides on a call that has been let in */
        init_kind(&c, &host, "create", kind, &meta);
        c.call.authority = NULL;
        c_call_start(&c);
        c_call_wait(&c);
        CHECK_INT(c.outcome.status, TR_E_UNAUTHENTICATED);
        c_call_done(&c);
    }
    CHECK_INT(host.ran, 0);
    c_host_close(&host);
}

/* With ever more room for what the stages need. */
TEST(pipeline_survives_without_memory)
{
    static const char *const args[] = {
        "{\"please\":true,\"idempotency_key\":\"a\",\"task\":\"1\"}",
        "{\"please\":true,\"task\":\"1\"}"};
    size_t worked = 0;
    struct c_host host;
    start_strict(&host);
    c_check(&host, "create", "{\"number\":1}", RAN(1));
    for (size_t max = 0; max < TR_KIB(64); max += 64) {
        struct c_call c;
        c_call_init(&c, &host, "strict", args[max / 64 % 2]);
        c.arena.max = max;
        c_call_start(&c);
        c_call_wait(&c);
        worked += c.outcome.status == TR_OK;
        CHECK(c.outcome.status == TR_OK || c.outcome.status == TR_E_NOMEM ||
              c.outcome.status == TR_E_BUDGET ||
              c.outcome.status == TR_E_POLICY);
        c_call_done(&c);
    }
    CHECK(worked > 10);
    CHECK_INT(c_host_number(&host, "SELECT calls FROM budget"), 1);
    c_host_close(&host);
}

/* Waiting, and being made to stop. -----------------------------------------*/

static const tr_str slow_name = TR_STR_INIT("slow");

static void start_waiting(struct c_host *host)
{
    const struct tr_cap_policy slow = {.name = slow_name,
                                       .handler = {c_allow_later, NULL}};
    const struct tr_cap_handler waits = {c_run_and_wait, NULL};
    const struct tr_cap *const caps[] = {
        &(const struct tr_cap){.id = TR_STR("guarded"),
                               .guard.policy_required = {&slow_name, 1},
                               .handler = waits},
        &(const struct tr_cap){
            .id = TR_STR("once"), .idempotent = true, .handler = waits},
        &(const struct tr_cap){
            .id = TR_STR("counted"), .cost = {.tokens = 5}, .handler = waits},
        &(const struct tr_cap){.id = TR_STR("create"),
                               .input_shape = &number,
                               .handler = {c_run_and_create, NULL}},
    };
    const struct c_app app = {
        .caps = caps,
        .cap_count = TR_LEN(caps),
        .policies = &slow,
        .policy_count = 1,
        .budgets = "[budget]\ncapability = ['counted 9 calls/day']\n"};
    c_host_open(host);
    c_host_start(host, &app);
}

TEST(pipeline_goes_on_when_a_policy_has_decided)
{
    struct c_host host;
    struct c_call c;
    start_waiting(&host);
    c_call_init(&c, &host, "guarded", "{}");
    c_call_start(&c);
    CHECK_INT(c.call.state, TR_CALL_DECIDING);
    CHECK_INT(host.ran, 0);
    c_call_finish(&c); /* the policy */
    CHECK_INT(c.call.state, TR_CALL_RUNNING);
    CHECK_INT(host.ran, 1);
    c_call_finish(&c);
    c_call_check(&c, RAN(1));
    c_host_close(&host);
}

TEST(pipeline_goes_on_when_the_idempotency_key_is_free)
{
    static const char args[] = "{\"idempotency_key\":\"k\"}";
    struct c_host host;
    struct c_call first;
    struct c_call second;
    start_waiting(&host);
    c_call_init(&first, &host, "once", args);
    c_call_init(&second, &host, "once", args);
    c_call_start(&first);
    c_call_start(&second);
    CHECK_INT(first.call.state, TR_CALL_RUNNING);
    CHECK_INT(second.call.state, TR_CALL_QUEUED);
    tr_call_cancel(&first.call);
    c_call_wait_until_it_waits(&second);
    CHECK_INT(second.call.state, TR_CALL_RUNNING);
    c_call_finish(&second);
    CHECK_INT(second.call.state, TR_CALL_LANDING);
    c_call_check(&second, RAN(2));
    c_call_check(&first, "cancelled: cancelled");
    c_host_close(&host);
}

TEST(pipeline_goes_on_when_a_budget_is_held)
{
    struct c_host host;
    struct c_call c;
    start_waiting(&host);
    c_call_init(&c, &host, "counted", "{}");
    c_call_start(&c);
    CHECK_INT(c.call.state, TR_CALL_HOLDING);
    c_call_wait_until_it_waits(&c);
    CHECK_INT(c.call.state, TR_CALL_RUNNING);
    CHECK_INT(c_host_number(&host, "SELECT tokens FROM budget"), 5);
    c_call_finish(&c);
    c_call_check(&c, RAN(1));
    c_host_close(&host);
}

static const struct tr_access_authority without_scopes = {.is_authenticated =
                                                              true};

/* Starts a call that comes to this state and stays there, until the loop runs;
 * `other` has its idempotency key. */
static void bring(struct c_host *host, enum tr_call_state state,
                  struct c_call *c, struct c_call *other)
{
    static const struct {
        const char *name;
        const char *args;
    } of[] = {
        [TR_CALL_DECIDING] = {"guarded", "{}"},
        [TR_CALL_QUEUED] = {"once", "{\"idempotency_key\":\"k\"}"},
        [TR_CALL_HOLDING] = {"counted", "{}"},
        [TR_CALL_RUNNING] = {"once", "{}"},
        [TR_CALL_LANDING] = {"create", "{\"number\":1}"},
        [TR_CALL_CORRECTING] = {"counted", "{}"},
        [TR_CALL_RECORDING] = {"once", "{}"},
        [TR_CALL_ENDED] = {"create", "{\"number\":1}"},
    };
    c_call_init(other, host, of[state].name, of[state].args);
    if (state == TR_CALL_QUEUED)
        c_call_start(other);
    c_call_init(c, host, of[state].name, of[state].args);
    c->call.timeout_ms = 1500;
    if (state == TR_CALL_RECORDING)
        c->call.authority = &without_scopes;
    c_call_start(c);
    if (state == TR_CALL_CORRECTING) {
        c_call_wait_until_it_waits(c);
        CHECK_OK(tr_call_budget_use(&c->call, 3, 0, NULL), NULL);
        c_call_finish(c);
    }
    if (state == TR_CALL_ENDED)
        c_call_wait(c);
    CHECK_INT(c->call.state, state);
}

static void let_go(struct c_call *other)
{
    if (other->waiting)
        c_call_finish(other);
    if (other->call.state != TR_CALL_DECIDING)
        c_call_wait(other);
    tr_arena_done(&other->arena);
}

#define CANCELLED "cancelled: cancelled"
#define DENIED                                                                 \
    "scope: scope denied: once requires runtime {\"tool\":\"once\","           \
    "\"required_scope\":\"runtime\",\"caller_scopes\":[]}"
#define LATE "timeout: the call took longer than 1.5 s {\"reason\":\"timeout\"}"

static const struct {
    enum tr_call_state state;
    size_t ran;            /* the other one included */
    const char *cancelled; /* what it comes to then, */
    const char *late;      /* and past its deadline */
} stops[] = {
    {TR_CALL_DECIDING, 0, CANCELLED, LATE},
    {TR_CALL_QUEUED, 1, CANCELLED, LATE},
    {TR_CALL_HOLDING, 0, CANCELLED, LATE},
    {TR_CALL_RUNNING, 1, CANCELLED, LATE},
    {TR_CALL_LANDING, 1, RAN(1), RAN(1)},
    {TR_CALL_CORRECTING, 1, RAN(1), RAN(1)},
    {TR_CALL_RECORDING, 0, DENIED, DENIED},
    {TR_CALL_ENDED, 1, RAN(1), RAN(1)},
};

TEST(pipeline_ends_a_call_once_in_whatever_state_it_is_made_to_stop)
{
    for (size_t i = 0; i < 2 * TR_LEN(stops); i++) {
        bool late = i % 2;
        struct c_host host;
        struct c_call c;
        struct c_call other;
        start_waiting(&host);
        bring(&host, stops[i / 2].state, &c, &other);
        if (late)
            tr_loop_step(host.loop, 1500);
        else
            tr_call_cancel(&c.call);
        tr_call_cancel(&c.call);
        c_call_check(&c, late ? stops[i / 2].late : stops[i / 2].cancelled);
        CHECK_INT(host.ran, stops[i / 2].ran);
        let_go(&other);
        c_host_close(&host);
    }
}

/* It is on its way to be woken, and hears only then that nobody wants it. */
TEST(pipeline_ends_a_call_that_is_cancelled_as_it_is_woken)
{
    struct c_host host;
    struct c_call c;
    struct c_call other;
    start_waiting(&host);
    bring(&host, TR_CALL_QUEUED, &c, &other);
    tr_call_cancel(&other.call);
    tr_call_cancel(&c.call);
    CHECK_INT(c.finished, 0);
    CHECK_INT(c.call.state, TR_CALL_QUEUED);
    c_call_check(&c, CANCELLED);
    c_call_check(&other, CANCELLED);
    CHECK_INT(host.ran, 1);
    c_host_close(&host);
}

/* What was held for a call that did not run is given back. */
TEST(pipeline_gives_back_what_a_stopped_call_held)
{
    struct c_host host;
    struct c_call c;
    start_waiting(&host);
    c_call_init(&c, &host, "counted", "{}");
    c_call_start(&c);
    tr_call_cancel(&c.call);
    c_call_check(&c, CANCELLED);
    CHECK_INT(c_host_number(&host, "SELECT calls + tokens FROM budget"), 0);
    c_host_close(&host);
}
