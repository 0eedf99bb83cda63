/*
 * mcp/trace.h - the id that ties a request to its log lines and records.
 */
#ifndef TR_MCP_TRACE_H
#define TR_MCP_TRACE_H

#include "mcp/request.h"

/* The trace id of a W3C traceparent; false when it is not well-formed. */
bool tr_trace_parse(tr_str traceparent, tr_str *out);

/* From the message's own traceparent, or made anew. */
void tr_trace_start(struct tr_mcp_request *request);

/* From the traceparent of its transport, unless the message has its own. */
void tr_trace_join(struct tr_mcp_request *request, tr_str traceparent);

#endif
