/*
 * runtime/idempotency.h - a call that comes with an idempotency key happens
 * once; for this folder only.
 *
 * Its result is kept in the transaction of its changes
 * (prov/idempotency_store.h). Who sends the key again, as the same principal
 * and with the same arguments, is given that result after policies and input
 * were looked at as ever; while the first one runs, it waits for it. Of two
 * processes the one that lands first wins: the other's changes come to nothing,
 * and it is given the result of the winner.
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

/* Makes the text of what is kept; TR_E_LIMIT when that is too much. */
TR_NODISCARD tr_status tr_call_idempotency_write(
    struct tr_call *call, const struct tr_call_outcome *outcome,
    struct tr_err *err);

/* On the writer's thread: TR_E_CONFLICT when another one was first. */
TR_NODISCARD tr_status tr_call_idempotency_admit(
    struct tr_call_idempotency *idempotency, struct tr_db *db,
    struct tr_arena *arena, struct tr_err *err);
TR_NODISCARD tr_status
tr_call_idempotency_keep(const struct tr_call_idempotency *idempotency,
                         struct tr_db *db, struct tr_err *err);

/* The outcome that was found, or why it cannot be given out. */
void tr_call_idempotency_replay(struct tr_call *call,
                                struct tr_call_outcome *out);

/*
 * Of a call that failed: whether another process was first meanwhile, which may
 * well be why. Then `out` is what that one has kept.
 */
bool tr_call_idempotency_was_second(struct tr_call *call,
                                    struct tr_call_outcome *out);

/* One that waits for its turn has to stop: it ends, now or when it is woken. */
void tr_call_idempotency_give_up(struct tr_call *call);

/* When the call has ended, before anybody is told. */
void tr_call_idempotency_leave(struct tr_call *call);

#endif
