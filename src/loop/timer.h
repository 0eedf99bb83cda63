/*
 * loop/timer.h - calls at a later time, and at the end of a turn.
 *
 * The caller owns the structs and stops them before they go; starting and
 * stopping cannot fail and need no memory. Only on the loop's thread.
 */
#ifndef TR_LOOP_TIMER_H
#define TR_LOOP_TIMER_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

struct tr_loop;

typedef void tr_loop_timer_fn(void *data);

struct tr_loop_timer {
    struct tr_loop *loop;
    tr_loop_timer_fn *fn;
    void *data;
    uint64_t due_ms;
    uint64_t period_ms; /* 0: once */
    uint64_t order;     /* of timers due together, the first started is first */
    struct tr_loop_timer *child;
    struct tr_loop_timer *next;
    struct tr_loop_timer *prev; /* its left neighbour, or its parent */
    bool active;
};

void tr_loop_timer_init(struct tr_loop_timer *timer, struct tr_loop *loop,
                        tr_loop_timer_fn *fn, void *data);

/* Calls after `delay_ms`, then every `period_ms` unless that is 0. Restarts. */
void tr_loop_timer_start(struct tr_loop_timer *timer, uint64_t delay_ms,
                         uint64_t period_ms);

/* Allowed from the timer's own call, and when it is not active. */
void tr_loop_timer_stop(struct tr_loop_timer *timer);

/* Work that is gathered during a turn and done before the loop waits. */
struct tr_loop_tick {
    tr_loop_timer_fn *fn;
    void *data;
    struct tr_loop_tick *next;
    struct tr_loop_tick **link; /* what points here; NULL when not added */
};

void tr_loop_tick_init(struct tr_loop_tick *tick, tr_loop_timer_fn *fn,
                       void *data);

/* The tick is called once, however often it is added in one turn. */
void tr_loop_tick_add(struct tr_loop_tick *tick, struct tr_loop *loop);
void tr_loop_tick_remove(struct tr_loop_tick *tick);

#endif
