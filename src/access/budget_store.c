/*
 * The accounts in the store. All of this runs in the writer's transactions.
 */
#include "access/budget.h"
#include "base/limits.h"
#include "db/db.h"

static const int64_t seconds[] = {
    [TR_CONFIG_BUDGET_HOUR] = 3600,
    [TR_CONFIG_BUDGET_DAY] = 86400,
};

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
        if (accounts->left_out[level] & TR_ACCESS_UNIT(i) ||
            fits(account, i, accounts->held.of[i]))
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
static void add(struct tr_access_budget_account *account, unsigned left_out,
                tr_access_usage usage)
{
    for (size_t i = 0; i < TR_CONFIG_BUDGET_UNITS; i++) {
        if (left_out & TR_ACCESS_UNIT(i))
            continue;
        int64_t sum = account->used.of[i] + usage.of[i];
        account->used.of[i] = sum < 0                  ? 0
                              : sum > TR_LIMIT_COUNTED ? TR_LIMIT_COUNTED
                                                       : sum;
    }
}

/* A level that no account has: what was claimed. The store has the number. */
#define CLAIMED 15

tr_status tr_access_budget_claim(tr_str name, int64_t now_s, struct tr_db *db,
                                 bool *is_first, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "INSERT OR IGNORE INTO budget (level, capability,"
                         " principal, window, start, calls, tokens, micro_usd)"
                         " VALUES (?1, '', ?2, 0, ?3, 0, 0, 0)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, CLAIMED);
    tr_db_bind_text(stmt, 2, name);
    tr_db_bind_i64(stmt, 3, now_s);
    TR_TRY(tr_db_stmt_run(stmt, err));
    *is_first = tr_db_changes(db) > 0;
    return TR_OK;
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
    add(account, accounts->left_out[level], accounts->held);
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
    add(account, accounts->left_out[level], accounts->held);
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
