/*
 * loop/thread.h - threads that hear no signals.
 *
 * The first thread of the process hears SIGTERM, SIGINT and SIGHUP
 * (loop/signal.h). If others did, it could not decide when they are heard no
 * more: one that comes while we clean up would end us half-way.
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

#endif
