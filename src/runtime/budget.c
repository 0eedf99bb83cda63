#include "runtime/budget.h"

#include "access/budget.h"
#include "base/limits.h"
#include "cap/cap.h"
#include "loop/loop.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

static int64_t bounded(int64_t amount)
{
    return amount < TR_LIMIT_USED ? amount : TR_LIMIT_USED;
}

void tr_call_budget_add(struct tr_call *call, struct tr_call_used more)
{
    for (; call; call = call->parent) {
        call->used.is_said |= more.is_said;
        call->used.tokens = bounded(call->used.tokens + more.tokens);
        call->used.micro_usd = bounded(call->used.micro_usd + more.micro_usd);
    }
}

tr_status tr_call_budget_use(struct tr_call *call, int64_t tokens, double usd,
                             struct tr_err *err)
{
    int64_t micro_usd = tr_access_usage_of_usd(usd);
    if (tokens < 0 || !(usd >= 0))
        return tr_fail(err, TR_E_INVALID, "what is spent is not negative");
    if (tokens > TR_LIMIT_USED || micro_usd >= TR_LIMIT_USED)
        return tr_fail(err, TR_E_LIMIT, "that is more than one call can spend");
    tr_call_budget_add(call, (struct tr_call_used){true, tokens, micro_usd});
    return TR_OK;
}

static tr_access_usage stated(const struct tr_call *call)
{
    if (!call->cap)
        return (tr_access_usage){{1, 0, 0}};
    const struct tr_cap_cost *cost = &call->cap->cost;
    return (tr_access_usage){
        {1, bounded(cost->tokens), tr_access_usage_of_usd(cost->usd)}};
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What a call has used, its earlier rounds and those it invoked included. */
static tr_access_usage total_of(const struct tr_call *call,
                                const struct tr_call_outcome *outcome)
{
    tr_access_usage total = {{1, call->used.tokens, call->used.micro_usd}};
    if (call->used.is_said || !tr_call_outcome_is_success(outcome))
        return total;
    tr_access_usage usage = stated(call);
    for (size_t i = 0; i < TR_CONFIG_BUDGET_UNITS; i++)
        total.of[i] = greater(total.of[i], usage.of[i]);
    return total;
}

/* What is left to pay of it; the handler of a round says again what it used. */
static tr_access_usage less(tr_access_usage usage, struct tr_call_used paid)
{
    int64_t *tokens = &usage.of[TR_CONFIG_BUDGET_TOKENS];
    int64_t *micro_usd = &usage.of[TR_CONFIG_BUDGET_USD];
    *tokens = greater(*tokens - paid.tokens, 0);
    *micro_usd = greater(*micro_usd - paid.micro_usd, 0);
    return usage;
}

static tr_access_usage usage_of(struct tr_call *call,
                                const struct tr_call_outcome *outcome)
{
    return less(total_of(call, outcome), tr_call_round_paid_so_far(call));
}

/* Most calls cost nothing, and need not find out what. */
static bool is_free(const struct tr_call *call)
{
    const struct tr_cap *cap = call->cap;
    return !call->used.tokens && !call->used.micro_usd &&
           !(cap && (cap->cost.tokens || cap->cost.usd > 0));
}

void tr_call_budget_note(struct tr_call *call,
                         const struct tr_call_outcome *outcome)
{
    struct tr_prov_activity_cost *cost = &call->activity.cost;
    if (is_free(call))
        return;
    tr_access_usage usage = usage_of(call, outcome);
    cost->tokens = (uint64_t)usage.of[TR_CONFIG_BUDGET_TOKENS];
    cost->micro_usd = (uint64_t)usage.of[TR_CONFIG_BUDGET_USD];
}

/* What its handler said has been added to those above it already. */
void tr_call_budget_pass_on(struct tr_call *call,
                            const struct tr_call_outcome *outcome)
{
    if (call->state < TR_CALL_RUNNING)
        return;
    tr_access_usage total = total_of(call, outcome);
    tr_access_usage rest = less(total, call->used);
    tr_call_budget_add(
        call->parent,
        (struct tr_call_used){.tokens = rest.of[TR_CONFIG_BUDGET_TOKENS],
                              .micro_usd = rest.of[TR_CONFIG_BUDGET_USD]});
    call->used.tokens = total.of[TR_CONFIG_BUDGET_TOKENS];
    call->used.micro_usd = total.of[TR_CONFIG_BUDGET_USD];
    if (call->budget_hold)
        tr_call_round_keep(call);
}

/* Holding. -----------------------------------------------------------------*/

static enum tr_call_passage refuse(struct tr_call *call, tr_status status,
                                   struct tr_call_outcome *refusal)
{
    refusal->status = status;
    if (status == TR_E_BUDGET)
        refusal->data =
            tr_call_budget_exhausted(call, call->budget_hold->accounts);
    call->budget_hold = NULL; /* nothing is held */
    return TR_CALL_REFUSED;
}

/* What was paid before is neither asked for nor held again. */
static void leave_out(struct tr_call_budget_hold *hold,
                      struct tr_call_used paid)
{
    struct tr_access_budget_accounts *accounts = hold->accounts;
    accounts->held = less(accounts->held, paid);
    for (size_t i = 0; i < TR_ACCESS_BUDGET_LEVELS; i++)
        accounts->left_out[i] |= TR_ACCESS_CALLS;
}

/* On the writer's thread, while the call waits; perhaps twice. */
static tr_status write_hold(struct tr_db_write *write, struct tr_db *db,
                            struct tr_err *err)
{
    struct tr_call_budget_hold *hold =
        (struct tr_call_budget_hold *)(void *)write;
    struct tr_access_budget_accounts *accounts = hold->accounts;
    struct tr_call_used paid;
    bool is_first = false;
    accounts->held = stated(hold->call);
    if (hold->round.len) {
        TR_TRY(tr_access_budget_claim(hold->round, accounts->now_s, db,
                                      &is_first, err));
        hold->claim = is_first ? TR_CALL_CLAIM_OURS : TR_CALL_CLAIM_TAKEN;
    }
    if (hold->claim == TR_CALL_CLAIM_OURS &&
        tr_call_round_paid(hold->call, hold->claim, &paid))
        leave_out(hold, paid);
    return tr_access_budget_hold(accounts, db, err);
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
        tr_call_root(call)->round.claim = hold->claim;
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

/*
 * What a handler invokes is a call of its capability. For the caller it is a
 * part of the call that a door started, which pays for what is spent, and is
 * itself the call that counts, unless that is a completion, which is none.
 */
static unsigned left_out_of_caller(const struct tr_call *call)
{
    unsigned left_out = tr_call_rules_of(call)->uncounted;
    if (call->parent)
        left_out |= TR_ACCESS_SPENT;
    for (const struct tr_call *above = call->parent; above;
         above = above->parent)
        left_out |= TR_ACCESS_CALLS & ~tr_call_rules_of(above)->uncounted;
    return left_out;
}

static tr_status find_accounts(struct tr_call *call,
                               struct tr_access_budget_accounts **out,
                               struct tr_err *err)
{
    const struct tr_access_budget_for what = {
        .principal = call->principal,
        .capability = tr_call_budget_account(call),
        .token_id = call->authority ? call->authority->token_id : TR_STR(""),
        .limits = tr_call_budget_limits(call),
        .left_out_of_capability = tr_call_rules_of(call)->uncounted,
        .left_out_of_caller = left_out_of_caller(call),
    };
    return tr_access_budget_find(call->arena,
                                 tr_cap_snapshot_live(call->snapshot)->budgets,
                                 &what, out, err);
}

/* Without a name nobody can say whether somebody has come with it before. */
static void take_up_round(struct tr_call_budget_hold *hold)
{
    const struct tr_call_round *round = &tr_call_root(hold->call)->round;
    hold->claim = round->claim;
    if (!round->paid || round->claim != TR_CALL_CLAIM_OPEN)
        return;
    hold->round = tr_call_round_name(hold->call);
    if (!hold->round.len)
        hold->claim = TR_CALL_CLAIM_TAKEN;
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
    hold->call = call;
    hold->accounts = accounts;
    take_up_round(hold);
    call->budget_hold = hold;
    return submit(hold, write_hold, on_held, err);
}

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
    if (call->state >= TR_CALL_RUNNING ||
        call->retried) /* else it has used nothing */
        hold->actual = usage_of(call, outcome);
    if (is_right(hold))
        return false;
    hold->outcome = *outcome;
    if (submit(hold, write_correction, on_corrected, NULL) != TR_OK)
        return false;
    call->state = TR_CALL_CORRECTING;
    return true;
}
