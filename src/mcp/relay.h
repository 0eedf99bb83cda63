/*
 * mcp/relay.h - a sink whose exchange lives on another loop.
 *
 * A session belongs to the loop that opened it, but its client's connections
 * may arrive on any. The loop that has the exchange (near) hands the message
 * over to the loop that has the session (far), where it is served as if it had
 * come there; what is sent comes back the same way. Each half touches only
 * what is its own.
 */
#ifndef TR_MCP_RELAY_H
#define TR_MCP_RELAY_H

#include "http/exchange.h"
#include "mcp/http_entry.h"
#include "mcp/sink.h"

struct tr_mcp;

/*
 * Serves the exchange on the loop of `far`: `serve` is called there with a copy
 * of `entry` and a sink. A near that falls behind far is cut off.
 */
typedef void tr_relay_fn(struct tr_mcp *far, const struct tr_http_entry *entry,
                         struct tr_sink *sink);

void tr_relay_start(struct tr_http_exchange *x, struct tr_mcp *near,
                    struct tr_mcp *far, const struct tr_http_entry *entry,
                    tr_relay_fn *serve);

/* Ends every exchange that another loop serves for this one. */
void tr_relay_stop(struct tr_mcp *near);

#endif
