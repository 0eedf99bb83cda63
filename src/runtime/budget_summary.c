/*
 * What a caller is told of budgets: what is left, and which is used up.
 */
#include "access/budget.h"
#include "cap/cap.h"
#include "json/build.h"
#include "json/writer.h"
#include "runtime/budget.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

/* What is no capability has a name with a space, which only `*` means. */
tr_str tr_call_budget_account(const struct tr_call *call)
{
    return call->cap ? call->cap->id
                     : tr_str_from(tr_call_rules_of(call)->noun);
}

static void put_amount(struct tr_json_writer *w, const char *key,
                       enum tr_config_budget_unit unit, int64_t amount)
{
    tr_jw_key(w, key);
    if (unit == TR_CONFIG_BUDGET_USD)
        tr_jw_double(w, (double)amount / 1e6);
    else
        tr_jw_i64(w, amount);
}

/* {"level": ..., "unit": ..., "window": ..., "limit": ...} and more */
static void put_budget(struct tr_json_writer *w,
                       enum tr_access_budget_level level,
                       enum tr_config_budget_window window,
                       enum tr_config_budget_unit unit, int64_t limit)
{
    tr_jw_put_string(w, "level",
                     tr_str_from(tr_access_budget_level_name(level)));
    tr_jw_put_string(w, "unit", tr_str_from(tr_config_budget_unit_name(unit)));
    tr_jw_put_string(w, "window",
                     tr_str_from(tr_config_budget_window_name(window)));
    put_amount(w, "limit", unit, limit);
}

static void put_line(struct tr_json_writer *w,
                     const struct tr_access_budget_accounts *accounts,
                     size_t level, size_t window)
{
    const struct tr_access_budget_account *account =
        &accounts->of[level][window];
    for (size_t i = 0; i < TR_CONFIG_BUDGET_UNITS; i++) {
        enum tr_config_budget_unit unit = (enum tr_config_budget_unit)i;
        if (!account->is_charged || account->limits[i] < 0)
            continue;
        tr_jw_open(w, '{');
        put_budget(w, (enum tr_access_budget_level)level,
                   (enum tr_config_budget_window)window, unit,
                   account->limits[i]);
        put_amount(w, "spent", unit, account->used.of[i]);
        tr_jw_close(w, '}');
    }
}

const struct tr_json *tr_call_budget_summary(struct tr_call *call)
{
    const struct tr_prov_activity_cost *cost = &call->activity.cost;
    struct tr_call_used all;
    struct tr_json_writer w;
    struct tr_buf text;
    if (!call->budget_hold && !cost->tokens && !cost->micro_usd &&
        !call->round.paid)
        return NULL;
    all = tr_call_round_paid_so_far(call);
    all.tokens += (int64_t)cost->tokens;
    all.micro_usd += (int64_t)cost->micro_usd;
    if (!call->budget_hold && !all.tokens && !all.micro_usd)
        return NULL;
    tr_buf_init(&text, TR_KIB(64));
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    put_amount(&w, "tokens", TR_CONFIG_BUDGET_TOKENS, all.tokens);
    put_amount(&w, "usd", TR_CONFIG_BUDGET_USD, all.micro_usd);
    if (call->budget_hold) {
        tr_jw_key(&w, "budgets");
        tr_jw_open(&w, '[');
        for (size_t i = 0; i < TR_ACCESS_BUDGET_LEVELS; i++) {
            for (size_t j = 0; j < TR_CONFIG_BUDGET_WINDOWS; j++)
                put_line(&w, call->budget_hold->accounts, i, j);
        }
        tr_jw_close(&w, ']');
    }
    tr_jw_close(&w, '}');
    return tr_call_tree(call, &w, &text);
}

/* {principal, capability, budget, spent, retry_after_s} */
const struct tr_json *
tr_call_budget_exhausted(const struct tr_call *call,
                         const struct tr_access_budget_accounts *accounts)
{
    const struct tr_access_budget_account *account =
        &accounts->of[accounts->level][accounts->window];
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(64));
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    tr_jw_put_string(&w, "principal", call->principal);
    tr_jw_put_string(&w, "capability", tr_call_budget_account(call));
    tr_jw_key(&w, "budget");
    tr_jw_open(&w, '{');
    put_budget(&w, accounts->level, accounts->window, accounts->unit,
               account->limits[accounts->unit]);
    tr_jw_close(&w, '}');
    put_amount(&w, "spent", accounts->unit, account->used.of[accounts->unit]);
    tr_jw_put_i64(&w, "retry_after_s", tr_access_budget_retry_after(accounts));
    tr_jw_close(&w, '}');
    return tr_call_tree(call, &w, &text);
}
