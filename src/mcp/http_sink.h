/*
 * mcp/http_sink.h - one HTTP exchange as a sink.
 *
 * When the response is the first message it is the body; anything before it
 * makes the exchange a stream of events.
 */
#ifndef TR_MCP_HTTP_SINK_H
#define TR_MCP_HTTP_SINK_H

#include "http/exchange.h"
#include "mcp/sink.h"

/* NULL, and the exchange answered with 503, when there is no memory. */
struct tr_sink *tr_http_sink_create(struct tr_http_exchange *x);

#endif
