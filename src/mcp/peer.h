/*
 * mcp/peer.h - a client that sends whole messages over one connection.
 *
 * It may speak a stateless revision and one with a session at the same time:
 * each message says which it is. Used by stdio, by HTTP+SSE, and by tests.
 */
#ifndef TR_MCP_PEER_H
#define TR_MCP_PEER_H

#include "mcp/sink.h"

struct tr_mcp;
struct tr_mcp_request;
struct tr_mcp_session;

struct tr_mcp_peer {
    struct tr_mcp *mcp;
    struct tr_mcp_sink *sink;       /* for all of its requests */
    struct tr_mcp_session *session; /* NULL before initialize */
    bool brings_credentials; /* in its messages; else its requests have them */
    char *bearer; /* the token that it, or initialize, brought; owned */
    /*
     * Called when the session ends before the connection; NULL: the peer stays.
     */
    void (*ended)(struct tr_mcp_peer *peer);
};

/* Takes one message and answers it, now or later, through the sink. */
void tr_mcp_peer_take(struct tr_mcp_peer *peer, tr_str message);

/*
 * Takes a request that tr_mcp_receive has made of a message, over the peer's
 * sink.
 */
void tr_mcp_peer_accept(struct tr_mcp_peer *peer,
                        struct tr_mcp_request *request);

/*
 * The session of the peer ends: it has none any more, and may be freed itself.
 */
void tr_mcp_peer_end_session(struct tr_mcp_peer *peer);

/*
 * The connection brings a copy of this token, which is looked at again with
 * every request, perhaps much later; false without memory.
 */
TR_NODISCARD bool tr_mcp_peer_bring(struct tr_mcp_peer *peer, tr_str token);

/* Forgets its token. */
void tr_mcp_peer_done(struct tr_mcp_peer *peer);

/* Says that a message was too long to be read. */
void tr_mcp_peer_refuse(struct tr_mcp_peer *peer);

#endif
