/*
 * loop/thread.h - what runs beside a loop: threads, signals that become calls
 * on the loop, and jobs that worker threads run for it.
 *
 * The first thread of the process hears SIGTERM, SIGINT and SIGHUP. If others
 * did, it could not decide when they are heard no more: a signal that comes
 * while the process cleans up would end it half-way.
 */
#ifndef TR_LOOP_THREAD_H
#define TR_LOOP_THREAD_H

#include "base/err.h"
#include "loop/timer.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* Starts a thread that hears no signals. Fails with TR_E_LIMIT. */
TR_NODISCARD tr_status tr_loop_thread_start(pthread_t *out,
                                            void *(*work)(void *), void *data,
                                            struct tr_err *err);

/* From now on, the calling thread hears no signals. */
void tr_loop_thread_ignore_signals(void);

/*
 * While the first thread does long work outside of its loop, signals wait, and
 * it can ask whether one has come that ends the process. `before` is for the
 * end.
 */
void tr_loop_thread_hold_signals(sigset_t *before);
void tr_loop_thread_free_signals(const sigset_t *before);
bool tr_loop_thread_is_told_to_end(void);

struct tr_loop;
struct tr_loop_signal;

typedef void tr_loop_signal_fn(int number, void *data);

/*
 * Has `fn` called on the loop for each signal `number`. An open signal does not
 * keep the loop from ending; close it before the loop is freed.
 */
TR_NODISCARD tr_status tr_loop_signal_open(struct tr_loop *loop, int number,
                                           tr_loop_signal_fn *fn, void *data,
                                           struct tr_loop_signal **out,
                                           struct tr_err *err);

/* No call after this; freed by the loop. NULL is allowed. */
void tr_loop_signal_close(struct tr_loop_signal *signal);

/*
 * A job is a plain function that a worker thread runs for a loop, and the
 * caller's struct. From tr_loop_job_start to its `done` it belongs
 * to the pool: the caller may only cancel it. `done` is called exactly once, on
 * the loop that started it, whatever happened; the loop does not end before.
 */

struct tr_loop_pool;
struct tr_loop_job;

typedef void tr_loop_job_fn(struct tr_loop_job *job);

struct tr_loop_job {
    tr_loop_job_fn *run;  /* on a worker; looks at tr_loop_job_is_cancelled */
    tr_loop_job_fn *done; /* on the loop; `status` tells how it went */
    void *data;           /* the caller's */
    uint64_t deadline_ms; /* from start to end; 0: none */
    tr_status status;     /* TR_E_CANCELLED, TR_E_TIMEOUT, or TR_OK: it ran */
    struct tr_loop_pool *pool;
    struct tr_loop *loop;
    struct tr_loop_job *next;
    struct tr_loop_timer timer;
    _Atomic int ended_as; /* a tr_status: why it should stop, TR_OK if not */
};

/* `threads` workers; at most `queue_max` jobs wait (0: TR_LIMIT_JOBS_QUEUED).
 */
TR_NODISCARD tr_status tr_loop_pool_create(unsigned threads, size_t queue_max,
                                           struct tr_loop_pool **out,
                                           struct tr_err *err);

/* Every job's `done` must have been called. NULL is allowed. */
void tr_loop_pool_free(struct tr_loop_pool *pool);

/* TR_E_LIMIT when too many wait; then `done` is not called. */
TR_NODISCARD tr_status tr_loop_job_start(struct tr_loop_job *job,
                                         struct tr_loop_pool *pool,
                                         struct tr_loop *loop,
                                         struct tr_err *err);

/* Asks it to stop; a job that still waits is not run. On its loop only. */
void tr_loop_job_cancel(struct tr_loop_job *job);

/* Whether it was cancelled or is over its deadline. From any thread. */
bool tr_loop_job_is_cancelled(struct tr_loop_job *job);

#endif
