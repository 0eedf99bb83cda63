#include "mcp/peer.h"

#include "crypto/random.h"
#include "mcp/batch.h"
#include "mcp/call.h"
#include "mcp/credential.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/receive.h"
#include "mcp/reply.h"
#include "mcp/session.h"

static const struct tr_err no_memory = {.code = TR_E_NOMEM,
                                        .msg = "no memory for the caller"};

/*
 * "The client SHOULD NOT send requests other than pings" before initialize
 * (2025-06-18, basic/lifecycle, Initialization).
 */
static bool join(struct tr_mcp_peer *peer, struct tr_mcp_request *request)
{
    bool starts = tr_str_eq(request->message.method, TR_STR("initialize"));
    if (!peer->session && starts) {
        peer->session = tr_mcp_session_create(peer->mcp, NULL);
        if (peer->session) {
            peer->session->stream = peer->sink;
            peer->session->peer = peer;
        }
    }
    if (starts && peer->session && !peer->session->is_initialized &&
        !tr_mcp_session_own(peer->session, &request->authority)) {
        tr_mcp_reply_failure(request, &no_memory, NULL);
        return false;
    }
    if (peer->session && (starts || peer->session->is_initialized)) {
        tr_mcp_join(request, peer->session);
        return true;
    }
    if (tr_str_eq(request->message.method, TR_STR("ping")))
        return true;
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_REQUEST,
        .http = 400,
        .text = TR_STR("the client has not sent initialize"),
    };
    tr_mcp_reply_error(request, &error);
    return false;
}

/* Refuses a request of somebody else: a session belongs to who has begun it. */
static bool refuse_other(struct tr_mcp_peer *peer,
                         struct tr_mcp_request *request)
{
    static const struct tr_err other = {
        .code = TR_E_UNAUTHENTICATED,
        .msg = "Authentication failed",
    };
    const struct tr_mcp_session *session = peer->session;
    if (!session || !session->is_initialized ||
        tr_access_authority_same(&session->owner, &request->authority))
        return false;
    tr_mcp_reply_failure(request, &other, NULL);
    return true;
}

bool tr_mcp_peer_bring(struct tr_mcp_peer *peer, tr_str token)
{
    if (token.len && token.ptr == peer->bearer)
        return true;
    tr_mcp_peer_done(peer);
    if (!token.len)
        return true;
    peer->bearer = calloc(1, token.len + 1);
    if (peer->bearer)
        memcpy(peer->bearer, token.ptr, token.len);
    return peer->bearer != NULL;
}

/* Finds who the message is from, where it is the message that says so. */
static bool identify(struct tr_mcp_peer *peer, struct tr_mcp_request *request,
                     bool is_modern)
{
    bool starts = tr_str_eq(request->message.method, TR_STR("initialize"));
    tr_str token = tr_str_from(peer->bearer);
    if (!peer->brings_credentials)
        return true;
    if (!is_modern && !starts && !peer->session)
        return true; /* join() refuses it */
    bool counts = is_modern || starts;
    if (!(counts ? tr_mcp_credential_find(request, &token)
                 : tr_mcp_credential_agrees(request, token)) ||
        !tr_mcp_credential_use(request, token))
        return false;
    if (!starts || is_modern)
        return true;
    if (refuse_other(peer, request))
        return false;
    if (tr_mcp_peer_bring(peer, token))
        return true;
    tr_mcp_reply_failure(request, &no_memory, NULL);
    return false;
}

void tr_mcp_peer_done(struct tr_mcp_peer *peer)
{
    if (peer->bearer)
        tr_crypto_secret_wipe(peer->bearer, strlen(peer->bearer));
    free(peer->bearer);
    peer->bearer = NULL;
}

void tr_mcp_peer_end_session(struct tr_mcp_peer *peer)
{
    peer->session = NULL;
    if (peer->ended)
        peer->ended(peer);
}

static void take_request(struct tr_mcp_peer *peer,
                         struct tr_mcp_request *request)
{
    const struct tr_json *claim;
    bool is_modern = tr_mcp_modern_claim(&request->message, &claim);
    if (is_modern)
        request->revision = TR_MCP_2026_07_28;
    if (!identify(peer, request, is_modern))
        return;
    if (is_modern) {
        if (tr_mcp_modern_accept(request, NULL))
            tr_mcp_dispatch(request);
    } else if (tr_str_eq(request->message.method, TR_STR("server/discover"))) {
        tr_mcp_modern_refuse_missing(request);
    } else if (join(peer, request)) {
        tr_mcp_dispatch(request);
    }
}

/* A notification may cancel a request of the session, or a stateless one. */
static void take_notice(struct tr_mcp_peer *peer,
                        const struct tr_mcp_message *message)
{
    if (peer->session)
        tr_mcp_notice(peer->mcp, peer->session, message);
    tr_mcp_notice(peer->mcp, NULL, message);
}

void tr_mcp_peer_accept(struct tr_mcp_peer *peer,
                        struct tr_mcp_request *request)
{
    if (request->batch) {
        tr_str token = tr_str_from(peer->bearer);
        if (peer->brings_credentials &&
            (!tr_mcp_credential_agrees(request, token) ||
             !tr_mcp_credential_use(request, token)))
            return;
        tr_mcp_batch_take(request, peer->session,
                          peer->session ? peer->session->revision
                                        : TR_MCP_NEWEST_LEGACY);
        return;
    }
    if (request->message.kind == TR_MCP_MESSAGE_REQUEST) {
        take_request(peer, request);
        return;
    }
    if (request->message.kind == TR_MCP_MESSAGE_RESPONSE)
        tr_mcp_answered(peer->mcp, peer->session, &request->message);
    else
        take_notice(peer, &request->message);
}

void tr_mcp_peer_take(struct tr_mcp_peer *peer, tr_str message)
{
    struct tr_mcp_sink *sink = peer->sink; /* which all of its requests share */
    struct tr_mcp_request *request = tr_mcp_receive(peer->mcp, &sink, message);
    if (!request)
        return;
    tr_mcp_peer_accept(peer, request);
    tr_mcp_request_release(request);
}

void tr_mcp_peer_refuse(struct tr_mcp_peer *peer)
{
    static const struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_REQUEST,
        .text = TR_STR_INIT("the message is too long"),
    };
    static const struct tr_mcp_head head = {.status = 400};
    tr_mcp_rpc_error_write(&peer->mcp->out, NULL, &error);
    peer->sink->ops->answer(peer->sink, &head, tr_buf_str(&peer->mcp->out));
}
