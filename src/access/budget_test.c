#include "access/budget.h"

#include "base/limits.h"
#include "base/test.h"
#include "config/config.h"
#include "db/db.h"
#include "support/store.h"

#include <math.h>

/* Monday, noon. */
#define NOON  INT64_C(1785153600)
#define HOUR  3600
#define ALICE TR_STR("alice")
#define SUM   TR_STR("sum")

struct fixture {
    struct store store;
    struct tr_db *db;
    struct tr_arena arena;
    const struct tr_access_budgets *budgets;
};

static void open_with(struct fixture *f, const char *toml)
{
    const struct tr_config_load *load = NULL;
    struct tr_err err = {0};
    *f = (struct fixture){0};
    store_open(&f->store);
    tr_arena_init(&f->arena, TR_MIB(16));
    CHECK_OK(tr_db_open(f->store.path, NULL, &f->db, &err), &err);
    CHECK_OK(tr_config_load(&f->arena, tr_str_from(toml), NULL, &load, &err),
             &err);
    CHECK_OK(
        tr_access_budgets_read(&f->arena, &load->config, &f->budgets, &err),
        &err);
}

static void close_fixture(struct fixture *f)
{
    tr_db_close(f->db);
    tr_arena_done(&f->arena);
    store_close(&f->store);
}

static struct tr_access_budget_accounts *
accounts_of(struct fixture *f, const struct tr_access_budget_for *what)
{
    struct tr_access_budget_accounts *accounts = NULL;
    struct tr_err err = {0};
    CHECK_OK(
        tr_access_budget_find(&f->arena, f->budgets, what, &accounts, &err),
        &err);
    return accounts;
}

static tr_status hold(struct fixture *f,
                      struct tr_access_budget_accounts *accounts,
                      tr_access_usage need, int64_t now_s, struct tr_err *err)
{
    accounts->held = need;
    accounts->now_s = now_s;
    TR_TRY(tr_db_begin(f->db, TR_DB_WRITE, err));
    tr_status status = tr_access_budget_hold(accounts, f->db, err);
    if (status != TR_OK)
        tr_db_rollback(f->db);
    else
        status = tr_db_commit(f->db, err);
    return status;
}

/* Whether the budgets have room for one more such call. */
static bool use(struct fixture *f, tr_str principal, tr_str capability,
                tr_access_usage need, int64_t now_s)
{
    struct tr_err err = {0};
    const struct tr_access_budget_for what = {.principal = principal,
                                              .capability = capability};
    struct tr_access_budget_accounts *accounts = accounts_of(f, &what);
    tr_status status = hold(f, accounts, need, now_s, &err);
    CHECK(status == TR_OK || status == TR_E_BUDGET);
    return status == TR_OK;
}

static const tr_access_usage one_call = {{1, 0, 0}};

TEST(budget_is_none_where_no_budget_concerns_the_call)
{
    struct fixture f;
    const struct tr_access_budget_limits none = {0};
    const struct tr_access_budget_for what = {
        .principal = ALICE, .capability = SUM, .limits = &none};
    open_with(&f, "");
    CHECK(f.budgets == NULL);
    CHECK(accounts_of(&f, &what) == NULL);
    close_fixture(&f);
    open_with(&f, "[budget]\ncapability = ['other 1 calls/hour']\n"
                  "principal_capability = ['other 1 calls/hour']\n"
                  "principal = ['bob 1 calls/hour']\n");
    CHECK(f.budgets != NULL);
    CHECK(accounts_of(&f, &what) == NULL);
    close_fixture(&f);
}

TEST(budget_of_a_capability_is_for_all_callers_together)
{
    struct fixture f;
    open_with(&f, "[budget]\ncapability = ['sum 2 calls/hour',"
                  " '* 3 calls/hour']\n");
    CHECK(use(&f, ALICE, SUM, one_call, NOON));
    CHECK(use(&f, TR_STR("bob"), SUM, one_call, NOON));
    CHECK(!use(&f, TR_STR("eve"), SUM, one_call, NOON));
    for (int i = 0; i < 3; i++)
        CHECK(use(&f, ALICE, TR_STR("other"), one_call, NOON));
    CHECK(!use(&f, ALICE, TR_STR("other"), one_call, NOON));
    CHECK(use(&f, ALICE, TR_STR("third"), one_call, NOON));
    close_fixture(&f);
}

TEST(budget_of_a_principal_and_a_capability_is_for_both)
{
    struct fixture f;
    open_with(&f, "[budget]\nprincipal_capability = ['sum 1 calls/day']\n"
                  "principal = ['* 9 calls/day']\n");
    CHECK(use(&f, ALICE, SUM, one_call, NOON));
    CHECK(!use(&f, ALICE, SUM, one_call, NOON));
    CHECK(use(&f, TR_STR("bob"), SUM, one_call, NOON));
    CHECK(use(&f, TR_STR(""), SUM, one_call, NOON));
    CHECK(!use(&f, TR_STR(""), SUM, one_call, NOON));
    CHECK(use(&f, ALICE, TR_STR("other"), one_call, NOON));
    close_fixture(&f);
}

TEST(budget_of_a_principal_is_for_all_capabilities)
{
    struct fixture f;
    open_with(&f, "[budget]\nprincipal = ['* 2 calls/day',"
                  " 'bob 0 calls/day']\n");
    CHECK(use(&f, ALICE, SUM, one_call, NOON));
    CHECK(use(&f, ALICE, TR_STR("other"), one_call, NOON));
    CHECK(!use(&f, ALICE, TR_STR("third"), one_call, NOON));
    CHECK(!use(&f, TR_STR("bob"), SUM, one_call, NOON));
    close_fixture(&f);
}

/* What one budget refuses is not taken from another. */
TEST(budget_that_is_refused_takes_nothing)
{
    struct fixture f;
    open_with(&f, "[budget]\ncapability = ['sum 5 calls/hour']\n"
                  "principal = ['alice 1 calls/hour']\n");
    CHECK(use(&f, ALICE, SUM, one_call, NOON));
    for (int i = 0; i < 9; i++)
        CHECK(!use(&f, ALICE, SUM, one_call, NOON));
    for (int i = 0; i < 4; i++)
        CHECK(use(&f, TR_STR("bob"), SUM, one_call, NOON));
    CHECK(!use(&f, TR_STR("bob"), SUM, one_call, NOON));
    close_fixture(&f);
}

TEST(budget_counts_tokens_and_money)
{
    struct fixture f;
    open_with(&f, "[budget]\ncapability = ['sum 100 tokens/hour',"
                  " 'pay 0.5 usd/hour']\n");
    CHECK(use(&f, ALICE, SUM, (tr_access_usage){{1, 60, 0}}, NOON));
    CHECK(!use(&f, ALICE, SUM, (tr_access_usage){{1, 41, 0}}, NOON));
    CHECK(use(&f, ALICE, SUM, (tr_access_usage){{1, 40, 0}}, NOON));
    CHECK(!use(&f, ALICE, SUM, one_call, NOON)); /* nothing is left */
    CHECK(
        use(&f, ALICE, TR_STR("pay"), (tr_access_usage){{1, 0, 499999}}, NOON));
    CHECK(use(&f, ALICE, TR_STR("pay"), one_call, NOON));
    CHECK(!use(&f, ALICE, TR_STR("pay"), (tr_access_usage){{1, 0, 2}}, NOON));
    CHECK(use(&f, ALICE, TR_STR("pay"), (tr_access_usage){{1, 0, 1}}, NOON));
    CHECK(!use(&f, ALICE, TR_STR("pay"), one_call, NOON));
    close_fixture(&f);
}

TEST(budget_begins_anew_with_the_hour_and_the_day)
{
    struct fixture f;
    open_with(&f, "[budget]\ncapability = ['sum 1 calls/hour']\n"
                  "principal = ['* 3 calls/day']\n");
    CHECK(use(&f, ALICE, SUM, one_call, NOON));
    CHECK(!use(&f, ALICE, SUM, one_call, NOON + HOUR - 1));
    CHECK(use(&f, ALICE, SUM, one_call, NOON + HOUR));
    CHECK(use(&f, ALICE, SUM, one_call, NOON + 2 * HOUR));
    CHECK(!use(&f, ALICE, SUM, one_call, NOON + 3 * HOUR)); /* by the day */
    CHECK(use(&f, ALICE, SUM, one_call, NOON + 12 * HOUR));
    CHECK(!use(&f, ALICE, SUM, one_call, NOON)); /* a clock that went back */
    close_fixture(&f);
}

TEST(budget_says_which_budget_is_used_up_and_until_when)
{
    struct fixture f;
    struct tr_err err = {0};
    const struct tr_access_budget_for what = {.principal = ALICE,
                                              .capability = SUM};
    open_with(&f, "[budget]\nprincipal = ['* 9 calls/hour',"
                  " '* 70 tokens/day']\n");
    struct tr_access_budget_accounts *accounts = accounts_of(&f, &what);
    CHECK_OK(hold(&f, accounts, (tr_access_usage){{1, 60, 0}}, NOON + 90, &err),
             &err);
    accounts = accounts_of(&f, &what);
    CHECK_INT(
        hold(&f, accounts, (tr_access_usage){{1, 60, 0}}, NOON + 90, &err),
        TR_E_BUDGET);
    CHECK_STR(tr_str_from(err.msg),
              "budget exhausted: tokens per day of the principal");
    CHECK(accounts->level == TR_ACCESS_BUDGET_PRINCIPAL &&
          accounts->unit == TR_CONFIG_BUDGET_TOKENS &&
          accounts->window == TR_CONFIG_BUDGET_DAY);
    CHECK_INT(
        accounts->of[accounts->level][accounts->window].used.of[accounts->unit],
        60);
    CHECK_INT(tr_access_budget_retry_after(accounts), 12 * HOUR - 90);
    close_fixture(&f);
}

TEST(budget_is_corrected_to_what_was_really_used)
{
    struct fixture f;
    struct tr_err err = {0};
    const struct tr_access_budget_for what = {.principal = ALICE,
                                              .capability = SUM};
    open_with(&f, "[budget]\nprincipal = ['* 100 tokens/hour',"
                  " '* 1000 tokens/day']\n");
    struct tr_access_budget_accounts *accounts = accounts_of(&f, &what);
    CHECK_OK(hold(&f, accounts, (tr_access_usage){{1, 90, 0}}, NOON, &err),
             &err);
    CHECK(!use(&f, ALICE, SUM, (tr_access_usage){{1, 20, 0}}, NOON));
    CHECK_OK(tr_access_budget_correct(accounts, (tr_access_usage){{1, 30, 0}},
                                      f.db, &err),
             &err);
    CHECK_INT(accounts->of[TR_ACCESS_BUDGET_PRINCIPAL][TR_CONFIG_BUDGET_HOUR]
                  .used.of[TR_CONFIG_BUDGET_TOKENS],
              30);
    CHECK(use(&f, ALICE, SUM, (tr_access_usage){{1, 70, 0}}, NOON));
    CHECK(!use(&f, ALICE, SUM, (tr_access_usage){{1, 1, 0}}, NOON));
    /* What is used is used, also when it is more than was left. */
    accounts = accounts_of(&f, &what);
    CHECK_OK(
        hold(&f, accounts, (tr_access_usage){{1, 1, 0}}, NOON + HOUR, &err),
        &err);
    CHECK_OK(tr_access_budget_correct(accounts, (tr_access_usage){{1, 500, 0}},
                                      f.db, &err),
             &err);
    CHECK(!use(&f, ALICE, SUM, one_call, NOON + HOUR));
    CHECK(use(&f, ALICE, SUM, one_call, NOON + 2 * HOUR));
    close_fixture(&f);
}

/* A call ends after its hour: that hour is closed, the day is not. */
TEST(budget_is_corrected_where_it_was_held)
{
    struct fixture f;
    struct tr_err err = {0};
    const struct tr_access_budget_for what = {.principal = ALICE,
                                              .capability = SUM};
    open_with(&f, "[budget]\nprincipal = ['* 100 tokens/hour',"
                  " '* 200 tokens/day']\n");
    struct tr_access_budget_accounts *accounts = accounts_of(&f, &what);
    CHECK_OK(hold(&f, accounts, (tr_access_usage){{1, 10, 0}}, NOON, &err),
             &err);
    CHECK(use(&f, ALICE, SUM, (tr_access_usage){{1, 90, 0}}, NOON + HOUR));
    CHECK_OK(tr_access_budget_correct(accounts, (tr_access_usage){{1, 100, 0}},
                                      f.db, &err),
             &err);
    CHECK(use(&f, ALICE, SUM, (tr_access_usage){{1, 10, 0}}, NOON + HOUR));
    CHECK(!use(&f, ALICE, SUM, (tr_access_usage){{1, 1, 0}}, NOON + 2 * HOUR));
    close_fixture(&f);
}

TEST(budget_of_a_token_has_its_own_limits)
{
    struct fixture f;
    struct tr_err err = {0};
    const struct tr_access_budget_limits limits = {.calls_hour = 1,
                                                   .usd_day = 0.25};
    struct tr_access_budget_for what = {.principal = ALICE,
                                        .capability = SUM,
                                        .token_id = TR_STR("t1"),
                                        .limits = &limits};
    open_with(&f, "");
    struct tr_access_budget_accounts *accounts = accounts_of(&f, &what);
    CHECK_OK(hold(&f, accounts, (tr_access_usage){{1, 0, 250000}}, NOON, &err),
             &err);
    accounts = accounts_of(&f, &what);
    CHECK_INT(hold(&f, accounts, one_call, NOON, &err), TR_E_BUDGET);
    CHECK(accounts->level == TR_ACCESS_BUDGET_TOKEN &&
          accounts->unit == TR_CONFIG_BUDGET_CALLS);
    CHECK_INT(hold(&f, accounts, one_call, NOON + HOUR, &err), TR_E_BUDGET);
    CHECK(accounts->unit == TR_CONFIG_BUDGET_USD &&
          accounts->window == TR_CONFIG_BUDGET_DAY);
    what.token_id = TR_STR("t2");
    CHECK_OK(hold(&f, accounts_of(&f, &what), one_call, NOON, &err), &err);
    close_fixture(&f);
}

TEST(budget_accounts_of_long_ago_go)
{
    struct fixture f;
    char name[32];
    open_with(&f, "[budget]\nprincipal = ['* 5 calls/hour']\n");
    for (int i = 0; i < 20; i++) {
        (void)snprintf(name, sizeof(name), "p%d", i);
        CHECK(use(&f, tr_str_from(name), SUM, one_call, NOON));
    }
    CHECK_INT(store_number(&f.store, "SELECT count(*) FROM budget", 0), 20);
    for (int i = 0; i < 5; i++)
        CHECK(use(&f, ALICE, SUM, one_call, NOON + 49 * HOUR));
    CHECK_INT(store_number(&f.store, "SELECT count(*) FROM budget", 0), 1);
    close_fixture(&f);
}

static bool claim(struct fixture *f, const char *name, int64_t now_s)
{
    bool is_first = false;
    CHECK_OK(tr_access_budget_claim(tr_str_from(name), now_s, f->db, &is_first,
                                    NULL),
             NULL);
    return is_first;
}

/* In the store, so that it holds for all processes; and gone in time. */
TEST(budget_claim_is_for_the_first_who_comes)
{
    struct fixture f;
    open_with(&f, "[budget]\nprincipal = ['* 5 calls/hour']\n");
    CHECK(claim(&f, "one", NOON));
    CHECK(!claim(&f, "one", NOON + 1));
    CHECK(claim(&f, "two", NOON + 1));
    CHECK(!claim(&f, "one", NOON + 47 * HOUR));
    CHECK(use(&f, ALICE, SUM, one_call, NOON + 49 * HOUR));
    CHECK_INT(store_number(&f.store, "SELECT count(*) FROM budget", 0), 1);
    close_fixture(&f);
}

/* Units that do not count are neither asked for nor added. */
TEST(budget_leaves_out_what_does_not_count)
{
    struct fixture f;
    struct tr_access_budget_for what = {.principal = ALICE, .capability = SUM};
    const tr_access_usage need = {{1, 5, 0}};
    open_with(&f, "[budget]\nprincipal = ['* 1 calls/day', '* 9 tokens/day']\n"
                  "capability = ['* 1 calls/day']\n");
    CHECK(use(&f, ALICE, SUM, one_call, NOON));
    what.left_out_of_capability = what.left_out_of_caller = TR_ACCESS_CALLS;
    CHECK_OK(hold(&f, accounts_of(&f, &what), need, NOON, NULL), NULL);
    CHECK_INT(hold(&f, accounts_of(&f, &what), need, NOON, NULL), TR_E_BUDGET);
    what.left_out_of_caller |= TR_ACCESS_SPENT;
    CHECK(accounts_of(&f, &what) == NULL); /* nothing is left that counts */
    CHECK_INT(store_number(&f.store, "SELECT sum(calls) FROM budget", 0), 2);
    CHECK_INT(store_number(&f.store, "SELECT sum(tokens) FROM budget", 0), 5);
    close_fixture(&f);
}

TEST(usage_of_money_is_rounded_and_bounded)
{
    CHECK_INT(tr_access_usage_of_usd(0), 0);
    CHECK_INT(tr_access_usage_of_usd(-1), 0);
    CHECK_INT(tr_access_usage_of_usd(0.1 + 0.2), 300000);
    CHECK_INT(tr_access_usage_of_usd(0.0000004), 0);
    CHECK_INT(tr_access_usage_of_usd(1e300), TR_LIMIT_USED);
    CHECK_INT(tr_access_usage_of_usd((double)NAN), 0);
}

static tr_status make_all(void *context, struct tr_err *err)
{
    const struct tr_config_load *load = NULL;
    const struct tr_access_budgets *budgets = NULL;
    const struct tr_access_budget_limits limits = {.calls_hour = 1};
    struct tr_access_budget_for what = {.principal = ALICE, .capability = SUM};
    struct tr_access_budget_accounts *accounts = NULL;
    struct tr_arena arena;
    (void)context;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status st = tr_config_load(
        &arena, TR_STR("[budget]\nprincipal = ['* 1 calls/day']\n"), NULL,
        &load, err);
    if (st == TR_OK)
        st = tr_access_budgets_read(&arena, &load->config, &budgets, err);
    if (st == TR_OK)
        st = tr_access_budget_find(&arena, budgets, &what, &accounts, err);
    what.limits = &limits;
    if (st == TR_OK)
        st = tr_access_budget_find(&arena, NULL, &what, &accounts, err);
    tr_arena_done(&arena);
    return st;
}

TEST(budget_survives_without_memory)
{
    tr_test_sweep(make_all, NULL);
}
