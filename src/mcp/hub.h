/*
 * mcp/hub.h - carries changes to the clients of every loop.
 *
 * Loops join before they run and leave after they have stopped. The other
 * functions may be called from any thread; they never block for long.
 */
#ifndef TR_MCP_HUB_H
#define TR_MCP_HUB_H

#include "base/buf.h"
#include "base/err.h"
#include "cap/resource.h"
#include "runtime/call.h"

struct tr_mcp_hub;
struct tr_mcp;

TR_NODISCARD tr_status tr_mcp_hub_create(struct tr_mcp_hub **out,
                                         struct tr_err *err);
void tr_mcp_hub_free(struct tr_mcp_hub *hub);

/* Gives the loop its number, which the ids of its sessions carry. */
TR_NODISCARD tr_status tr_mcp_hub_join(struct tr_mcp_hub *hub,
                                       struct tr_mcp *mcp, struct tr_err *err);
void tr_mcp_hub_leave(struct tr_mcp_hub *hub, const struct tr_mcp *mcp);

/*
 * The loop of a number; one that no loop has here stands for another, always
 * the same. NULL when that has left.
 */
struct tr_mcp *tr_mcp_hub_find(struct tr_mcp_hub *hub, size_t number);

/*
 * What a change is told by: the URI, and for what not everybody who watches it
 * is told of, a line feed and whom it concerns; no URI has a line feed.
 * Appends.
 */
void tr_mcp_hub_topic(struct tr_buf *out, tr_str uri, enum tr_cap_told told,
                      unsigned scopes, tr_str principal);

/*
 * A resource has changed, `topic` says which. Changes that come while a loop is
 * busy are announced together; when there are more than the loop keeps,
 * everything that is watched counts as changed.
 */
void tr_mcp_hub_updated(struct tr_mcp_hub *hub, tr_str topic);

/*
 * A call has ended, before its door releases it: tells its caller that
 * trails://prov/latest has changed. Only tools tell, those that wrote or were
 * denied: a client that reads on each notification leaves an activity of its
 * own with each read, and must not be told of that.
 */
void tr_mcp_hub_call_ended(struct tr_mcp_hub *hub, const struct tr_call *call);

/*
 * One of the lists has changed; announced once, however often it changes
 * meanwhile.
 */
void tr_mcp_hub_list_changed(struct tr_mcp_hub *hub,
                             enum tr_call_list_kind kind);

/* The same, for those only who see what has changed: bit n of `viewers` is
 * whoever has the set of scopes n. */
void tr_mcp_hub_list_changed_for(struct tr_mcp_hub *hub,
                                 enum tr_call_list_kind kind, uint32_t viewers);

#endif
