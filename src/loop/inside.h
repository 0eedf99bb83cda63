/*
 * loop/inside.h - what a loop is made of; for the files of loop/ only.
 */
#ifndef TR_LOOP_INSIDE_H
#define TR_LOOP_INSIDE_H

#include "loop/loop.h"
#include "loop/thread.h"
#include "loop/timer.h"

#include <uv.h>

struct tr_loop_posted {
    tr_loop_post_fn *fn;
    void *data;
};

struct tr_loop {
    uv_loop_t uv;
    uv_async_t wake;          /* referenced only while the loop is held */
    uv_prepare_t before_wait; /* does the ticks */
    uv_timer_t alarm;         /* for the first of `timers` */
    uv_idle_t next_turn;      /* instead of the alarm, when it is due already */
    bool has_test_clock;
    uint64_t test_now_ms;
    struct tr_loop_timer *timers; /* a pairing heap, first due on top */
    uint64_t timer_order;
    struct tr_loop_tick *ticks;
    unsigned holds;

    /* Other threads post, so what follows is used under the lock only. */
    uv_mutex_t lock;
    struct tr_loop_posted *inbox; /* a ring */
    size_t inbox_cap;
    size_t inbox_first;
    size_t inbox_count;
    struct tr_loop_parcel *parcels; /* first to be called */
    struct tr_loop_parcel *last_parcel;
    bool stopping;
};

/* Sets the alarm for the first timer, or takes it back. */
void tr_loop_timers_arm(struct tr_loop *loop);

/* Calls the timers that are due at `until_ms`. */
void tr_loop_timers_fire(struct tr_loop *loop, uint64_t until_ms);

/* Runs the ticks that were added during the turn. */
void tr_loop_ticks_run(struct tr_loop *loop);

#endif
