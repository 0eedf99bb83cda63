/*
 * mcp/relay.h - a wire whose exchange lives on another loop.
 *
 * A session belongs to the loop that opened it, but its client's connections
 * may arrive on any. The loop that has the exchange (near) hands the message
 * over to the loop that has the session (far), where it is served as if it had
 * come there; what is sent comes back the same way. Each half touches only
 * what is its own.
 */
#ifndef TR_MCP_RELAY_H
#define TR_MCP_RELAY_H

#include "mcp/http_wire.h"

struct tr_mcp;

/* Serves what came to another loop; it takes the wire. */
typedef void tr_mcp_relay_fn(struct tr_mcp *far,
                             const struct tr_mcp_http_entry *entry,
                             struct tr_mcp_wire **wire);

/*
 * Takes the exchange, and has it served on the loop of `far`: `serve` is called
 * there with a copy of `entry`. A near that falls behind far is cut off.
 */
void tr_mcp_relay_start(struct tr_http_exchange **x, struct tr_mcp *near,
                        struct tr_mcp *far,
                        const struct tr_mcp_http_entry *entry,
                        tr_mcp_relay_fn *serve);

/* Ends every exchange that another loop serves for this one. */
void tr_mcp_relay_stop(struct tr_mcp *near);

#endif
