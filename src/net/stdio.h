/*
 * net/stdio.h - standard input and output as one stream.
 */
#ifndef TR_NET_STDIO_H
#define TR_NET_STDIO_H

#include "net/stream.h"

/*
 * Reserves standard output for the protocol: from now on, what the process
 * prints goes to standard error. To be called once.
 */
TR_NODISCARD tr_status tr_stdio_open(struct tr_loop *loop, size_t max_queue,
                                     struct tr_stream **out,
                                     struct tr_err *err);

#endif
