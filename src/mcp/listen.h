/*
 * mcp/listen.h - who is told of changes: listen streams and sessions.
 */
#ifndef TR_MCP_LISTEN_H
#define TR_MCP_LISTEN_H

#include "mcp/request.h"

/* An open subscriptions/listen. It belongs to its loop. */
struct tr_listen {
    struct tr_mcp *mcp;
    struct tr_sink *sink; /* owned */
    struct tr_arena arena;
    const struct tr_json *id;   /* of the request, as it came */
    const struct tr_json *uris; /* an array of strings, or NULL */
    unsigned lists;             /* a bit per enum tr_list_kind */
    struct tr_listen *next;
};

/* Tells everybody on this loop who asked to be told. */
void tr_listen_updated(struct tr_mcp *mcp, tr_str uri);
void tr_listen_list_changed(struct tr_mcp *mcp, enum tr_list_kind kind);

/* The client no longer wants it; false when there is none of this id. */
bool tr_listen_cancel(struct tr_mcp *mcp, const struct tr_json *id);

/* We end it: the listen request gets its answer. */
void tr_listen_end(struct tr_listen *listen);

#endif
