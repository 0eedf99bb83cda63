/*
 * mcp/listen.h - the streams of subscriptions/listen (2026-07-28,
 * basic/patterns/subscriptions); mcp/tell.h sends on them.
 */
#ifndef TR_MCP_LISTEN_H
#define TR_MCP_LISTEN_H

#include "mcp/request.h"
#include "mcp/watch.h"

/* An open subscriptions/listen. It belongs to its loop. */
struct tr_mcp_listen {
    struct tr_mcp *mcp;
    struct tr_mcp_sink *sink; /* owned */
    struct tr_mcp_listen *next;
    struct tr_mcp_listen **link;
    struct tr_mcp_listen *next_slow;
    struct tr_mcp_listen **slow_link; /* NULL when it is not slow */
    unsigned scopes;                  /* of who has asked for it */
    unsigned lists;                   /* a bit per enum tr_call_list_kind */
    unsigned lists_due;               /* of these, the ones still to be told */
    struct tr_mcp_listen *next_gathered;
    uint32_t first_note; /* what is gathered for it; see tell.c */
    uint32_t last_note;
    size_t watch_count;
    size_t id_len;
    char *id; /* of the request, as JSON; after the watches */
    struct tr_mcp_watch
        watches[]; /* in the order in which they were asked for */
};

/* The client no longer wants it; false when there is none of this id. */
bool tr_mcp_listen_cancel(struct tr_mcp *mcp, const struct tr_json *id);

/* We end it: the listen request gets its answer. */
void tr_mcp_listen_end(struct tr_mcp_listen *listen);

/* Lists that may change: how they are asked for, and told. */
#define TR_MCP_LISTEN_LISTS (TR_CALL_LIST_PROMPTS + 1)
extern const struct tr_mcp_listen_list {
    const char *member; /* of params.notifications */
    const char *method;
} tr_mcp_listen_lists[TR_MCP_LISTEN_LISTS];

/* What stands before the id in every message of a stream. */
#define TR_MCP_LISTEN_META                                                     \
    "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":"

#endif
