/*
 * net/lines.h - cuts a stream of bytes into lines.
 *
 * A line ends with \n, which is not part of it. A line over the maximum is
 * reported once, and dropped. Pure: no I/O.
 */
#ifndef TR_NET_LINES_H
#define TR_NET_LINES_H

#include "base/buf.h"

struct tr_net_lines {
    struct tr_buf rest; /* of a line that has not ended */
    bool skipping;      /* the rest of a line that was too long */
    bool stopped;
};

/*
 * A line, borrowed for the call. `status` is TR_E_LIMIT for one that was too
 * long, TR_E_NOMEM for one that could not be kept; `line` is empty then.
 */
typedef void tr_net_line_fn(void *data, tr_status status, tr_str line);

/* `max_bytes` of one line; 0 takes TR_LIMIT_LINE_BYTES. */
void tr_net_lines_init(struct tr_net_lines *lines, size_t max_bytes);
void tr_net_lines_done(struct tr_net_lines *lines);

/* Calls `fn` for each line that ends in `bytes`. Not from inside `fn`. */
void tr_net_lines_feed(struct tr_net_lines *lines, tr_str bytes,
                       tr_net_line_fn *fn, void *data);

/* The stream has ended: calls `fn` for a last line without \n, if any. */
void tr_net_lines_end(struct tr_net_lines *lines, tr_net_line_fn *fn,
                      void *data);

/* From inside `fn`: it is not called again by this feed. */
void tr_net_lines_stop(struct tr_net_lines *lines);

#endif
