/*
 * mcp/tell.h - tells listen streams and sessions of one loop what has changed.
 *
 * Changes that come together are gathered per stream and sent in one piece:
 * most of what a notification costs is the system's work for one send, and
 * the memory of a connection that was not touched for a while.
 *
 * A client that reads more slowly than things change is not sent every change:
 * while much waits for it, each URI is marked, and told once when it catches
 * up. So it holds little memory, and still hears of everything.
 */
#ifndef TR_MCP_TELL_H
#define TR_MCP_TELL_H

#include "base/buf.h"
#include "loop/timer.h"
#include "mcp/watch.h"
#include "runtime/call.h"

struct tr_mcp_listen;
struct tr_mcp;
struct tr_mcp_session;

/* What a loop keeps to tell of changes. */
struct tr_mcp_tell {
    struct tr_buf prefixes;         /* of the changes that are being gathered */
    struct tr_buf notes;            /* an array of struct note, see tell.c */
    struct tr_mcp_listen *gathered; /* streams that have notes */
    struct tr_mcp_listen *slow;     /* streams that have not heard everything */
    struct tr_loop_timer catch_up;  /* looks at the slow ones */
};

/* A resource has changed, `text` is its topic; listen streams are told by
 * tr_mcp_tell_gathered. */
void tr_mcp_tell_updated(struct tr_mcp *mcp, tr_str text);
void tr_mcp_tell_gathered(struct tr_mcp *mcp);

/* Tells of everything that is watched, when nobody knows what has changed. */
void tr_mcp_tell_all_updated(struct tr_mcp *mcp);

/* Tells those whom it concerns, as mcp/hub.h says it. */
void tr_mcp_tell_list_changed(struct tr_mcp *mcp, enum tr_call_list_kind kind,
                              uint32_t viewers);

/* Tells one session, which has a stream, that all lists may have changed. */
void tr_mcp_tell_lists(struct tr_mcp_session *session);

/* Forgets a stream that is about to be freed. */
void tr_mcp_tell_forget(struct tr_mcp_listen *listen);

void tr_mcp_tell_init(struct tr_mcp *mcp);
void tr_mcp_tell_done(struct tr_mcp *mcp);

#endif
