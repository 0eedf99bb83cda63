/*
 * Budgets with handlers in C: what is held before a call runs, what it has used
 * in the end, and what the caller is told.
 */
#include "runtime/budget.h"

#include "base/limits.h"
#include "base/test.h"
#include "support/c_host.h"

#define RAN(n) "{\"ran\":" #n "}"

static void use(const struct tr_cap_handler *handler, struct tr_call *call)
{
    CHECK_OK(tr_call_budget_use(call, 2, 0.25, NULL), NULL);
    CHECK_OK(tr_call_budget_use(call, 1, 0, NULL), NULL);
    c_run(handler, call);
}

static void use_and_fail(const struct tr_cap_handler *handler,
                         struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    CHECK_OK(tr_call_budget_use(call, 4, 0, NULL), NULL);
    outcome.status = tr_fail(&outcome.err, TR_E_INTERNAL, "no");
    tr_call_finish(call, &outcome);
}

static void break_down(const struct tr_cap_handler *handler,
                       struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    outcome.status = tr_fail(&outcome.err, TR_E_INTERNAL, "no");
    tr_call_finish(call, &outcome);
}

static const struct {
    const char *id;
    tr_cap_handler_fn *run;
    int64_t tokens; /* what its descriptor says */
    int64_t used;   /* in the end: tokens, */
    int64_t micro_usd;
    const char *expected;
} rows[] = {
    {"free", c_run, 0, 0, 0, RAN(1)},
    {"fixed", c_run, 10, 10, 0, RAN(1)},
    {"says", use, 10, 3, 250000, RAN(1)},
    {"fails", break_down, 10, 0, 0, "internal: no"},
    {"says_and_fails", use_and_fail, 10, 4, 0, "internal: no"},
    {"waits", c_run_and_wait, 5, 5, 0, RAN(1)},
};

static void start(struct c_host *host, const char *budgets)
{
    const struct tr_cap *caps[TR_LEN(rows)];
    c_host_open(host);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_cap *cap = TR_NEW(&host->arena, struct tr_cap);
        caps[i] = cap;
        if (cap)
            *cap = (struct tr_cap){.id = tr_str_from(rows[i].id),
                                   .cost = {.tokens = rows[i].tokens},
                                   .handler = {rows[i].run, NULL}};
    }
    c_host_start(host, &(struct c_app){.caps = caps,
                                       .cap_count = TR_LEN(caps),
                                       .budgets = budgets});
}

#define EACH "[budget]\nprincipal = ['* 1000 calls/day']\n"

TEST(budget_counts_what_a_call_has_used)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct c_host host;
        struct c_call c;
        start(&host, EACH);
        c_call_init(&c, &host, rows[i].id, "{}");
        c_call_start(&c);
        CHECK_INT(c.call.state, TR_CALL_HOLDING);
        if (rows[i].run == c_run_and_wait) {
            c_call_wait_until_it_waits(&c);
            CHECK_INT(c_host_number(&host, "SELECT tokens FROM budget"),
                      rows[i].tokens);
            c_call_finish(&c);
        }
        c_call_check(&c, rows[i].expected);
        CHECK_INT(c_host_number(&host, "SELECT calls FROM budget"), 1);
        CHECK_INT(c_host_number(&host, "SELECT tokens FROM budget"),
                  rows[i].used);
        CHECK_INT(c_host_number(&host, "SELECT micro_usd FROM budget"),
                  rows[i].micro_usd);
        c_host_close(&host);
    }
}

/* A budget of others does not concern it: nothing is written. */
TEST(budget_that_does_not_concern_a_call_lets_it_pass)
{
    struct c_host host;
    struct c_call c;
    start(&host, "[budget]\ncapability = ['fixed 1 calls/day']\n");
    c_call_init(&c, &host, "free", "{}");
    c_call_start(&c);
    CHECK_INT(c.finished, 1);
    c_call_check(&c, RAN(1));
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM budget"), 0);
    c_host_close(&host);
}

TEST(budget_that_is_used_up_refuses_and_says_which_it_is)
{
    struct c_host host;
    struct c_call c;
    int64_t seconds = 0;
    start(&host, "[budget]\nprincipal_capability = ['fixed 15 tokens/day']\n");
    c_check(&host, "fixed", "{}", RAN(1));
    c_call_init(&c, &host, "fixed", "{}");
    c_call_start(&c);
    c_call_wait(&c);
    CHECK_INT(c.outcome.status, TR_E_BUDGET);
    const struct tr_json *data = c.outcome.data;
    const struct tr_json *budget = tr_json_find(data, TR_STR("budget"));
    CHECK_STR(tr_json_text(tr_json_find(data, TR_STR("principal"))), "alice");
    CHECK_STR(tr_json_text(tr_json_find(data, TR_STR("capability"))), "fixed");
    CHECK_STR(tr_json_text(tr_json_find(budget, TR_STR("level"))),
              "principal_capability");
    CHECK_STR(tr_json_text(tr_json_find(budget, TR_STR("unit"))), "tokens");
    CHECK(tr_json_i64(tr_json_find(data, TR_STR("retry_after_s")), &seconds) &&
          seconds > 0 && seconds <= 86400);
    CHECK(c.call.budget_hold == NULL);
    c_call_done(&c);
    CHECK_INT(host.ran, 1);
    CHECK_INT(c_host_number(&host, "SELECT tokens FROM budget"), 10);
    c_host_close(&host);
}

TEST(budget_of_a_token_is_its_own)
{
    const struct tr_access_authority token = {.is_authenticated = true,
                                              .scopes = TR_SCOPE_RUNTIME,
                                              .token_id = TR_STR("t"),
                                              .limits = {.calls_day = 1}};
    struct c_host host;
    start(&host, "");
    for (size_t i = 0; i < 2; i++) {
        struct c_call c;
        c_call_init(&c, &host, "free", "{}");
        c.call.authority = &token;
        c_call_start(&c);
        c_call_wait(&c);
        CHECK_INT(c.outcome.status, i ? TR_E_BUDGET : TR_OK);
        c_call_done(&c);
    }
    c_check(&host, "free", "{}", RAN(2));
    c_host_close(&host);
}

/* Nobody has to answer it. */
TEST(budget_counts_a_round_that_ended_with_a_question)
{
    struct c_host host;
    struct c_call c;
    start(&host, EACH);
    c_call_init(&c, &host, "waits", "{}");
    c_call_start(&c);
    c_call_wait_until_it_waits(&c);
    tr_call_end_round(&c.call);
    c_call_check(&c, "cancelled: cancelled");
    CHECK_INT(c_host_number(&host, "SELECT calls FROM budget"), 1);
    CHECK_INT(c_host_number(&host, "SELECT tokens FROM budget"), 0);
    c_host_close(&host);
}

TEST(budget_summary_is_in_the_meta_of_a_result)
{
    struct c_host host;
    struct c_call c;
    int64_t tokens = 0;
    start(&host, EACH);
    c_call_init(&c, &host, "fixed", "{}");
    c_call_start(&c);
    c_call_wait(&c);
    const struct tr_json *summary =
        tr_json_find(c.outcome.meta, TR_STR("dev.trails/receipt"));
    CHECK(tr_json_i64(tr_json_find(summary, TR_STR("tokens")), &tokens));
    CHECK_INT(tokens, 10);
    CHECK_INT(tr_json_find(summary, TR_STR("budgets"))->len, 1);
    c_call_done(&c);
    c_host_close(&host);
}

TEST(budget_use_that_cannot_be_is_refused)
{
    struct tr_call parent = {0};
    struct tr_call call = {.parent = &parent};
    CHECK_INT(tr_call_budget_use(&call, -1, 0, NULL), TR_E_INVALID);
    CHECK_INT(tr_call_budget_use(&call, 0, -0.1, NULL), TR_E_INVALID);
    CHECK_INT(tr_call_budget_use(&call, TR_LIMIT_USED + 1, 0, NULL),
              TR_E_LIMIT);
    CHECK_INT(tr_call_budget_use(&call, 0, 1e9, NULL), TR_E_LIMIT);
    CHECK(!call.used.is_said);
    CHECK_OK(tr_call_budget_use(&call, 7, 0.5, NULL), NULL);
    CHECK_INT(parent.used.tokens, 7); /* it counts for those above it too */
    CHECK_INT(parent.used.micro_usd, 500000);
}

/* Tools, resources and prompts are calls for `*`; the rest is not. */
TEST(budget_of_all_counts_what_is_read_too)
{
    const struct tr_cap *const caps[] = {
        &(const struct tr_cap){.id = TR_STR("plain")}};
    const struct c_app app = {.caps = caps,
                              .cap_count = 1,
                              .budgets =
                                  "[budget]\nprincipal = ['* 3 calls/day']\n"};
    static const struct {
        enum tr_call_kind kind;
        tr_status status;
    } calls[] = {
        {TR_CALL_CAPABILITY, TR_OK},      {TR_CALL_COMPLETION, TR_OK},
        {TR_CALL_RESOURCE, TR_OK},        {TR_CALL_SUBSCRIPTION, TR_OK},
        {TR_CALL_PROMPT, TR_OK},          {TR_CALL_RESOURCE, TR_E_BUDGET},
        {TR_CALL_PROMPT, TR_E_BUDGET},    {TR_CALL_COMPLETION, TR_OK},
        {TR_CALL_CAPABILITY, TR_E_BUDGET}};
    struct c_host host;
    c_host_open(&host);
    c_host_start(&host, &app);
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        struct c_call c;
        c_call_init(&c, &host, "plain", "{}");
        c.call.kind = calls[i].kind;
        c.call.guard = &tr_cap_guard_open;
        if (calls[i].kind != TR_CALL_CAPABILITY)
            c.call.cap = NULL;
        c_call_start(&c);
        c_call_wait(&c);
        CHECK_INT(c.outcome.status, calls[i].status);
        c_call_done(&c);
    }
    CHECK_INT(c_host_number(&host, "SELECT calls FROM budget"), 3);
    c_host_close(&host);
}
