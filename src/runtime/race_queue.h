/*
 * runtime/race_queue.h - calls that were too late take turns, in any loop of a
 * process.
 *
 * A call that failed because somebody else was first (graph/race.h) enters with
 * the keys it failed on, and has the turn when none that entered before it has
 * one of them, and nobody is at work on one. It enters on the writer's thread,
 * in the moment in which it is refused: what landed before that is there when
 * it reads again, and what comes after is refused until it leaves. So its next
 * try lands, unless another process is first.
 *
 * Nobody waits in a circle: the order in which calls have entered decides, and
 * who needs more keys keeps its place and waits for them.
 */
#ifndef TR_RUNTIME_RACE_QUEUE_H
#define TR_RUNTIME_RACE_QUEUE_H

#include "loop/loop.h"
#include "runtime/env.h"

struct tr_call_race_turn;
struct tr_call_race_queue;

/* A place in the queue of a slot; keys of one slot stand for each other. */
struct tr_call_race_entry {
    struct tr_call_race_turn *turn;
    uint32_t slot;
    struct tr_call_race_entry *next;
    struct tr_call_race_entry *prev;
};

/* Belongs to the caller, who keeps it from entering to leaving. */
struct tr_call_race_turn {
    struct tr_loop *loop;
    void (*woken)(
        struct tr_call_race_turn *turn); /* on the loop: it is its turn */
    void *data;                          /* the caller's */

    /* What follows is guarded by the lock of the queue. */
    uint64_t number; /* lower ones entered before; 0: it has not */
    bool is_running; /* it is its turn */
    bool is_awaited; /* `woken` has to be called */
    size_t count;
    struct tr_call_race_entry places[TR_LIMIT_RIVALS];
    struct tr_loop_parcel parcel;
};

/* Enters, or adds keys when it has entered; from any thread. */
void tr_call_race_queue_enter(struct tr_call_race_queue *queue,
                              struct tr_call_race_turn *turn,
                              const struct tr_graph_race *race);

/* Whether it is its turn; when not, `woken` is called later. */
bool tr_call_race_queue_await(struct tr_call_race_queue *queue,
                              struct tr_call_race_turn *turn);

/* Leaves, also when it waits; false when `woken` is on its way: then it has
 * not left. */
bool tr_call_race_queue_leave(struct tr_call_race_queue *queue,
                              struct tr_call_race_turn *turn);

/* Whether another than `turn` has entered for a key, or, with NULL, for any;
 * from any thread. */
bool tr_call_race_queue_is_taken(struct tr_call_race_queue *queue,
                                 const struct tr_call_race_turn *turn,
                                 const uint64_t *key);

#endif
