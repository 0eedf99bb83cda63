#include "access/budget.h"

#include "base/limits.h"
#include "config/config.h"

#include <math.h>

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

static unsigned left_out_of(enum tr_access_budget_level level,
                            const struct tr_access_budget_for *what)
{
    return level >= TR_ACCESS_BUDGET_PRINCIPAL ? what->left_out_of_caller
                                               : what->left_out_of_capability;
}

static bool concerns(const struct rule *rule,
                     const struct tr_access_budget_for *what)
{
    tr_str name = rule->level == TR_ACCESS_BUDGET_PRINCIPAL ? what->principal
                                                            : what->capability;
    if (left_out_of(rule->level, what) & TR_ACCESS_UNIT(rule->is.unit))
        return false;
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
        accounts->left_out[i] =
            left_out_of((enum tr_access_budget_level)i, what);
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

static bool has_limits(const struct tr_access_budget_for *what)
{
    const struct tr_access_budget_limits *limits = what->limits;
    if (!limits)
        return false;
    bool of_calls = limits->calls_hour || limits->calls_day;
    bool of_spent = limits->tokens_hour || limits->tokens_day ||
                    limits->usd_hour > 0 || limits->usd_day > 0;
    return (of_calls && !(what->left_out_of_caller & TR_ACCESS_CALLS)) ||
           (of_spent && !(what->left_out_of_caller & TR_ACCESS_SPENT));
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
    bool by_token = has_limits(what);
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
