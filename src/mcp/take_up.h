/*
 * mcp/take_up.h - sessions over HTTP that outlive their memory: a client that
 * sends an id which its loop does not know, after a restart for example, gets
 * its session back, without what was in it (docs/decisions/0028).
 */
#ifndef TR_MCP_TAKE_UP_H
#define TR_MCP_TAKE_UP_H

#include "access/authority.h"
#include "mcp/sink.h"

struct tr_mcp;
struct tr_mcp_session;

/*
 * Begins the session of an id anew. TR_E_INVALID when `who` has no such session
 * or has ended it, TR_E_LIMIT when there is no room for it.
 */
TR_NODISCARD tr_status tr_mcp_take_up(struct tr_mcp *mcp, tr_str id,
                                      const struct tr_access_authority *who,
                                      struct tr_mcp_session **out);

/*
 * Ends a session for good, and answers the wire, which it takes: with 200 once
 * the store remembers the end; with 503 when it cannot, and the session stays.
 */
void tr_mcp_take_up_end(struct tr_mcp_session *session,
                        struct tr_mcp_wire **wire);

#endif
