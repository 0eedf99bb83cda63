#include "runtime/budget.h"

#include "access/budget.h"
#include "base/limits.h"
#include "cap/cap.h"
#include "json/build.h"
#include "json/writer.h"
#include "loop/loop.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

/* What a call holds of its budgets, and the write of it. */
struct tr_call_budget_hold {
    struct tr_db_write write; /* first: what `done` gets */
    struct tr_call *call;
    struct tr_access_budget_accounts *accounts;
    tr_access_usage actual;
    struct tr_call_outcome outcome; /* kept while the hold is corrected */
};

static int64_t bounded(int64_t amount)
{
    return amount < TR_LIMIT_USED ? amount : TR_LIMIT_USED;
}

tr_status tr_call_budget_use(struct tr_call *call, int64_t tokens, double usd,
                             struct tr_err *err)
{
    int64_t micro_usd = tr_access_usage_of_usd(usd);
    if (tokens < 0 || !(usd >= 0))
        return tr_fail(err, TR_E_INVALID, "what is spent is not negative");
    if (tokens > TR_LIMIT_USED || micro_usd >= TR_LIMIT_USED)
        return tr_fail(err, TR_E_LIMIT, "that is more than one call can spend");
    for (; call; call = call->parent) {
        call->used.is_said = true;
        call->used.tokens = bounded(call->used.tokens + tokens);
        call->used.micro_usd = bounded(call->used.micro_usd + micro_usd);
    }
    return TR_OK;
}

/*
 * Whose budget of a capability concerns the call. What is none has that of its
 * kind, a name with a space, which only `*` means.
 */
static tr_str account_of(const struct tr_call *call)
{
    return call->cap ? call->cap->id
                     : tr_str_from(tr_call_rules_of(call)->noun);
}

static tr_access_usage estimate(const struct tr_call *call)
{
    if (!call->cap)
        return (tr_access_usage){{1, 0, 0}};
    const struct tr_cap_cost *cost = &call->cap->cost;
    return (tr_access_usage){
        {1, bounded(cost->tokens), tr_access_usage_of_usd(cost->usd)}};
}

/* A round that ended with a question is a part of the call that follows. */
static tr_access_usage usage_of(struct tr_call *call,
                                const struct tr_call_outcome *outcome)
{
    tr_access_usage usage = {
        {tr_call_root(call)->stop != TR_CALL_STOP_ASKED, 0, 0}};
    if (call->used.is_said) {
        usage.of[TR_CONFIG_BUDGET_TOKENS] = call->used.tokens;
        usage.of[TR_CONFIG_BUDGET_USD] = call->used.micro_usd;
    } else if (tr_call_outcome_is_success(outcome)) {
        usage = estimate(call);
    }
    return usage;
}

void tr_call_budget_note(struct tr_call *call,
                         const struct tr_call_outcome *outcome)
{
    struct tr_prov_activity_cost *cost = &call->activity.cost;
    if (!call->cap && !call->used.is_said)
        return;
    tr_access_usage usage = usage_of(call, outcome);
    cost->tokens = (uint64_t)usage.of[TR_CONFIG_BUDGET_TOKENS];
    cost->micro_usd = (uint64_t)usage.of[TR_CONFIG_BUDGET_USD];
}

/* What is told. ------------------------------------------------------------*/

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

const struct tr_json *tr_call_budget_summary(const struct tr_call *call)
{
    const struct tr_prov_activity_cost *cost = &call->activity.cost;
    struct tr_json_writer w;
    struct tr_buf text;
    if (!call->budget_hold && !cost->tokens && !cost->micro_usd)
        return NULL;
    tr_buf_init(&text, TR_KIB(64));
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    put_amount(&w, "tokens", TR_CONFIG_BUDGET_TOKENS, (int64_t)cost->tokens);
    put_amount(&w, "usd", TR_CONFIG_BUDGET_USD, (int64_t)cost->micro_usd);
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
static const struct tr_json *
exhausted(const struct tr_call *call,
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
    tr_jw_put_string(&w, "capability", account_of(call));
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

/* Holding. -----------------------------------------------------------------*/

static enum tr_call_passage refuse(struct tr_call *call, tr_status status,
                                   struct tr_call_outcome *refusal)
{
    refusal->status = status;
    if (status == TR_E_BUDGET)
        refusal->data = exhausted(call, call->budget_hold->accounts);
    call->budget_hold = NULL; /* nothing is held */
    return TR_CALL_REFUSED;
}

static tr_status write_hold(struct tr_db_write *write, struct tr_db *db,
                            struct tr_err *err)
{
    const struct tr_call_budget_hold *hold =
        (const struct tr_call_budget_hold *)(void *)write;
    return tr_access_budget_hold(hold->accounts, db, err);
}

/*
 * A call that was made to stop meanwhile ends in tr_call_next, which gives back
 * what was held for it.
 */
static void on_held(struct tr_db_write *write)
{
    struct tr_call_budget_hold *hold =
        (struct tr_call_budget_hold *)(void *)write;
    struct tr_call *call = hold->call;
    struct tr_loop *loop = call->loop;
    struct tr_call_outcome refusal = {.err = write->err};
    call->state = TR_CALL_DECIDING;
    if (write->status == TR_OK) {
        tr_call_next(call);
    } else {
        (void)refuse(call, write->status, &refusal);
        tr_call_finish(call, &refusal);
    }
    tr_loop_release(loop);
}

static tr_status submit(struct tr_call_budget_hold *hold,
                        tr_status (*run)(struct tr_db_write *write,
                                         struct tr_db *db, struct tr_err *err),
                        void (*done)(struct tr_db_write *write),
                        struct tr_err *err)
{
    struct tr_call *call = hold->call;
    hold->write =
        (struct tr_db_write){.run = run, .done = done, .loop = call->loop};
    TR_TRY(tr_db_writer_submit(tr_graph_store_writer(call->env->store),
                               &hold->write, err));
    tr_loop_hold(call->loop);
    return TR_OK;
}

static tr_status find_accounts(struct tr_call *call,
                               struct tr_access_budget_accounts **out,
                               struct tr_err *err)
{
    const struct tr_access_budget_for what = {
        .principal = call->principal,
        .capability = account_of(call),
        .token_id = call->authority ? call->authority->token_id : TR_STR(""),
        .limits = tr_call_budget_limits(call),
    };
    return tr_access_budget_find(call->arena, call->env->budgets, &what, out,
                                 err);
}

static tr_status begin(struct tr_call *call,
                       struct tr_access_budget_accounts *accounts,
                       struct tr_err *err)
{
    struct tr_call_budget_hold *hold =
        TR_NEW(call->arena, struct tr_call_budget_hold);
    if (!hold)
        return tr_fail(err, TR_E_NOMEM, "no memory for a hold");
    accounts->now_s = tr_loop_wall(call->loop).seconds;
    accounts->held = estimate(call);
    hold->call = call;
    hold->accounts = accounts;
    call->budget_hold = hold;
    return submit(hold, write_hold, on_held, err);
}

/*
 * Calls that a handler invokes do not come here: they have no environment, and
 * what they use counts for the call that a door started.
 */
enum tr_call_passage tr_call_stage_budgets(struct tr_call *call,
                                           struct tr_call_outcome *refusal)
{
    struct tr_access_budget_accounts *accounts = NULL;
    tr_status status = find_accounts(call, &accounts, &refusal->err);
    if (status == TR_OK && !accounts)
        return TR_CALL_PASSED;
    if (status == TR_OK)
        status = begin(call, accounts, &refusal->err);
    if (status != TR_OK)
        return refuse(call, status, refusal);
    call->state = TR_CALL_HOLDING;
    return TR_CALL_TAKEN;
}

/* Correcting. --------------------------------------------------------------*/

static tr_status write_correction(struct tr_db_write *write, struct tr_db *db,
                                  struct tr_err *err)
{
    const struct tr_call_budget_hold *hold =
        (const struct tr_call_budget_hold *)(void *)write;
    return tr_access_budget_correct(hold->accounts, hold->actual, db, err);
}

/*
 * When the correction could not be written, the hold stays as it is, and the
 * call ends all the same.
 */
static void on_corrected(struct tr_db_write *write)
{
    struct tr_call_budget_hold *hold =
        (struct tr_call_budget_hold *)(void *)write;
    struct tr_loop *loop = hold->call->loop;
    tr_call_end(hold->call, &hold->outcome);
    tr_loop_release(loop);
}

static bool is_right(const struct tr_call_budget_hold *hold)
{
    return memcmp(&hold->actual, &hold->accounts->held, sizeof(hold->actual)) ==
           0;
}

bool tr_call_budget_correct(struct tr_call *call,
                            const struct tr_call_outcome *outcome)
{
    struct tr_call_budget_hold *hold = call->budget_hold;
    if (call->state >= TR_CALL_RUNNING) /* else it has used nothing */
        hold->actual = usage_of(call, outcome);
    if (is_right(hold))
        return false;
    hold->outcome = *outcome;
    if (submit(hold, write_correction, on_corrected, NULL) != TR_OK)
        return false;
    call->state = TR_CALL_CORRECTING;
    return true;
}
