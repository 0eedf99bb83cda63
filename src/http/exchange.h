/*
 * http/exchange.h - one request and its response.
 *
 * A handler gets the exchange and must end it exactly once, now or later, on
 * the same loop: with tr_http_respond, or with tr_sse_open and tr_sse_close.
 * Until then it stays valid, also when the peer has gone; afterwards it is not.
 * The requests of one connection are handled one after the other, so responses
 * keep their order. Not thread-safe.
 */
#ifndef TR_HTTP_EXCHANGE_H
#define TR_HTTP_EXCHANGE_H

#include "base/arena.h"
#include "http/request.h"

struct tr_http_exchange;
struct tr_loop;

typedef void tr_http_handler_fn(struct tr_http_exchange *x, void *app);

/* The peer has gone: nobody waits for the response any more. */
typedef void tr_http_gone_fn(struct tr_http_exchange *x, void *data);

/* Borrowed, as everything in it, until the exchange ends or forgets it. */
const struct tr_http_request *
tr_http_exchange_request(const struct tr_http_exchange *x);

/* The loop it lives on. */
struct tr_loop *tr_http_exchange_loop(const struct tr_http_exchange *x);

/*
 * Has `fn` called once when the peer closes or resets its connection from now
 * on and before the exchange has ended. The exchange must still be ended: a
 * peer that has only finished sending gets the response. NULL takes it back.
 */
void tr_http_exchange_on_gone(struct tr_http_exchange *x, tr_http_gone_fn *fn,
                              void *data);

/* Whoever handles it reports on it: the server's `report` is not called. */
void tr_http_exchange_take_report(struct tr_http_exchange *x);

/* Whether the peer is on this machine, as far as its address tells. */
bool tr_http_exchange_is_local(const struct tr_http_exchange *x);

/*
 * Releases the bytes of the request and the arena before the exchange ends: for
 * streams that stay open for long.
 */
void tr_http_exchange_forget(struct tr_http_exchange *x);

/*
 * Sends a whole response and ends the exchange. Content-Length, Date and
 * Connection are added; a response to HEAD, and status 204 and 304, go without
 * body. Everything passed is borrowed for this call only. A field that cannot
 * be sent (control characters) makes it a 500.
 */
void tr_http_respond(struct tr_http_exchange *x, int status,
                     const tr_http_field *fields, size_t count, tr_str body);

/* A short plain text as response; NULL takes the phrase of the status. */
void tr_http_respond_text(struct tr_http_exchange *x, int status,
                          const char *text);

/* "Not Found" for 404; "" when it is not known. */
const char *tr_http_phrase(int status);

#endif
