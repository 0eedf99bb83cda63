/*
 * loop/thread.h - threads that hear no signals, and signals as calls on a loop.
 *
 * The first thread of the process hears SIGTERM, SIGINT and SIGHUP. If others
 * did, it could not decide when they are heard no more: one that comes while we
 * clean up would end us half-way.
 */
#ifndef TR_LOOP_THREAD_H
#define TR_LOOP_THREAD_H

#include "base/err.h"

#include <pthread.h>

/* Fails with TR_E_LIMIT. */
TR_NODISCARD tr_status tr_thread_start(pthread_t *out, void *(*work)(void *),
                                       void *data, struct tr_err *err);

/* The thread that asks hears them no more. */
void tr_thread_ignore_signals(void);

/*
 * Open signals do not keep a loop from ending; close them before it is freed.
 */
struct tr_loop;
struct tr_signal;

typedef void tr_signal_fn(int number, void *data);

TR_NODISCARD tr_status tr_signal_open(struct tr_loop *loop, int number,
                                      tr_signal_fn *fn, void *data,
                                      struct tr_signal **out,
                                      struct tr_err *err);

/* No call after this; freed by the loop. NULL is allowed. */
void tr_signal_close(struct tr_signal *signal);

#endif
