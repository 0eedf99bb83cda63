/*
 * runtime/turn.h - calls with the same key take turns, in any loop of a
 * process.
 *
 * One of them runs, the others wait for it. Who waits is woken on its own loop
 * when that one has ended, and then begins anew: it finds the result in the
 * store, or it is its turn.
 */
#ifndef TR_RUNTIME_TURN_H
#define TR_RUNTIME_TURN_H

#include "loop/loop.h"
#include "prov/kept.h"

struct tr_turns;

enum tr_turn_state {
    TR_TURN_NONE,
    TR_TURN_OURS,
    TR_TURN_WAITS, /* until another one has ended */
    TR_TURN_WOKEN, /* `woken` is on its way to the loop */
};

/* The caller's, from entering to leaving. */
struct tr_turn {
    struct tr_kept_name name;
    struct tr_loop *loop;
    void (*woken)(struct tr_turn *turn);
    void *data; /* the caller's */

    /* What follows is guarded by the lock of all turns. */
    enum tr_turn_state state;
    struct tr_turn *next;    /* in its bucket, or among those that wait */
    struct tr_turn *runner;  /* of one that waits */
    struct tr_turn *waiters; /* of one that runs */
    struct tr_parcel parcel;
};

TR_NODISCARD tr_status tr_turns_create(struct tr_turns **out,
                                       struct tr_err *err);

/* Nobody may be in it. NULL is allowed. */
void tr_turns_free(struct tr_turns *turns);

/*
 * TR_TURN_OURS: it runs. TR_TURN_WAITS: `woken` will be called, unless it gives
 * up. TR_TURN_NONE: the one that runs has the same key and other arguments.
 */
enum tr_turn_state tr_turn_enter(struct tr_turns *turns, struct tr_turn *turn);

/* One that ran has ended: who waits for it is woken. */
void tr_turn_leave(struct tr_turns *turns, struct tr_turn *turn);

/* One that waits does not want to any more; false: it is being woken. */
bool tr_turn_give_up(struct tr_turns *turns, struct tr_turn *turn);

#endif
