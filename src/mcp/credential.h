/*
 * mcp/credential.h - who sends a request: asked before anything else about it.
 *
 * Over HTTP every request brings its own credential in `Authorization`, and
 * nowhere else. On stdio a client of a revision with sessions brings it once,
 * with initialize; of a stateless one, in each request.
 */
#ifndef TR_MCP_CREDENTIAL_H
#define TR_MCP_CREDENTIAL_H

#include "access/authority.h"
#include "base/err.h"
#include "http/exchange.h"
#include "mcp/message.h"

struct tr_mcp;
struct tr_mcp_request;

/* How the server wants it; the same for all loops. */
struct tr_credential_rules {
    bool is_required;    /* nobody comes in without one */
    bool http_statuses;  /* 401 and 403 for scopes too, not in-band */
    tr_str metadata_url; /* of the protected resource (RFC 9728), or empty */
};

/*
 * Who an HTTP request is from; borrowed until somebody else is asked for. When
 * it goes no further it is answered with 400, 401 or 503, the exchange is taken
 * and false is returned.
 */
bool tr_credential_of_http(struct tr_http_exchange **x, struct tr_mcp *mcp,
                           const struct tr_authority **out);

/*
 * The token that a message brings: _meta["dev.trails/authorization"], a token
 * or {"bearer": token}, else `authorization` of its clientInfo, likewise. False
 * when it brings none.
 */
bool tr_credential_find(const struct tr_message *message, tr_str *out);

/*
 * Has the request be from who has this token, or from nobody when it is empty.
 * Answers it, and returns false, when that is not enough.
 */
bool tr_credential_use(struct tr_mcp_request *request, tr_str token);

/* Has the request be from this caller; answers it without memory for that. */
bool tr_credential_take(struct tr_mcp_request *request,
                        const struct tr_authority *authority);

/*
 * The HTTP status of a refusal, which is 200 unless the server wants it
 * otherwise and the transport can say so; then the response also has a
 * challenge.
 */
int tr_credential_status(struct tr_mcp_request *request, tr_status status);

#endif
