/*
 * mcp/http.h - MCP over HTTP: POST, GET and DELETE on one path.
 *
 * A POST of a stateless revision stands for itself; others belong to a session,
 * whose id the client sends along.
 */
#ifndef TR_MCP_HTTP_H
#define TR_MCP_HTTP_H

#include "http/exchange.h"

/* `app` is the loop's struct tr_mcp. They check Origin and Host first. */
tr_http_handler_fn tr_mcp_http_post, tr_mcp_http_get, tr_mcp_http_delete,
    tr_mcp_http_options;

#endif
