/*
 * mcp/transport.h - the transports of MCP: HTTP, HTTP+SSE and stdio.
 *
 * HTTP has POST, GET and DELETE on one path. A POST of a stateless revision
 * stands for itself (2026-07-28, basic/transports/streamable-http); others
 * belong to a session, whose id the client sends along (2025-11-25,
 * basic/transports, Streamable HTTP).
 *
 * With HTTP+SSE (2024-11-05, basic/transports, HTTP with SSE) GET opens a
 * stream whose first event tells where to POST messages; their answers come on
 * the stream, and it is the session.
 *
 * On stdio a message is a line (2025-06-18, basic/transports, stdio).
 */
#ifndef TR_MCP_TRANSPORT_H
#define TR_MCP_TRANSPORT_H

#include "base/err.h"
#include "http/exchange.h"

struct tr_access_authority;
struct tr_mcp;

/*
 * Judges of a request's head; `app` is the loop's struct tr_mcp. The first is
 * for every route, before anything else: whether a header comes twice that may
 * come once, else 400; whether Origin and Host say that this comes from a page
 * that may talk to us, else 403. Such a page may read every answer. The second
 * wants a caller
 * who is let in (tr_mcp_http_identify), the third JSON from such a caller, else
 * 415.
 */
tr_http_judge_fn tr_mcp_http_judge_origin, tr_mcp_http_judge_caller,
    tr_mcp_http_judge_message;

/*
 * Who an HTTP request is from; borrowed until somebody else is asked for. When
 * it goes no further it is answered with 400, 401 or 503, the exchange is taken
 * and false is returned. It is asked once for each request, and again where the
 * handler had to wait for the body: a token may have been revoked meanwhile.
 */
bool tr_mcp_http_identify(struct tr_http_exchange **x, struct tr_mcp *mcp,
                          const struct tr_access_authority **out);

/* Handlers of HTTP; `app` is the loop's struct tr_mcp. */
tr_http_handler_fn tr_mcp_http_post, tr_mcp_http_get, tr_mcp_http_delete,
    tr_mcp_http_options;

/* Where the first event of HTTP+SSE sends its client. */
#define TR_MCP_SSE_MESSAGES "/messages"
tr_http_handler_fn tr_mcp_sse_get, tr_mcp_sse_post;

struct tr_mcp_stdio;

/* Called back about a struct tr_mcp_stdio, with the data that it was given. */
typedef void tr_mcp_stdio_fn(void *data);

/*
 * Starts to serve. `ended` is called once, on the loop, when input has ended or
 * nobody reads the output.
 */
TR_NODISCARD tr_status tr_mcp_stdio_open(struct tr_mcp *mcp,
                                         tr_mcp_stdio_fn *ended, void *data,
                                         struct tr_mcp_stdio **out,
                                         struct tr_err *err);

/*
 * Sends what is left and closes, after tr_mcp_stop; `closed` is called when it
 * is freed, with the data of `ended`. NULL is allowed.
 */
void tr_mcp_stdio_close(struct tr_mcp_stdio *stdio, tr_mcp_stdio_fn *closed);

/* Whether the client has gone altogether: no answer will be read. */
bool tr_mcp_stdio_is_cut(const struct tr_mcp_stdio *stdio);

/* Stops tr_mcp_stdio_close waiting for a client that does not read. */
void tr_mcp_stdio_cut(struct tr_mcp_stdio *stdio);

#endif
