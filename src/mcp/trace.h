/*
 * mcp/trace.h - the id that ties a request to its log lines and records.
 */
#ifndef TR_MCP_TRACE_H
#define TR_MCP_TRACE_H

#include "mcp/request.h"

/* From the request's W3C traceparent, or made anew. */
void tr_trace_start(struct tr_mcp_request *request);

#endif
