/*
 * mcp/trace.h - the id that ties a request to its log lines and records.
 */
#ifndef TR_MCP_TRACE_H
#define TR_MCP_TRACE_H

#include "mcp/request.h"

/* Takes the id from the message's own traceparent, or makes one. */
void tr_mcp_trace_start(struct tr_mcp_request *request);

/*
 * Takes the id from the W3C traceparent of the transport, when that is
 * well-formed and the message has none of its own.
 */
void tr_mcp_trace_join(struct tr_mcp_request *request, tr_str traceparent);

#endif
