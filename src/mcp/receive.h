/*
 * mcp/receive.h - from bytes to a request, the same for every transport.
 */
#ifndef TR_MCP_RECEIVE_H
#define TR_MCP_RECEIVE_H

#include "mcp/request.h"

/*
 * Copies and reads `text`, and takes the sink. The request is the caller's to
 * release. Answers and returns NULL when the text is not one JSON-RPC message;
 * NULL too, without an answer, when there is no memory. An array becomes
 * `batch` of a request without a message.
 */
struct tr_mcp_request *tr_mcp_receive(struct tr_mcp *mcp,
                                      struct tr_mcp_sink **sink, tr_str text);

/* Makes it a request of the session: revision, client, log level. */
void tr_mcp_join(struct tr_mcp_request *request,
                 struct tr_mcp_session *session);

/* Makes it a request that stands alone, of a revision that had sessions. */
void tr_mcp_join_none(struct tr_mcp_request *request,
                      enum tr_mcp_revision revision);

#endif
