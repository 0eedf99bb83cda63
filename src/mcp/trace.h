/*
 * mcp/trace.h - the id that ties a request to its log lines and records.
 */
#ifndef TR_MCP_TRACE_H
#define TR_MCP_TRACE_H

#include "mcp/request.h"

/* From the message's own traceparent, or made anew. */
void tr_mcp_trace_start(struct tr_mcp_request *request);

/*
 * From the W3C traceparent of its transport, when that is well-formed and the
 * message has none of its own.
 */
void tr_mcp_trace_join(struct tr_mcp_request *request, tr_str traceparent);

#endif
