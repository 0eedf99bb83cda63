/*
 * mcp/caller.h - how many sessions a caller has, and which of them goes first.
 *
 * One caller cannot take the sessions of all others: each has a bound of its
 * own. When that or the maximum of the loop is reached, the oldest session that
 * nobody has come back to since its `initialize` makes room; one that is in use
 * never does.
 */
#ifndef TR_MCP_CALLER_H
#define TR_MCP_CALLER_H

#include "access/authority.h"

struct tr_mcp;
struct tr_mcp_session;

/* Sessions that were never used, the oldest first. */
struct tr_mcp_caller_queue {
    struct tr_mcp_session *first;
    struct tr_mcp_session *last;
};

/* Where a session stands in such a queue. */
struct tr_mcp_caller_link {
    struct tr_mcp_session *before;
    struct tr_mcp_session *after;
};

struct tr_mcp_caller {
    struct tr_mcp_caller *next; /* in its bucket */
    size_t count;               /* of its sessions */
    struct tr_mcp_caller_queue unused;
    bool is_authenticated;
    size_t len;
    char principal[];
};

#define TR_MCP_CALLER_BUCKETS 256
struct tr_mcp_callers {
    struct tr_mcp_caller_queue unused; /* of all */
    struct tr_mcp_caller *buckets[TR_MCP_CALLER_BUCKETS];
};

/* Makes room for one more session of this caller; false when there is none. */
TR_NODISCARD bool
tr_mcp_caller_make_room(struct tr_mcp *mcp,
                        const struct tr_access_authority *who);

/* Counts a session, which was not used yet; false without memory. */
TR_NODISCARD bool tr_mcp_caller_join(struct tr_mcp_session *session,
                                     const struct tr_access_authority *who);

/* The session is used: it does not make room for others any more. */
void tr_mcp_caller_use(struct tr_mcp_session *session);

/* The session ends; it may never have joined. */
void tr_mcp_caller_leave(struct tr_mcp_session *session);

#endif
