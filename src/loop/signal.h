/*
 * loop/signal.h - signals of the process as calls on a loop.
 *
 * Open signals do not keep a loop from ending; close them before it is freed.
 */
#ifndef TR_LOOP_SIGNAL_H
#define TR_LOOP_SIGNAL_H

#include "base/err.h"

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
