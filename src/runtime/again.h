/*
 * runtime/again.h - a call that failed because somebody else was first is run
 * again; for this folder only.
 *
 * That is so while it has tries left, has asked nobody and was given none of
 * the versions that it failed on. Its stages that look at the graph are passed
 * again, and its handler runs with a fresh graph and journal; what it holds of
 * budgets, its idempotency key, its time and its activity stay those of the one
 * call that it is. docs/decisions/0024 says why.
 */
#ifndef TR_RUNTIME_AGAIN_H
#define TR_RUNTIME_AGAIN_H

#include "runtime/env.h"

/* Whether a call can be run again, whatever it will fail on. */
bool tr_call_may_repeat(const struct tr_call *call);

/* Has the landing of a call leave to others what is their turn. */
void tr_call_respect_rivals(struct tr_call *call,
                            struct tr_graph_landing *landing);

/*
 * The landing was refused because of a race. On the writer's thread: takes a
 * place among those that wait.
 */
void tr_call_lost_race(struct tr_call *call, const struct tr_graph_race *race);

/*
 * Afterwards, on the loop: true when the call waits for its turn, or runs
 * again. Then nothing may be done to it.
 */
bool tr_call_repeat(struct tr_call *call);

/*
 * The same for a handler that has failed with `outcome`, if a change was
 * refused at once because of a race and it did not handle that.
 */
bool tr_call_repeat_handler(struct tr_call *call,
                            const struct tr_call_outcome *outcome);

/* A call that waits for its turn has to stop: it ends, now or when it is
 * woken. */
void tr_call_repeat_give_up(struct tr_call *call);

/* Lets others have their turn, when the call has ended. */
void tr_call_repeat_leave(struct tr_call *call);

#endif
