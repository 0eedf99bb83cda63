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
#include "access/budget.h"
#include "cap/live.h"
#include "runtime/env.h"

/* What a call holds of its budgets, and the write of it; for budget.c. */
struct tr_call_budget_hold {
    struct tr_db_write write; /* first: what `done` gets */
    struct tr_call *call;
    struct tr_access_budget_accounts *accounts;
    tr_str round;             /* whose payment is to be claimed, or "" */
    enum tr_call_claim claim; /* what is known of it, or found out */
    tr_access_usage actual;
    struct tr_call_outcome outcome; /* kept while the hold is corrected */
};

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
    return call->env && (tr_cap_snapshot_live(call->snapshot)->budgets ||
                         tr_call_budget_limits(call));
}

/* A call has ended: those above it have used what it has. */
void tr_call_budget_pass_on(struct tr_call *call,
                            const struct tr_call_outcome *outcome);

/* The name of what earlier rounds have paid, or "": there is nothing. */
tr_str tr_call_round_name(struct tr_call *call);

/*
 * What earlier rounds have paid for this call; false when they have not, or
 * when somebody else has made use of it. `claim` is what is known of that.
 */
bool tr_call_round_paid(struct tr_call *call, enum tr_call_claim claim,
                        struct tr_call_used *out);

/* As far as it is known; nothing when they have not. */
struct tr_call_used tr_call_round_paid_so_far(struct tr_call *call);

/* Keeps what an invocation was charged with, for the rounds that follow. */
void tr_call_round_keep(struct tr_call *call);

/* A call is run again: what those that it invoked have paid stays paid. */
void tr_call_round_repeat(struct tr_call *root);

/* Writes what a call with this outcome has used into its activity. */
void tr_call_budget_note(struct tr_call *call,
                         const struct tr_call_outcome *outcome);

/*
 * Corrects what a call holds to what it has used. True when the correction is
 * being written: then tr_call_end is called when that is done.
 */
bool tr_call_budget_correct(struct tr_call *call,
                            const struct tr_call_outcome *outcome);

/* Whose budget of a capability concerns the call. */
tr_str tr_call_budget_account(const struct tr_call *call);

/* {principal, capability, budget, spent, retry_after_s}, or NULL. */
const struct tr_json *
tr_call_budget_exhausted(const struct tr_call *call,
                         const struct tr_access_budget_accounts *accounts);

/* What a call cost and what is left, for `_meta` of its result, or NULL. */
const struct tr_json *tr_call_budget_summary(struct tr_call *call);

#endif
