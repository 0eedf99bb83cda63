/*
 * mcp/headers.h - the headers of 2026-07-28 that repeat what the body says.
 *
 * Each function that checks answers with -32020 and returns false when a header
 * is missing, malformed or says something else (2026-07-28, basic/transports/
 * streamable-http, Server Validation).
 */
#ifndef TR_MCP_HEADERS_H
#define TR_MCP_HEADERS_H

#include "http/exchange.h"
#include "mcp/request.h"

struct tr_cap;

/* MCP-Protocol-Version; false when it is not there. */
bool tr_mcp_headers_version(const struct tr_http_request *http, tr_str *out);

/* Whether it names a stateless revision: all that is known before the body. */
bool tr_mcp_headers_are_modern(const struct tr_http_request *http);

/* MCP-Protocol-Version, when it is there, and Mcp-Method, when it is. */
bool tr_mcp_headers_check_version(struct tr_mcp_request *request,
                                  const struct tr_http_request *http,
                                  tr_str version);

/* Both of these and Mcp-Name must be there, and Mcp-Name must match. */
bool tr_mcp_headers_check_names(struct tr_mcp_request *request,
                                const struct tr_http_request *http);

/* The Mcp-Param-* headers that the tool's schema asks for. */
bool tr_mcp_headers_check_params(struct tr_mcp_request *request,
                                 const struct tr_cap *cap,
                                 const struct tr_json *args);

#endif
