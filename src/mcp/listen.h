/*
 * mcp/listen.h - who is told of changes: listen streams and sessions.
 *
 * A client that reads more slowly than things change is not sent every change:
 * while much waits for it, each URI is marked, and told once when it catches
 * up. So it holds little memory, and still hears of everything.
 */
#ifndef TR_MCP_LISTEN_H
#define TR_MCP_LISTEN_H

#include "mcp/request.h"
#include "mcp/watch.h"

/* An open subscriptions/listen. It belongs to its loop. */
struct tr_listen {
    struct tr_mcp *mcp;
    struct tr_sink *sink; /* owned */
    struct tr_listen *next;
    struct tr_listen **link;
    struct tr_listen *next_slow;
    struct tr_listen **slow_link; /* NULL when it is not slow */
    unsigned lists;               /* a bit per enum tr_list_kind */
    unsigned lists_due;           /* still to be told, as watches are */
    size_t watch_count;
    size_t id_len;
    char *id;                  /* of the request, as JSON; after the watches */
    struct tr_watch watches[]; /* in the order in which they were asked for */
};

/* Tells everybody on this loop who asked to be told. */
void tr_listen_updated(struct tr_mcp *mcp, tr_str uri);
void tr_listen_list_changed(struct tr_mcp *mcp, enum tr_list_kind kind);

/* Nobody knows which have changed: tells of everything that is watched. */
void tr_listen_all_updated(struct tr_mcp *mcp);

/* Tells the slow ones what they can take now; false when none is left. */
bool tr_listen_catch_up(struct tr_mcp *mcp);

/* The client no longer wants it; false when there is none of this id. */
bool tr_listen_cancel(struct tr_mcp *mcp, const struct tr_json *id);

/* We end it: the listen request gets its answer. */
void tr_listen_end(struct tr_listen *listen);

/* The loop's part of it; nothing is open when it ends. */
void tr_listen_init(struct tr_mcp *mcp);
void tr_listen_done(struct tr_mcp *mcp);

#endif
