/*
 * mcp/origin.h - which web pages may talk to us.
 *
 * A page that resolves its own name to our address (DNS rebinding) says so in
 * Origin and Host: both must name this machine, or be allowed by name
 * (2025-06-18, basic/transports, Security Warning).
 */
#ifndef TR_MCP_ORIGIN_H
#define TR_MCP_ORIGIN_H

#include "http/exchange.h"

struct tr_mcp_origins;

/*
 * Whether a header comes twice that may come once: whoever stands in front of
 * us may have looked at the other one. Host is the reader's.
 */
bool tr_mcp_origin_has_double(const struct tr_http_request *request);

/* Whether Host and Origin, as far as they are there, are local or allowed. */
bool tr_mcp_origin_is_allowed(const struct tr_http_request *request,
                              const struct tr_mcp_origins *allowed);

#endif
