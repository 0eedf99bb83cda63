/*
 * mcp/credential.h - who sends a request; asked before anything else about it.
 *
 * Over HTTP every request brings its own credential in `Authorization`, and
 * nowhere else (mcp/transport.h). On stdio a client of a revision with sessions
 * brings it once, with initialize; of a stateless one, in each request.
 */
#ifndef TR_MCP_CREDENTIAL_H
#define TR_MCP_CREDENTIAL_H

#include "access/authority.h"
#include "base/err.h"
#include "mcp/message.h"

struct tr_mcp_request;

/*
 * Puts the token that a request brings into *token, which may hold one that its
 * connection has brought: _meta["dev.trails/authorization"], a token or
 * {"bearer": token}, or `authorization` of its clientInfo, likewise. Where
 * there are two that are not the same bytes, answers the request and returns
 * false.
 */
bool tr_mcp_credential_find(struct tr_mcp_request *request, tr_str *token);

/* The same where a token in the request counts for nothing beside this one. */
bool tr_mcp_credential_agrees(struct tr_mcp_request *request, tr_str token);

/*
 * Makes the owner of this token the sender of the request, or nobody when the
 * token is empty. Answers the request, and returns false, when that is not
 * enough.
 */
bool tr_mcp_credential_use(struct tr_mcp_request *request, tr_str token);

/*
 * Makes this caller the sender of the request; without memory for that, answers
 * it and returns false.
 */
bool tr_mcp_credential_take(struct tr_mcp_request *request,
                            const struct tr_access_authority *authority);

/*
 * The HTTP status of a refusal, which is 200 unless the server wants it
 * otherwise and the transport can say so; then the response also has a
 * challenge.
 */
int tr_mcp_credential_status(struct tr_mcp_request *request, tr_status status);

#endif
