#include "access/budget.h"

#include "base/limits.h"
#include "config/config.h"
#include "db/db.h"

#include <math.h>

static const int64_t seconds[] = {
    [TR_CONFIG_BUDGET_HOUR] = 3600,
    [TR_CONFIG_BUDGET_DAY] = 86400,
};

const char *tr_access_budget_level_name(enum tr_access_budget_level level)
{
    static const char *const names[] = {
        [TR_ACCESS_BUDGET_CAPABILITY] = "capability",
        [TR_ACCESS_BUDGET_PRINCIPAL_CAPABILITY] = "principal_capability",
        [TR_ACCESS_BUDGET_PRINCIPAL] = "principal",
        [TR_ACCESS_BUDGET_TOKEN] = "token",
    };
    return names[level];
}

int64_t tr_access_usage_of_usd(double usd)
{
    double micro = usd * 1e6;
    if (!(micro > 0))
        return 0;
    return micro < (double)TR_LIMIT_USED ? llround(micro) : TR_LIMIT_USED;
}

/* The rules. ---------------------------------------------------------------*/

struct rule {
    enum tr_access_budget_level level;
    struct tr_config_budget_rule is;
};

struct tr_access_budgets {
    size_t count;
    struct rule rules[];
};

static void add_rules(struct tr_access_budgets *budgets,
                      enum tr_access_budget_level level,
                      const struct tr_config_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct rule *rule = &budgets->rules[budgets->count];
        rule->level = level;
        if (!tr_config_budget_rule_parse(list->items[i], &rule->is))
            budgets->count++;
    }
}

tr_status tr_access_budgets_read(struct tr_arena *arena,
                                 const struct tr_config *config,
                                 const struct tr_access_budgets **out,
                                 struct tr_err *err)
{
    const struct tr_config_list *const lists[] = {
        [TR_ACCESS_BUDGET_CAPABILITY] = &config->budget.capability,
        [TR_ACCESS_BUDGET_PRINCIPAL_CAPABILITY] =
            &config->budget.principal_capability,
        [TR_ACCESS_BUDGET_PRINCIPAL] = &config->budget.principal,
    };
    size_t count = 0;
    *out = NULL;
    for (size_t i = 0; i < TR_LEN(lists); i++)
        count += lists[i]->count;
    if (count == 0)
        return TR_OK;
    struct tr_access_budgets *budgets = tr_arena_alloc(
        arena, sizeof(*budgets) + count * sizeof(budgets->rules[0]));
    if (!budgets)
        return tr_fail(err, TR_E_NOMEM, "no memory for the budgets");
    budgets->count = 0;
    for (size_t i = 0; i < TR_LEN(lists); i++)
        add_rules(budgets, (enum tr_access_budget_level)i, lists[i]);
    *out = budgets;
    return TR_OK;
}

/* The accounts of a call. --------------------------------------------------*/

static bool concerns(const struct rule *rule,
                     const struct tr_access_budget_for *what)
{
    tr_str name = rule->level == TR_ACCESS_BUDGET_PRINCIPAL ? what->principal
                                                            : what->capability;
    return tr_str_eq(rule->is.name, TR_STR("*")) ||
           tr_str_eq(rule->is.name, name);
}

static struct tr_access_budget_accounts *
new_accounts(struct tr_arena *arena, const struct tr_access_budget_for *what)
{
    struct tr_access_budget_accounts *accounts =
        TR_NEW(arena, struct tr_access_budget_accounts);
    if (!accounts)
        return NULL;
    accounts->capability = what->capability;
    accounts->principal = what->principal;
    accounts->token_id = what->token_id;
    for (size_t i = 0; i < TR_ACCESS_BUDGET_LEVELS; i++) {
        for (size_t j = 0; j < TR_CONFIG_BUDGET_WINDOWS; j++) {
            for (size_t k = 0; k < TR_CONFIG_BUDGET_UNITS; k++)
                accounts->of[i][j].limits[k] = -1;
        }
    }
    return accounts;
}

/* Where several limits concern one account, the least of them counts. */
static void lower(struct tr_access_budget_account *account,
                  enum tr_config_budget_unit unit, int64_t limit)
{
    account->is_charged = true;
    if (account->limits[unit] < 0 || limit < account->limits[unit])
        account->limits[unit] = limit;
}

static bool has_limits(const struct tr_access_budget_limits *limits)
{
    return limits &&
           (limits->calls_hour || limits->calls_day || limits->tokens_hour ||
            limits->tokens_day || limits->usd_hour > 0 || limits->usd_day > 0);
}

static int64_t whole(uint64_t limit)
{
    return limit < (uint64_t)INT64_MAX ? (int64_t)limit : INT64_MAX;
}

/* In the limits of a token, 0 means none; in an account it would be 0. */
static void add_limits(struct tr_access_budget_accounts *accounts,
                       const struct tr_access_budget_limits *limits)
{
    const int64_t all[TR_CONFIG_BUDGET_WINDOWS][TR_CONFIG_BUDGET_UNITS] = {
        [TR_CONFIG_BUDGET_HOUR] = {whole(limits->calls_hour),
                                   whole(limits->tokens_hour),
                                   tr_access_usage_of_usd(limits->usd_hour)},
        [TR_CONFIG_BUDGET_DAY] = {whole(limits->calls_day),
                                  whole(limits->tokens_day),
                                  tr_access_usage_of_usd(limits->usd_day)},
    };
    for (size_t i = 0; i < TR_CONFIG_BUDGET_WINDOWS; i++) {
        for (size_t j = 0; j < TR_CONFIG_BUDGET_UNITS; j++) {
            if (all[i][j] > 0)
                lower(&accounts->of[TR_ACCESS_BUDGET_TOKEN][i],
                      (enum tr_config_budget_unit)j, all[i][j]);
        }
    }
}

tr_status tr_access_budget_find(struct tr_arena *arena,
                                const struct tr_access_budgets *budgets,
                                const struct tr_access_budget_for *what,
                                struct tr_access_budget_accounts **out,
                                struct tr_err *err)
{
    struct tr_access_budget_accounts *accounts = NULL;
    bool by_token = has_limits(what->limits);
    *out = NULL;
    for (size_t i = 0; budgets && i < budgets->count; i++) {
        const struct rule *rule = &budgets->rules[i];
        if (!concerns(rule, what))
            continue;
        if (!accounts && !(accounts = new_accounts(arena, what)))
            return tr_fail(err, TR_E_NOMEM,
                           "no memory for the accounts of a call");
        lower(&accounts->of[rule->level][rule->is.window], rule->is.unit,
              rule->is.limit);
    }
    if (by_token && !accounts && !(accounts = new_accounts(arena, what)))
        return tr_fail(err, TR_E_NOMEM, "no memory for the accounts of a call");
    if (by_token)
        add_limits(accounts, what->limits);
    *out = accounts;
    return TR_OK;
}

/* In the store. ------------------------------------------------------------*/

/* Binds which row is meant: of which capability and whom, and how long. */
static void bind_account(struct tr_db_stmt *stmt,
                         const struct tr_access_budget_accounts *accounts,
                         enum tr_access_budget_level level,
                         enum tr_config_budget_window window)
{
    bool of_all = level == TR_ACCESS_BUDGET_CAPABILITY;
    bool of_one = of_all || level == TR_ACCESS_BUDGET_PRINCIPAL_CAPABILITY;
    tr_str whose = of_all                            ? TR_STR("")
                   : level == TR_ACCESS_BUDGET_TOKEN ? accounts->token_id
                                                     : accounts->principal;
    tr_db_bind_i64(stmt, 1, level);
    tr_db_bind_text(stmt, 2, of_one ? accounts->capability : TR_STR(""));
    tr_db_bind_text(stmt, 3, whose);
    tr_db_bind_i64(stmt, 4, seconds[window]);
}

/*
 * Reads what was used in the current window. If the clock has gone back, the
 * row is of a later window, and still counts.
 */
static tr_status read_account(const struct tr_access_budget_accounts *accounts,
                              enum tr_access_budget_level level,
                              enum tr_config_budget_window window,
                              struct tr_access_budget_account *account,
                              struct tr_db *db, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    account->start_s = accounts->now_s - accounts->now_s % seconds[window];
    account->used = (tr_access_usage){0};
    TR_TRY(tr_db_prepare(db,
                         "SELECT start, calls, tokens, micro_usd FROM budget"
                         " WHERE level = ?1 AND capability = ?2"
                         " AND principal = ?3 AND window = ?4",
                         &stmt, err));
    bind_account(stmt, accounts, level, window);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    if (tr_db_column_i64(stmt, 0) >= account->start_s) {
        account->start_s = tr_db_column_i64(stmt, 0);
        for (int i = 0; i < TR_CONFIG_BUDGET_UNITS; i++)
            account->used.of[i] = tr_db_column_i64(stmt, i + 1);
    }
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* A call that does not say what it will use fits while anything is left. */
static bool fits(const struct tr_access_budget_account *account, size_t unit,
                 int64_t more)
{
    int64_t limit = account->limits[unit];
    int64_t used = account->used.of[unit];
    return limit < 0 || (more > 0 ? used + more <= limit : used < limit);
}

static tr_status check_account(struct tr_access_budget_accounts *accounts,
                               enum tr_access_budget_level level,
                               enum tr_config_budget_window window,
                               struct tr_err *err)
{
    const struct tr_access_budget_account *account =
        &accounts->of[level][window];
    for (size_t i = 0; i < TR_CONFIG_BUDGET_UNITS; i++) {
        if (fits(account, i, accounts->held.of[i]))
            continue;
        accounts->level = level;
        accounts->window = window;
        accounts->unit = (enum tr_config_budget_unit)i;
        return tr_fail(err, TR_E_BUDGET,
                       "budget exhausted: %s per %s of the %s",
                       tr_config_budget_unit_name(accounts->unit),
                       tr_config_budget_window_name(window),
                       tr_access_budget_level_name(level));
    }
    return TR_OK;
}

static tr_status write_account(const struct tr_access_budget_accounts *accounts,
                               enum tr_access_budget_level level,
                               enum tr_config_budget_window window,
                               struct tr_db *db, struct tr_err *err)
{
    const struct tr_access_budget_account *account =
        &accounts->of[level][window];
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "INSERT OR REPLACE INTO budget (level, capability,"
                         " principal, window, start, calls, tokens, micro_usd)"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                         &stmt, err));
    bind_account(stmt, accounts, level, window);
    tr_db_bind_i64(stmt, 5, account->start_s);
    for (int i = 0; i < TR_CONFIG_BUDGET_UNITS; i++)
        tr_db_bind_i64(stmt, 6 + i, account->used.of[i]);
    return tr_db_stmt_run(stmt, err);
}

/* Adds to an account, and never takes away more than is there. */
static void add(struct tr_access_budget_account *account, tr_access_usage usage)
{
    for (size_t i = 0; i < TR_CONFIG_BUDGET_UNITS; i++) {
        int64_t sum = account->used.of[i] + usage.of[i];
        account->used.of[i] = sum < 0                  ? 0
                              : sum > TR_LIMIT_COUNTED ? TR_LIMIT_COUNTED
                                                       : sum;
    }
}

/* Deletes a few accounts that nobody has used for two days. */
static tr_status trim(const struct tr_access_budget_accounts *accounts,
                      struct tr_db *db, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "DELETE FROM budget WHERE id IN (SELECT id FROM budget"
                         " WHERE start < ?1 ORDER BY start LIMIT 4)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1,
                   accounts->now_s - 2 * seconds[TR_CONFIG_BUDGET_DAY]);
    return tr_db_stmt_run(stmt, err);
}

/* What each_account calls for every account that is charged. */
typedef tr_status account_fn(struct tr_access_budget_accounts *accounts,
                             enum tr_access_budget_level level,
                             enum tr_config_budget_window window,
                             struct tr_db *db, struct tr_err *err);

static tr_status each_account(struct tr_access_budget_accounts *accounts,
                              account_fn *fn, struct tr_db *db,
                              struct tr_err *err)
{
    for (size_t i = 0; i < TR_ACCESS_BUDGET_LEVELS; i++) {
        for (size_t j = 0; j < TR_CONFIG_BUDGET_WINDOWS; j++) {
            if (accounts->of[i][j].is_charged)
                TR_TRY(fn(accounts, (enum tr_access_budget_level)i,
                          (enum tr_config_budget_window)j, db, err));
        }
    }
    return TR_OK;
}

static tr_status hold_account(struct tr_access_budget_accounts *accounts,
                              enum tr_access_budget_level level,
                              enum tr_config_budget_window window,
                              struct tr_db *db, struct tr_err *err)
{
    struct tr_access_budget_account *account = &accounts->of[level][window];
    TR_TRY(read_account(accounts, level, window, account, db, err));
    TR_TRY(check_account(accounts, level, window, err));
    add(account, accounts->held);
    return write_account(accounts, level, window, db, err);
}

tr_status tr_access_budget_hold(struct tr_access_budget_accounts *accounts,
                                struct tr_db *db, struct tr_err *err)
{
    TR_TRY(trim(accounts, db, err));
    return each_account(accounts, hold_account, db, err);
}

/* Here `held` is the difference between what was used and what was held. */
static tr_status correct_account(struct tr_access_budget_accounts *accounts,
                                 enum tr_access_budget_level level,
                                 enum tr_config_budget_window window,
                                 struct tr_db *db, struct tr_err *err)
{
    struct tr_access_budget_account *account = &accounts->of[level][window];
    struct tr_access_budget_account now = *account;
    TR_TRY(read_account(accounts, level, window, &now, db, err));
    if (now.start_s != account->start_s)
        return TR_OK; /* its window is over */
    *account = now;
    add(account, accounts->held);
    return write_account(accounts, level, window, db, err);
}

tr_status tr_access_budget_correct(struct tr_access_budget_accounts *accounts,
                                   tr_access_usage actual, struct tr_db *db,
                                   struct tr_err *err)
{
    for (size_t i = 0; i < TR_CONFIG_BUDGET_UNITS; i++)
        accounts->held.of[i] = actual.of[i] - accounts->held.of[i];
    tr_status status = each_account(accounts, correct_account, db, err);
    accounts->held = actual;
    return status;
}

int64_t
tr_access_budget_retry_after(const struct tr_access_budget_accounts *accounts)
{
    const struct tr_access_budget_account *account =
        &accounts->of[accounts->level][accounts->window];
    int64_t left =
        account->start_s + seconds[accounts->window] - accounts->now_s;
    return left > 0 ? left : 1;
}
