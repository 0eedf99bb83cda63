/*
 * mcp/http_session.h - requests of clients of older revisions, over HTTP.
 *
 * They are served on the loop that has the session, to which the exchange may
 * have been relayed. The sink of each request is a wire.
 */
#ifndef TR_MCP_HTTP_SESSION_H
#define TR_MCP_HTTP_SESSION_H

#include "mcp/http_wire.h"
#include "mcp/request.h"

/* Takes a message, or a batch, that does not claim a stateless revision. */
void tr_mcp_http_session_take(struct tr_mcp_request *request,
                              const struct tr_mcp_http_entry *entry);

/* Takes `initialize`, with which a session begins. */
void tr_mcp_http_session_start(struct tr_mcp_request *request);

/* GET opens or resumes a stream, DELETE ends the session. Takes the wire. */
void tr_mcp_http_session_verb(struct tr_mcp *mcp,
                              const struct tr_mcp_http_entry *entry,
                              struct tr_mcp_wire **wire);

#endif
