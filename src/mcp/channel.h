/*
 * mcp/channel.h - a stream of a session's events that outlives its connection.
 *
 * Whoever writes to it (a request, or the session itself) sees a sink. What it
 * is sent over, the wire, may break and be replaced: events have numbers and
 * are kept for a while, so that a client that comes back with the id of the
 * last one it saw gets the rest, each once, and nothing of another stream
 * (2025-06-18, basic/transports, Resumability and Redelivery).
 *
 * A request that is answered at once, without a stream, leaves nothing behind.
 */
#ifndef TR_MCP_CHANNEL_H
#define TR_MCP_CHANNEL_H

#include "mcp/sink.h"

struct tr_mcp_session;

/*
 * Opens a channel over `wire`, which it takes; NULL, and the wire is not taken,
 * when there is no memory.
 */
struct tr_mcp_sink *tr_mcp_channel_open(struct tr_mcp_session *session,
                                        struct tr_mcp_wire **wire);

/*
 * Makes the channel a stream now, so that a client has something to come back
 * to.
 */
void tr_mcp_channel_start(struct tr_mcp_sink *channel);

/* Ends the connection of a client that polls: it comes back for the rest. */
void tr_mcp_channel_pause(struct tr_mcp_sink *channel);

enum tr_mcp_resumed {
    TR_MCP_RESUMED,
    TR_MCP_RESUME_BAD,  /* no such event was ever sent */
    TR_MCP_RESUME_LOST, /* events that came after it are no longer kept */
    TR_MCP_RESUME_ANEW, /* it is of before the session was taken up */
};

/* Goes on over `wire`, which it takes when it can, after this event's id. */
enum tr_mcp_resumed tr_mcp_channel_resume(struct tr_mcp_session *session,
                                          tr_str id, struct tr_mcp_wire **wire);

/* Whether the session's own stream has a connection. */
bool tr_mcp_channel_is_connected(const struct tr_mcp_sink *channel);

/* Forgets streams that ended before `then_ms`. */
void tr_mcp_channel_sweep(struct tr_mcp_session *session, uint64_t then_ms);

/* The session ends: so do the connections of all of its channels. */
void tr_mcp_channel_end_all(struct tr_mcp_session *session);

#endif
