/*
 * runtime/idempotency_queue.h - calls with the same idempotency key take turns,
 * in any loop of a process.
 *
 * One of them runs, the others wait for it. A call that waits is woken on its
 * own loop when the one that runs has ended, and then begins anew: it finds the
 * result in the store, or it is its turn.
 */
#ifndef TR_RUNTIME_IDEMPOTENCY_QUEUE_H
#define TR_RUNTIME_IDEMPOTENCY_QUEUE_H

#include "loop/loop.h"
#include "prov/idempotency_store.h"
#include "runtime/env.h"

struct tr_call_idempotency_queue;

enum tr_call_idempotency_state {
    TR_CALL_IDEMPOTENCY_NONE,
    TR_CALL_IDEMPOTENCY_OURS,
    TR_CALL_IDEMPOTENCY_WAITS, /* until another one has ended */
    TR_CALL_IDEMPOTENCY_WOKEN, /* `woken` is on its way to the loop */
};

/* Belongs to the caller, who keeps it from entering to leaving. */
struct tr_call_idempotency_turn {
    struct tr_prov_idempotency_name name;
    struct tr_loop *loop;
    void (*woken)(struct tr_call_idempotency_turn *turn);
    void *data; /* the caller's */

    /* What follows is guarded by the lock of the queue. */
    enum tr_call_idempotency_state state;
    struct tr_call_idempotency_turn *next;    /* of its bucket or its waiters */
    struct tr_call_idempotency_turn *runner;  /* of one that waits */
    struct tr_call_idempotency_turn *waiters; /* of one that runs */
    struct tr_loop_parcel parcel;
};

/*
 * TR_CALL_IDEMPOTENCY_OURS: the caller runs. TR_CALL_IDEMPOTENCY_WAITS: `woken`
 * will be called, unless the caller gives up. TR_CALL_IDEMPOTENCY_NONE: the
 * call that runs has the same key and other arguments.
 */
enum tr_call_idempotency_state
tr_call_idempotency_queue_enter(struct tr_call_idempotency_queue *queue,
                                struct tr_call_idempotency_turn *turn);

/* A turn that ran has ended: those that wait for it are woken. */
void tr_call_idempotency_queue_leave(struct tr_call_idempotency_queue *queue,
                                     struct tr_call_idempotency_turn *turn);

/* A turn that waits gives up; false when it is being woken already. */
bool tr_call_idempotency_queue_give_up(struct tr_call_idempotency_queue *queue,
                                       struct tr_call_idempotency_turn *turn);

#endif
