/*
 * runtime/process_turn.h - the turns of race_queue.h, among the processes that
 * have one store.
 *
 * A turn is a lock on a byte of a file that all of them have open; a process
 * that ends gives back what it has. Nothing waits: who does not get its turn
 * asks again later. Who asks first is the next, so that a process which has
 * many calls in its queue cannot keep the others out.
 */
#ifndef TR_RUNTIME_PROCESS_TURN_H
#define TR_RUNTIME_PROCESS_TURN_H

#include "graph/kg.h"

struct tr_call_process_turn {
    uint32_t locks[TR_LIMIT_RIVALS]; /* ascending */
    size_t count;
    bool is_next;
    bool is_ours;
};

/* What to take turns for, when none is held. */
void tr_call_process_turn_want(struct tr_call_process_turn *turn,
                               const struct tr_graph_race *race);

/* Whether it is its turn now. */
bool tr_call_process_turn_take(struct tr_call_process_turn *turn, int file);

/* Gives back all that it has, and its place. */
void tr_call_process_turn_leave(struct tr_call_process_turn *turn, int file);

#endif
