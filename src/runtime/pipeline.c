/*
 * The pipeline: which stages there are, in which order, and who needs them.
 */
#include "access/budget.h"
#include "cap/cap.h"
#include "runtime/budget.h"
#include "runtime/stage.h"

static void let_pass(const struct tr_cap_handler *handler, struct tr_call *call)
{
    const struct tr_call_outcome nothing = {0};
    (void)handler;
    tr_call_finish(call, &nothing);
}

const struct tr_cap_handler tr_call_pass = {.run = let_pass};

static enum tr_call_passage run_handler(struct tr_call *call,
                                        struct tr_call_outcome *refusal)
{
    (void)refusal;
    call->state = TR_CALL_RUNNING;
    call->handler->run(call->handler, call);
    return TR_CALL_TAKEN;
}

/*
 * docs/decisions/0016, row by row. A stage has the index of its constant, and a
 * call passes them from the lowest on: the two lists are in one order.
 */
static tr_call_stage_fn *const stages[] = {
    [TR_CALL_STAGE_AUTHORISE] = tr_call_stage_authorise,
    [TR_CALL_STAGE_RETIRED] = tr_call_stage_retired,
    [TR_CALL_STAGE_POLICIES] = tr_call_stage_policies,
    [TR_CALL_STAGE_IDEMPOTENCY_ARGUMENT] = tr_call_stage_idempotency_argument,
    [TR_CALL_STAGE_INPUT] = tr_call_stage_input,
    [TR_CALL_STAGE_IDEMPOTENCY] = tr_call_stage_idempotency,
    [TR_CALL_STAGE_PRECONDITIONS] = tr_call_stage_preconditions,
    [TR_CALL_STAGE_BUDGETS] = tr_call_stage_budgets,
    [TR_CALL_STAGE_HANDLER] = run_handler,
};

#define STAGE(name) (1U << TR_CALL_STAGE_##name)

/* That no budget sees, since it neither invokes nor spends. */
#define EVERYTHING (TR_ACCESS_CALLS | TR_ACCESS_SPENT)

/*
 * One row for each kind of door. A policy is no door: it decides on a call that
 * has been let in.
 */
static const struct tr_call_rules rules[TR_CALL_KINDS] = {
    [TR_CALL_CAPABILITY] = {"a capability", "tool",
                            STAGE(AUTHORISE) | STAGE(INPUT) | STAGE(HANDLER),
                            true, 0, TR_PROV_ACTIVITY_TOOL},
    [TR_CALL_META] = {"a meta-capability", "tool",
                      STAGE(AUTHORISE) | STAGE(INPUT) | STAGE(HANDLER), true, 0,
                      TR_PROV_ACTIVITY_META},
    [TR_CALL_RESOURCE] = {"a resource", "uri",
                          STAGE(AUTHORISE) | STAGE(HANDLER), false, 0,
                          TR_PROV_ACTIVITY_RESOURCE},
    [TR_CALL_PROMPT] = {"a prompt", "prompt",
                        STAGE(AUTHORISE) | STAGE(INPUT) | STAGE(HANDLER), false,
                        0, TR_PROV_ACTIVITY_PROMPT},
    [TR_CALL_COMPLETION] = {"a completion", "ref",
                            STAGE(AUTHORISE) | STAGE(HANDLER), false,
                            TR_ACCESS_CALLS, TR_PROV_ACTIVITY_COMPLETION},
    [TR_CALL_SUBSCRIPTION] = {"a subscription", "uri",
                              STAGE(AUTHORISE) | STAGE(HANDLER), false,
                              EVERYTHING, 0},
    [TR_CALL_POLICY] = {"a policy", "policy", STAGE(HANDLER), false, EVERYTHING,
                        TR_PROV_ACTIVITY_POLICY},
};

const struct tr_call_rules *tr_call_rules_of(const struct tr_call *call)
{
    return &rules[call->kind];
}

/* Whatever is in between was invoked, so that it is a capability. */
const char *tr_call_may_not_write(struct tr_call *call)
{
    const struct tr_call_rules *own = &rules[call->kind];
    const struct tr_call_rules *first = &rules[tr_call_root(call)->kind];
    return !own->may_write ? own->noun : !first->may_write ? first->noun : NULL;
}

/*
 * This is asked once for each call, so that a stage which the call does not
 * need costs some instructions here (bench/stages.c counts them) and nothing on
 * the way. The stage of the idempotency key is added when a call brings one.
 */
unsigned tr_call_stages_of(const struct tr_call *call)
{
    const struct tr_cap *cap = call->cap;
    const struct tr_cap_guard *guard = tr_call_guard_at_once(call);
    unsigned needed = rules[call->kind].stages;
    if (rules[call->kind].uncounted != EVERYTHING &&
        tr_call_budget_concerns(call))
        needed |= STAGE(BUDGETS);
    if (guard && guard->policy_required.count)
        needed |= STAGE(POLICIES);
    if (!cap)
        return needed;
    if (cap->version_status == TR_CAP_VERSION_RETIRED)
        needed |= STAGE(RETIRED);
    if (cap->idempotent || call->given_idempotency_key)
        needed |= STAGE(IDEMPOTENCY_ARGUMENT);
    if (cap->precondition_count)
        needed |= STAGE(PRECONDITIONS);
    return needed;
}

/* The lowest bit is the next stage. */
static tr_call_stage_fn *take_stage(struct tr_call *call)
{
    unsigned left = call->stages;
    call->stages = left & (left - 1);
    return stages[__builtin_ctz(left)];
}

void tr_call_next(struct tr_call *call)
{
    struct tr_call_outcome refusal = {0};
    enum tr_call_passage passage =
        tr_call_is_stopped(call) ? TR_CALL_REFUSED : TR_CALL_PASSED;
    while (passage == TR_CALL_PASSED)
        passage = take_stage(call)(call, &refusal);
    if (passage == TR_CALL_REFUSED)
        tr_call_finish(call, &refusal);
}
