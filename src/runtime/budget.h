/*
 * runtime/budget.h - what calls use, and the budgets that bound it.
 *
 * A call that no budget concerns pays nothing. Of the others, what it will use
 * (one call, and what its descriptor says that it costs) is held in the
 * store before it runs. When it has ended it has used what its handler says, or
 * what the descriptor says if it succeeded.
 */
#ifndef TR_RUNTIME_BUDGET_H
#define TR_RUNTIME_BUDGET_H

#include "access/authority.h"
#include "runtime/env.h"

/* Of the token that it came with, or NULL. */
static inline const struct tr_access_budget_limits *
tr_call_budget_limits(const struct tr_call *call)
{
    const struct tr_access_authority *authority = call->authority;
    return authority && authority->token_id.len ? &authority->limits : NULL;
}

/* Whether a budget may concern it; of every call this is asked. */
static inline bool tr_call_budget_concerns(const struct tr_call *call)
{
    return call->env && (call->env->budgets || tr_call_budget_limits(call));
}

/* What a call with this outcome has used; for its activity. */
void tr_call_budget_note(struct tr_call *call,
                         const struct tr_call_outcome *outcome);

/*
 * Corrects what a call holds to what it has used. True when that is on its way:
 * then tr_call_end is called later.
 */
bool tr_call_budget_correct(struct tr_call *call,
                            const struct tr_call_outcome *outcome);

/* For `_meta` of a result: what it cost and what is left; NULL: nothing. */
const struct tr_json *tr_call_budget_summary(const struct tr_call *call);

#endif
