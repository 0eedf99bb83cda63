#include "access/bill.h"

#include "base/limits.h"
#include "config/config.h"
#include "db/db.h"

#include <math.h>

static const int64_t seconds[] = {
    [TR_BUDGET_HOUR] = 3600,
    [TR_BUDGET_DAY] = 86400,
};

const char *tr_budget_level_name(enum tr_budget_level level)
{
    static const char *const names[] = {
        [TR_LEVEL_CAPABILITY] = "capability",
        [TR_LEVEL_PRINCIPAL_CAPABILITY] = "principal_capability",
        [TR_LEVEL_PRINCIPAL] = "principal",
        [TR_LEVEL_TOKEN] = "token",
    };
    return names[level];
}

int64_t tr_usage_of_usd(double usd)
{
    double micro = usd * 1e6;
    if (!(micro > 0))
        return 0;
    return micro < (double)TR_LIMIT_SPENT ? llround(micro) : TR_LIMIT_SPENT;
}

/* The rules. ---------------------------------------------------------------*/

struct rule {
    enum tr_budget_level level;
    struct tr_budget_rule is;
};

struct tr_budgets {
    size_t count;
    struct rule rules[];
};

static void add_rules(struct tr_budgets *budgets, enum tr_budget_level level,
                      const struct tr_config_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct rule *rule = &budgets->rules[budgets->count];
        rule->level = level;
        if (!tr_budget_rule_parse(list->items[i], &rule->is))
            budgets->count++;
    }
}

tr_status tr_budgets_read(struct tr_arena *arena,
                          const struct tr_config *config,
                          const struct tr_budgets **out, struct tr_err *err)
{
    const struct tr_config_list *const lists[] = {
        [TR_LEVEL_CAPABILITY] = &config->budget.capability,
        [TR_LEVEL_PRINCIPAL_CAPABILITY] = &config->budget.principal_capability,
        [TR_LEVEL_PRINCIPAL] = &config->budget.principal,
    };
    size_t count = 0;
    *out = NULL;
    for (size_t i = 0; i < TR_LEN(lists); i++)
        count += lists[i]->count;
    if (count == 0)
        return TR_OK;
    struct tr_budgets *budgets = tr_arena_alloc(
        arena, sizeof(*budgets) + count * sizeof(budgets->rules[0]));
    if (!budgets)
        return tr_fail(err, TR_E_NOMEM, "no memory for the budgets");
    budgets->count = 0;
    for (size_t i = 0; i < TR_LEN(lists); i++)
        add_rules(budgets, (enum tr_budget_level)i, lists[i]);
    *out = budgets;
    return TR_OK;
}

/* A bill. ------------------------------------------------------------------*/

static bool concerns(const struct rule *rule, const struct tr_bill_for *what)
{
    tr_str name =
        rule->level == TR_LEVEL_PRINCIPAL ? what->principal : what->capability;
    return tr_str_eq(rule->is.name, TR_STR("*")) ||
           tr_str_eq(rule->is.name, name);
}

static struct tr_bill *new_bill(struct tr_arena *arena,
                                const struct tr_bill_for *what)
{
    struct tr_bill *bill = TR_NEW(arena, struct tr_bill);
    if (!bill)
        return NULL;
    bill->capability = what->capability;
    bill->principal = what->principal;
    bill->token_id = what->token_id;
    for (size_t i = 0; i < TR_BUDGET_LEVELS; i++) {
        for (size_t j = 0; j < TR_BUDGET_WINDOWS; j++) {
            for (size_t k = 0; k < TR_BUDGET_UNITS; k++)
                bill->lines[i][j].limits[k] = -1;
        }
    }
    return bill;
}

/* Of several limits the least counts. */
static void lower(struct tr_bill_line *line, enum tr_budget_unit unit,
                  int64_t limit)
{
    line->is_used = true;
    if (line->limits[unit] < 0 || limit < line->limits[unit])
        line->limits[unit] = limit;
}

static bool has_limits(const struct tr_budget_limits *limits)
{
    return limits &&
           (limits->calls_hour || limits->calls_day || limits->tokens_hour ||
            limits->tokens_day || limits->usd_hour > 0 || limits->usd_day > 0);
}

static int64_t whole(uint64_t limit)
{
    return limit < (uint64_t)INT64_MAX ? (int64_t)limit : INT64_MAX;
}

/* Of a token 0 means that there is no limit. */
static void add_limits(struct tr_bill *bill,
                       const struct tr_budget_limits *limits)
{
    const int64_t all[TR_BUDGET_WINDOWS][TR_BUDGET_UNITS] = {
        [TR_BUDGET_HOUR] = {whole(limits->calls_hour),
                            whole(limits->tokens_hour),
                            tr_usage_of_usd(limits->usd_hour)},
        [TR_BUDGET_DAY] = {whole(limits->calls_day), whole(limits->tokens_day),
                           tr_usage_of_usd(limits->usd_day)},
    };
    for (size_t i = 0; i < TR_BUDGET_WINDOWS; i++) {
        for (size_t j = 0; j < TR_BUDGET_UNITS; j++) {
            if (all[i][j] > 0)
                lower(&bill->lines[TR_LEVEL_TOKEN][i], (enum tr_budget_unit)j,
                      all[i][j]);
        }
    }
}

tr_status tr_bill_make(struct tr_arena *arena, const struct tr_budgets *budgets,
                       const struct tr_bill_for *what, struct tr_bill **out,
                       struct tr_err *err)
{
    struct tr_bill *bill = NULL;
    bool by_token = has_limits(what->limits);
    *out = NULL;
    for (size_t i = 0; budgets && i < budgets->count; i++) {
        const struct rule *rule = &budgets->rules[i];
        if (!concerns(rule, what))
            continue;
        if (!bill && !(bill = new_bill(arena, what)))
            return tr_fail(err, TR_E_NOMEM, "no memory for a bill");
        lower(&bill->lines[rule->level][rule->is.window], rule->is.unit,
              rule->is.limit);
    }
    if (by_token && !bill && !(bill = new_bill(arena, what)))
        return tr_fail(err, TR_E_NOMEM, "no memory for a bill");
    if (by_token)
        add_limits(bill, what->limits);
    *out = bill;
    return TR_OK;
}

/* In the store. ------------------------------------------------------------*/

/* Which row is meant: of what, of whom, for how long. */
static void bind_account(struct tr_stmt *stmt, const struct tr_bill *bill,
                         enum tr_budget_level level,
                         enum tr_budget_window window)
{
    bool of_all = level == TR_LEVEL_CAPABILITY;
    bool of_one = of_all || level == TR_LEVEL_PRINCIPAL_CAPABILITY;
    tr_str whose = of_all                    ? TR_STR("")
                   : level == TR_LEVEL_TOKEN ? bill->token_id
                                             : bill->principal;
    tr_bind_i64(stmt, 1, level);
    tr_bind_text(stmt, 2, of_one ? bill->capability : TR_STR(""));
    tr_bind_text(stmt, 3, whose);
    tr_bind_i64(stmt, 4, seconds[window]);
}

/* Spent in the window that we are in; a clock that went back changes nothing.
 */
static tr_status read_line(const struct tr_bill *bill,
                           enum tr_budget_level level,
                           enum tr_budget_window window,
                           struct tr_bill_line *line, struct tr_db *db,
                           struct tr_err *err)
{
    struct tr_stmt *stmt;
    bool row;
    line->start_s = bill->now_s - bill->now_s % seconds[window];
    line->spent = (tr_usage){0};
    TR_TRY(tr_db_prepare(db,
                         "SELECT start, calls, tokens, micro_usd FROM budget"
                         " WHERE level = ?1 AND capability = ?2"
                         " AND principal = ?3 AND window = ?4",
                         &stmt, err));
    bind_account(stmt, bill, level, window);
    TR_TRY(tr_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    if (tr_column_i64(stmt, 0) >= line->start_s) {
        line->start_s = tr_column_i64(stmt, 0);
        for (int i = 0; i < TR_BUDGET_UNITS; i++)
            line->spent.of[i] = tr_column_i64(stmt, i + 1);
    }
    tr_stmt_reset(stmt);
    return TR_OK;
}

/* What does not say what it will use is let in while there is something. */
static bool fits(const struct tr_bill_line *line, size_t unit, int64_t more)
{
    int64_t limit = line->limits[unit];
    int64_t spent = line->spent.of[unit];
    return limit < 0 || (more > 0 ? spent + more <= limit : spent < limit);
}

static tr_status check_line(struct tr_bill *bill, enum tr_budget_level level,
                            enum tr_budget_window window, struct tr_err *err)
{
    const struct tr_bill_line *line = &bill->lines[level][window];
    for (size_t i = 0; i < TR_BUDGET_UNITS; i++) {
        if (fits(line, i, bill->reserved.of[i]))
            continue;
        bill->level = level;
        bill->window = window;
        bill->unit = (enum tr_budget_unit)i;
        return tr_fail(
            err, TR_E_BUDGET, "budget exhausted: %s per %s of the %s",
            tr_budget_unit_name(bill->unit), tr_budget_window_name(window),
            tr_budget_level_name(level));
    }
    return TR_OK;
}

static tr_status write_line(const struct tr_bill *bill,
                            enum tr_budget_level level,
                            enum tr_budget_window window, struct tr_db *db,
                            struct tr_err *err)
{
    const struct tr_bill_line *line = &bill->lines[level][window];
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "INSERT OR REPLACE INTO budget (level, capability,"
                         " principal, window, start, calls, tokens, micro_usd)"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                         &stmt, err));
    bind_account(stmt, bill, level, window);
    tr_bind_i64(stmt, 5, line->start_s);
    for (int i = 0; i < TR_BUDGET_UNITS; i++)
        tr_bind_i64(stmt, 6 + i, line->spent.of[i]);
    return tr_stmt_run(stmt, err);
}

/* Adds to a line, and never takes away more than is there. */
static void add(struct tr_bill_line *line, tr_usage usage)
{
    for (size_t i = 0; i < TR_BUDGET_UNITS; i++) {
        int64_t sum = line->spent.of[i] + usage.of[i];
        line->spent.of[i] = sum < 0                  ? 0
                            : sum > TR_LIMIT_COUNTED ? TR_LIMIT_COUNTED
                                                     : sum;
    }
}

/* Accounts of long ago, of who has not come since. */
static tr_status trim(const struct tr_bill *bill, struct tr_db *db,
                      struct tr_err *err)
{
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "DELETE FROM budget WHERE id IN (SELECT id FROM budget"
                         " WHERE start < ?1 ORDER BY start LIMIT 4)",
                         &stmt, err));
    tr_bind_i64(stmt, 1, bill->now_s - 2 * seconds[TR_BUDGET_DAY]);
    return tr_stmt_run(stmt, err);
}

/* Calls back for every line that is used. */
typedef tr_status line_fn(struct tr_bill *bill, enum tr_budget_level level,
                          enum tr_budget_window window, struct tr_db *db,
                          struct tr_err *err);

static tr_status each_line(struct tr_bill *bill, line_fn *fn, struct tr_db *db,
                           struct tr_err *err)
{
    for (size_t i = 0; i < TR_BUDGET_LEVELS; i++) {
        for (size_t j = 0; j < TR_BUDGET_WINDOWS; j++) {
            if (bill->lines[i][j].is_used)
                TR_TRY(fn(bill, (enum tr_budget_level)i,
                          (enum tr_budget_window)j, db, err));
        }
    }
    return TR_OK;
}

static tr_status reserve_line(struct tr_bill *bill, enum tr_budget_level level,
                              enum tr_budget_window window, struct tr_db *db,
                              struct tr_err *err)
{
    struct tr_bill_line *line = &bill->lines[level][window];
    TR_TRY(read_line(bill, level, window, line, db, err));
    TR_TRY(check_line(bill, level, window, err));
    add(line, bill->reserved);
    return write_line(bill, level, window, db, err);
}

tr_status tr_bill_reserve(struct tr_bill *bill, struct tr_db *db,
                          struct tr_err *err)
{
    TR_TRY(trim(bill, db, err));
    return each_line(bill, reserve_line, db, err);
}

/* `reserved` is by how much it was wrong, here. */
static tr_status settle_line(struct tr_bill *bill, enum tr_budget_level level,
                             enum tr_budget_window window, struct tr_db *db,
                             struct tr_err *err)
{
    struct tr_bill_line *line = &bill->lines[level][window];
    struct tr_bill_line now = *line;
    TR_TRY(read_line(bill, level, window, &now, db, err));
    if (now.start_s != line->start_s)
        return TR_OK; /* its window is over */
    *line = now;
    add(line, bill->reserved);
    return write_line(bill, level, window, db, err);
}

tr_status tr_bill_settle(struct tr_bill *bill, tr_usage actual,
                         struct tr_db *db, struct tr_err *err)
{
    for (size_t i = 0; i < TR_BUDGET_UNITS; i++)
        bill->reserved.of[i] = actual.of[i] - bill->reserved.of[i];
    tr_status status = each_line(bill, settle_line, db, err);
    bill->reserved = actual;
    return status;
}

int64_t tr_bill_retry_after(const struct tr_bill *bill)
{
    const struct tr_bill_line *line = &bill->lines[bill->level][bill->window];
    int64_t left = line->start_s + seconds[bill->window] - bill->now_s;
    return left > 0 ? left : 1;
}
