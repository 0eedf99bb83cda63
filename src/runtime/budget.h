/*
 * runtime/budget.h - what calls use, and the budgets that bound it.
 *
 * A call that no budget concerns pays nothing. For any other, the store holds
 * what the call will use (one call, and the cost that its descriptor states)
 * before it runs. A call that has ended has used what its handler says, or, if
 * the handler said nothing and succeeded, what the descriptor states.
 */
#ifndef TR_RUNTIME_BUDGET_H
#define TR_RUNTIME_BUDGET_H

#include "access/authority.h"
#include "runtime/env.h"

/* The limits of the token that the call came with, or NULL. */
static inline const struct tr_access_budget_limits *
tr_call_budget_limits(const struct tr_call *call)
{
    const struct tr_access_authority *authority = call->authority;
    return authority && authority->token_id.len ? &authority->limits : NULL;
}

/* Whether a budget may concern the call. Every call asks, so it is cheap. */
static inline bool tr_call_budget_concerns(const struct tr_call *call)
{
    return call->env && (call->env->budgets || tr_call_budget_limits(call));
}

/* Writes what a call with this outcome has used into its activity. */
void tr_call_budget_note(struct tr_call *call,
                         const struct tr_call_outcome *outcome);

/*
 * Corrects what a call holds to what it has used. True when the correction is
 * being written: then tr_call_end is called when that is done.
 */
bool tr_call_budget_correct(struct tr_call *call,
                            const struct tr_call_outcome *outcome);

/* What a call cost and what is left, for `_meta` of its result, or NULL. */
const struct tr_json *tr_call_budget_summary(const struct tr_call *call);

#endif
