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

/*
 * Whether MCP-Protocol-Version names a stateless revision; before the body is
 * read nothing else can tell.
 */
bool tr_mcp_headers_are_modern(const struct tr_http_request *http);

/* Checks MCP-Protocol-Version and Mcp-Method, as far as they are there. */
bool tr_mcp_headers_check_version(struct tr_mcp_request *request,
                                  const struct tr_http_request *http,
                                  tr_str version);

/*
 * Checks that both of these and Mcp-Name are there, and that Mcp-Name matches.
 */
bool tr_mcp_headers_check_names(struct tr_mcp_request *request,
                                const struct tr_http_request *http);

/* Checks the Mcp-Param-* headers that the tool's schema asks for. */
bool tr_mcp_headers_check_params(struct tr_mcp_request *request,
                                 const struct tr_cap *cap,
                                 const struct tr_json *args);

#endif
