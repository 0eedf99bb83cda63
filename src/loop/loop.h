/*
 * loop/loop.h - one event loop, to be run by one thread.
 *
 * Only tr_loop_stop, tr_loop_post and tr_loop_deliver may be called from other
 * threads. A loop ends when its last handle is closed and no timer is active.
 * Creating one makes the process ignore SIGPIPE: a peer that has gone is an
 * error of the write.
 */
#ifndef TR_LOOP_LOOP_H
#define TR_LOOP_LOOP_H

#include "base/err.h"
#include "base/time.h"

struct tr_loop;
struct uv_loop_s;

/* A field left zero takes the default named beside it. */
struct tr_loop_opts {
    bool test_clock;    /* time stands still but for tr_loop_step */
    size_t inbox_count; /* TR_LIMIT_LOOP_INBOX */
};

/* `opts` may be NULL. */
TR_NODISCARD tr_status tr_loop_create(const struct tr_loop_opts *opts,
                                      struct tr_loop **out, struct tr_err *err);

/* Everything on it must be closed, or closing. NULL is allowed. */
void tr_loop_free(struct tr_loop *loop);

/* Runs until nothing is left on the loop, or until tr_loop_stop. */
void tr_loop_run(struct tr_loop *loop);

/* Does what can be done without waiting; false when nothing is left on it. */
bool tr_loop_turn(struct tr_loop *loop);

/* Makes tr_loop_run return soon; it may run again. From any thread. */
void tr_loop_stop(struct tr_loop *loop);

/* While held, a loop does not end. Each hold needs one release. */
void tr_loop_hold(struct tr_loop *loop);
void tr_loop_release(struct tr_loop *loop);

typedef void tr_loop_post_fn(void *data);

/*
 * Has `fn` called on the loop. Posts of one thread keep their order. Fails with
 * TR_E_LIMIT when the inbox is full. From any thread. What was posted to a loop
 * that has ended waits until it runs again, and is dropped when it is freed.
 */
TR_NODISCARD tr_status tr_loop_post(struct tr_loop *loop, tr_loop_post_fn *fn,
                                    void *data, struct tr_err *err);

/* A post that brings its own memory, which must live until it is called. */
struct tr_loop_parcel {
    tr_loop_post_fn *fn;
    void *data;
    struct tr_loop_parcel *next;
};

/* As tr_loop_post, but cannot fail. Parcels of one thread keep their order. */
void tr_loop_deliver(struct tr_loop *loop, struct tr_loop_parcel *parcel);

/* Milliseconds that only go forward; they stand still within one turn. */
uint64_t tr_loop_now_ms(const struct tr_loop *loop);

/* The time of day, in UTC. With the test clock it steps with it. */
tr_time tr_loop_wall(const struct tr_loop *loop);

/* Moves the test clock; timers that become due are called in their order. */
void tr_loop_step(struct tr_loop *loop, uint64_t ms);

/* The loop of libuv, for the folders that put handles on it. */
struct uv_loop_s *tr_loop_uv(struct tr_loop *loop);

#endif
