/*
 * http/sse.h - a response that is a stream of events (WHATWG HTML, 9.2).
 *
 * The stream stands for its exchange from tr_http_sse_open on;
 * tr_http_sse_close ends both. When the peer goes, what was given to
 * tr_http_exchange_on_gone is called, sends fail with TR_E_CANCELLED, and the
 * stream must still be closed.
 * While nothing is sent, a comment goes out every 15 seconds. Not thread-safe.
 */
#ifndef TR_HTTP_SSE_H
#define TR_HTTP_SSE_H

#include "base/buf.h"
#include "http/exchange.h"

struct tr_http_sse;

/*
 * Sends the head: status 200, the content type, headers that keep proxies from
 * buffering, and `fields`. The stream belongs to the exchange.
 */
struct tr_http_sse *tr_http_sse_open(struct tr_http_exchange *x,
                                     const tr_http_field *fields, size_t count);

/*
 * Sends one event. `event` and `id` may be empty and must not contain line
 * ends; `data` may. What is sent within one turn of the loop goes out together;
 * a large event goes out at once, with what was sent before it.
 * TR_E_LIMIT: the peer reads too slowly, its connection is cut. TR_E_CANCELLED:
 * the peer has gone.
 */
TR_NODISCARD tr_status tr_http_sse_send(struct tr_http_sse *sse, tr_str event,
                                        tr_str id, tr_str data,
                                        struct tr_err *err);

/* A line that clients ignore. */
TR_NODISCARD tr_status tr_http_sse_comment(struct tr_http_sse *sse, tr_str text,
                                           struct tr_err *err);

/*
 * As tr_http_sse_send, for the text of an event: so that one event for many
 * streams is written once.
 */
TR_NODISCARD tr_status tr_http_sse_send_raw(struct tr_http_sse *sse,
                                            tr_str text, struct tr_err *err);

/* Bytes that the peer has not taken yet. */
size_t tr_http_sse_queued(const struct tr_http_sse *sse);

/* Ends the stream and its exchange, once what was sent is out. */
void tr_http_sse_close(struct tr_http_sse *sse);

#endif
