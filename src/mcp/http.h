/*
 * mcp/http.h - MCP over HTTP: POST, GET and DELETE on one path.
 *
 * A POST of a stateless revision stands for itself (2026-07-28,
 * basic/transports/streamable-http); others belong to a session, whose id the
 * client sends along (2025-11-25, basic/transports, Streamable HTTP).
 */
#ifndef TR_MCP_HTTP_H
#define TR_MCP_HTTP_H

#include "http/exchange.h"

struct tr_authority;
struct tr_mcp;

/*
 * Whether Origin or Host say that this comes from a page that may not talk to
 * us; the exchange is then answered and taken. For every route, before anything
 * else.
 */
bool tr_mcp_http_refuse_foreign(struct tr_http_exchange **x,
                                struct tr_mcp *mcp);

/* The most fields that tr_mcp_http_origin_fields writes. */
#define TR_MCP_HTTP_ORIGIN_FIELDS 3

/* Writes the headers a browser wants before it lets a page read our answer. */
size_t tr_mcp_http_origin_fields(const struct tr_http_request *request,
                                 tr_http_field out[TR_MCP_HTTP_ORIGIN_FIELDS]);

/*
 * Who an HTTP request is from; borrowed until somebody else is asked for. When
 * it goes no further it is answered with 400, 401 or 503, the exchange is taken
 * and false is returned.
 */
bool tr_mcp_http_identify(struct tr_http_exchange **x, struct tr_mcp *mcp,
                          const struct tr_authority **out);

/* `app` is the loop's struct tr_mcp. */
tr_http_handler_fn tr_mcp_http_post, tr_mcp_http_get, tr_mcp_http_delete,
    tr_mcp_http_options;

/*
 * The transport of 2024-11-05 (basic/transports, HTTP with SSE): GET opens a
 * stream whose first event tells where to POST messages; their answers come on
 * the stream, and it is the session.
 */
#define TR_MCP_SSE_MESSAGES "/messages"
tr_http_handler_fn tr_mcp_sse_get, tr_mcp_sse_post;

/* POST must bring JSON: else it is answered with 415, and taken. */
bool tr_mcp_http_refuse_type(struct tr_http_exchange **x, struct tr_mcp *mcp);

#endif
