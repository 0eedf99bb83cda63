#include "mcp/peer.h"

#include "mcp/batch.h"
#include "mcp/call.h"
#include "mcp/mcp.h"
#include "mcp/modern.h"
#include "mcp/receive.h"
#include "mcp/reply.h"
#include "mcp/session.h"

/* Before initialize only initialize and ping make sense. */
static bool join(struct tr_peer *peer, struct tr_mcp_request *request)
{
    bool starts = tr_str_eq(request->message.method, TR_STR("initialize"));
    if (!peer->session && starts) {
        peer->session = tr_session_create(peer->mcp, false);
        if (peer->session) {
            peer->session->stream = peer->sink;
            peer->session->peer = peer;
        }
    }
    if (peer->session && (starts || peer->session->is_initialized)) {
        tr_mcp_join(request, peer->session);
        return true;
    }
    if (tr_str_eq(request->message.method, TR_STR("ping")))
        return true;
    struct tr_rpc_error error = {
        .code = TR_RPC_REQUEST,
        .http = 400,
        .text = TR_STR("the client has not sent initialize"),
    };
    tr_reply_error(request, &error);
    return false;
}

static void take_request(struct tr_peer *peer, struct tr_mcp_request *request)
{
    const struct tr_json *claim;
    if (tr_modern_claim(&request->message, &claim)) {
        if (tr_modern_accept(request, NULL))
            tr_mcp_dispatch(request);
    } else if (tr_str_eq(request->message.method, TR_STR("server/discover"))) {
        tr_modern_refuse_missing(request);
    } else if (join(peer, request)) {
        tr_mcp_dispatch(request);
    }
}

/* Cancels by id: a request of the session, or one that stands for itself. */
static void take_notice(struct tr_peer *peer, const struct tr_message *message)
{
    if (peer->session)
        tr_mcp_notice(peer->mcp, peer->session, message);
    tr_mcp_notice(peer->mcp, NULL, message);
}

void tr_peer_accept(struct tr_peer *peer, struct tr_mcp_request *request)
{
    if (request->batch) {
        tr_batch_take(request, peer->session,
                      peer->session ? peer->session->revision
                                    : TR_MCP_NEWEST_LEGACY);
        return;
    }
    if (request->message.kind == TR_MESSAGE_REQUEST) {
        take_request(peer, request);
        return;
    }
    if (request->message.kind == TR_MESSAGE_RESPONSE)
        tr_mcp_answered(peer->mcp, peer->session, &request->message);
    else
        take_notice(peer, &request->message);
    tr_request_release(request);
}

void tr_peer_take(struct tr_peer *peer, tr_str message)
{
    struct tr_mcp_request *request =
        tr_mcp_receive(peer->mcp, peer->sink, message);
    if (request)
        tr_peer_accept(peer, request);
}

void tr_peer_refuse(struct tr_peer *peer)
{
    static const struct tr_rpc_error error = {
        .code = TR_RPC_REQUEST,
        .text = TR_STR_INIT("the message is too long"),
    };
    tr_buf_clear(&peer->mcp->out);
    tr_rpc_error_write(&peer->mcp->out, NULL, &error);
    peer->sink->ops->send(peer->sink, TR_MESSAGE_RESPONSE, 400,
                          tr_buf_str(&peer->mcp->out));
}
