/*
 * mcp/http_session.h - what clients of older revisions do over HTTP.
 *
 * They run on the loop that has the session, to which the exchange may have
 * been relayed. The sink of each request is a wire.
 */
#ifndef TR_MCP_HTTP_SESSION_H
#define TR_MCP_HTTP_SESSION_H

#include "mcp/http_wire.h"
#include "mcp/request.h"

/* A message, or a batch of them, that does not claim a stateless revision. */
void tr_mcp_http_session_take(struct tr_mcp_request *request,
                              const struct tr_mcp_http_entry *entry);

/* `initialize`: where sessions are. */
void tr_mcp_http_session_start(struct tr_mcp_request *request);

/* GET opens or resumes a stream, DELETE ends the session. Takes the wire. */
void tr_mcp_http_session_verb(struct tr_mcp *mcp,
                              const struct tr_mcp_http_entry *entry,
                              struct tr_mcp_wire **wire);

#endif
