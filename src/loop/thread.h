/*
 * loop/thread.h - what runs beside a loop: threads, and signals that become
 * calls on the loop.
 *
 * The first thread of the process hears SIGTERM, SIGINT and SIGHUP. If others
 * did, it could not decide when they are heard no more: a signal that comes
 * while the process cleans up would end it half-way.
 */
#ifndef TR_LOOP_THREAD_H
#define TR_LOOP_THREAD_H

#include "base/err.h"

#include <pthread.h>
#include <signal.h>

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

#endif
