/*
 * mcp/http.h - MCP over HTTP: POST, GET and DELETE on one path.
 *
 * A POST of a stateless revision stands for itself; others belong to a session,
 * whose id the client sends along.
 */
#ifndef TR_MCP_HTTP_H
#define TR_MCP_HTTP_H

#include "http/exchange.h"

struct tr_mcp;

/*
 * Whether Origin or Host say that this comes from a page that may not talk to
 * us; the exchange is then answered and taken. For every route, before anything
 * else.
 */
bool tr_mcp_http_refuse_foreign(struct tr_http_exchange **x,
                                struct tr_mcp *mcp);

/* `app` is the loop's struct tr_mcp. */
tr_http_handler_fn tr_mcp_http_post, tr_mcp_http_get, tr_mcp_http_delete,
    tr_mcp_http_options;

/*
 * The transport of 2024-11-05: GET opens a stream whose first event tells where
 * to POST messages; their answers come on the stream, and it is the session.
 */
#define TR_MCP_SSE_MESSAGES "/messages"
tr_http_handler_fn tr_mcp_sse_get, tr_mcp_sse_post;

/* POST must bring JSON: else it is answered with 415, and taken. */
bool tr_mcp_http_refuse_type(struct tr_http_exchange **x, struct tr_mcp *mcp);

#endif
