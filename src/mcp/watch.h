/*
 * mcp/watch.h - which URIs are watched on one loop, and by whom.
 *
 * A change costs as much as there are clients to tell, not as much as there are
 * clients. A URI is kept once, however many watch it; the watches themselves
 * belong to the listen streams and sessions, which take them out before they
 * go. It is no tr_map, which forgets nothing before its arena goes.
 */
#ifndef TR_MCP_WATCH_H
#define TR_MCP_WATCH_H

#include "base/err.h"
#include "base/str.h"

/* Who is told, and how, differs between these two. */
enum tr_mcp_watcher {
    TR_MCP_WATCHER_LISTEN,
    TR_MCP_WATCHER_SESSION,
    TR_MCP_WATCHERS
};

struct tr_cap_snapshot;
struct tr_mcp_topic;

/* One watcher's interest in one URI. */
struct tr_mcp_watch {
    void *owner; /* struct tr_mcp_listen or struct tr_mcp_session */
    struct tr_mcp_topic *topic;
    struct tr_mcp_watch *next; /* of the same topic and kind of watcher */
    struct tr_mcp_watch **link;
    struct tr_mcp_watch *next_own; /* for the owner's use */
    bool is_due;                   /* the owner has still to be told */
};

/* A URI that somebody watches. */
struct tr_mcp_topic {
    struct tr_mcp_topic *next; /* in its bucket */
    uint64_t hash;
    struct tr_mcp_watch *watches[TR_MCP_WATCHERS];
    size_t len;
    size_t uri_len; /* what clients see of it (tr_mcp_hub_topic) */
    char text[];
};

struct tr_mcp_watches {
    struct tr_mcp_topic **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    size_t topic_count;
};

/* Puts a watch in; false, and nothing done, when there is no memory. */
TR_NODISCARD bool tr_mcp_watch_add(struct tr_mcp_watches *all,
                                   enum tr_mcp_watcher kind, tr_str text,
                                   void *owner, struct tr_mcp_watch *watch);

/* Takes it out; a URI that nobody watches any more is forgotten. */
void tr_mcp_watch_remove(struct tr_mcp_watches *all,
                         struct tr_mcp_watch *watch);

/* The topic with those who watch it; NULL when nobody does. */
struct tr_mcp_topic *tr_mcp_watch_find(const struct tr_mcp_watches *all,
                                       tr_str topic);

static inline tr_str tr_mcp_topic_uri(const struct tr_mcp_topic *topic)
{
    return (tr_str){topic->text, topic->uri_len};
}

static inline tr_str tr_mcp_watch_uri(const struct tr_mcp_watch *watch)
{
    return tr_mcp_topic_uri(watch->topic);
}

/*
 * Whether a URI of ours is one that changes are told with: one that is listed,
 * a type, or an instance (model/uri.h). TR_E_INVALID for others, such as a
 * query or a type that is not there.
 */
TR_NODISCARD tr_status tr_mcp_watch_check(
    const struct tr_cap_snapshot *snapshot, tr_str uri, struct tr_err *err);

/* Frees the table, and the URIs that are still watched. */
void tr_mcp_watches_done(struct tr_mcp_watches *all);

#endif
