/*
 * runtime/idempotency.h - a call that comes with an idempotency key happens
 * once; for this folder only.
 *
 * The result of the call is kept in the transaction of its changes
 * (prov/idempotency_store.h). A call with the same key, principal and arguments
 * is given that result, after policies and input were checked as for any other;
 * while the first call runs, it waits. Of two processes the one that lands
 * first wins: the other's changes come to nothing, and it is given the result
 * of the winner.
 */
#ifndef TR_RUNTIME_IDEMPOTENCY_H
#define TR_RUNTIME_IDEMPOTENCY_H

#include "runtime/call.h"
#include "runtime/idempotency_queue.h"

struct tr_db;

struct tr_call_idempotency {
    struct tr_call_idempotency_turn turn;
    int64_t now_s;
    tr_str result;                           /* to be kept, once it is known */
    struct tr_prov_idempotency_result found; /* of another call, if so */
};

/*
 * Writes the outcome as the text that will be kept; TR_E_LIMIT when that is too
 * long.
 */
TR_NODISCARD tr_status tr_call_idempotency_write(
    struct tr_call *call, const struct tr_call_outcome *outcome,
    struct tr_err *err);

/*
 * Both run on the writer's thread, before and after the changes of the call.
 * The first fails with TR_E_CONFLICT when another call has kept a result.
 */
TR_NODISCARD tr_status tr_call_idempotency_admit(
    struct tr_call_idempotency *idempotency, struct tr_db *db,
    struct tr_arena *arena, struct tr_err *err);
TR_NODISCARD tr_status
tr_call_idempotency_keep(const struct tr_call_idempotency *idempotency,
                         struct tr_db *db, struct tr_err *err);

/* Gives the outcome that was found, or why it cannot be given out. */
void tr_call_idempotency_replay(struct tr_call *call,
                                struct tr_call_outcome *out);

/*
 * Whether another process was first, asked after a call has failed: that may be
 * why it did. Then `out` is what the other call has kept.
 */
bool tr_call_idempotency_was_second(struct tr_call *call,
                                    struct tr_call_outcome *out);

/*
 * A call that waits for its turn has to stop: it ends, now or when it is woken.
 */
void tr_call_idempotency_give_up(struct tr_call *call);

/*
 * Lets the next call with this key run. Called when a call has ended, before
 * its door is told.
 */
void tr_call_idempotency_leave(struct tr_call *call);

#endif
