/* The transport of 2024-11-05 (basic/transports, HTTP with SSE). */
#include "mcp/call.h"
#include "mcp/credential.h"
#include "mcp/http_wire.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/peer.h"
#include "mcp/receive.h"
#include "mcp/relay.h"
#include "mcp/reply.h"
#include "mcp/session.h"
#include "mcp/session_id.h"
#include "mcp/trace.h"
#include "mcp/transport.h"

/* The one stream of a client, over which everything is sent to it. */
struct stream {
    struct tr_mcp_sink sink; /* first: all of its requests share it */
    struct tr_mcp_peer peer;
    struct tr_mcp_wire *wire; /* owned; NULL once the client has gone */
    size_t users;             /* requests, the session's stream and its peer */
};

static void send(struct tr_mcp_sink *sink, tr_str message)
{
    struct stream *stream = (struct stream *)(void *)sink;
    struct tr_mcp_event event = {.data = message};
    if (stream->wire)
        stream->wire->ops->event(stream->wire, &event);
}

static void release(struct tr_mcp_sink *sink)
{
    struct stream *stream = (struct stream *)(void *)sink;
    if (--stream->users == 0)
        free(stream);
}

static const struct tr_mcp_sink_ops ops = {
    .send = send,
    .answer = tr_mcp_sink_answer_headless,
    .accept = tr_mcp_sink_accept_headless, /* its POST has its 202 already */
    .release = release,
};

static struct stream *stream_of(struct tr_mcp_peer *peer)
{
    return (struct stream *)(void *)peer->sink;
}

/* The session has ended; it has let go of the stream already. */
static void session_ended(struct tr_mcp_peer *peer)
{
    struct stream *stream = stream_of(peer);
    tr_mcp_wire_drop(&stream->wire);
    release(&stream->sink);
}

/* The session ends with its stream: the client could not come back to it. */
static void peer_gone(void *owner)
{
    struct stream *stream = owner;
    tr_mcp_session_free(stream->peer.session);
}

static void tell_endpoint(struct stream *stream)
{
    char text[128];
    int len =
        snprintf(text, sizeof(text), TR_MCP_SSE_MESSAGES "?sessionId=%.*s",
                 TR_FMT(stream->peer.session->id));
    struct tr_mcp_event event = {
        .type = TR_STR("endpoint"),
        .data = {text, (size_t)len},
    };
    stream->wire->ops->event(stream->wire, &event);
}

/*
 * Opens a session over the wire; false, and the wire is not taken, when there
 * is no room for it.
 */
static bool open_stream(struct tr_mcp *mcp, struct tr_mcp_wire **wire,
                        const struct tr_access_authority *owner)
{
    struct tr_mcp_session *session = tr_mcp_session_create(mcp, owner);
    bool is_named =
        session && tr_mcp_session_name(session, TR_MCP_SESSION_ID_SSE);
    struct stream *stream = is_named ? calloc(1, sizeof(*stream)) : NULL;
    if (!stream) {
        if (session)
            tr_mcp_session_free(session);
        return false;
    }
    stream->sink.ops = &ops;
    stream->wire = *wire;
    stream->wire->sink.gone = peer_gone;
    stream->wire->sink.owner = stream;
    *wire = NULL;
    stream->users = 2;
    stream->peer = (struct tr_mcp_peer){
        .mcp = mcp,
        .sink = &stream->sink,
        .session = session,
        .ended = session_ended,
    };
    session->peer = &stream->peer;
    tr_mcp_caller_use(session); /* as long as its stream is open */
    session->stream = &stream->sink;
    tell_endpoint(stream);
    return true;
}

void tr_mcp_sse_get(struct tr_http_exchange *x, void *app)
{
    struct tr_mcp *mcp = app;
    const struct tr_access_authority *authority = NULL;
    if (!tr_mcp_http_identify(&x, mcp, &authority))
        return;
    if (!mcp->opts.sessions) {
        tr_http_respond_text(x, 404, "this server has no sessions\n");
        return;
    }
    struct tr_mcp_wire *wire = tr_mcp_http_wire_create(&x);
    if (wire && !open_stream(mcp, &wire, authority))
        tr_mcp_wire_end(&wire, 503);
}

/* A message that claims a revision without sessions does not belong here. */
static bool refuse_modern(struct tr_mcp_request *request)
{
    static const struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_REQUEST,
        .http = 400,
        .text = TR_STR_INIT("this transport is for revisions with sessions; "
                            "POST to /mcp"),
    };
    const struct tr_json *claim;
    if (!tr_mcp_modern_claim(&request->message, &claim))
        return false;
    tr_mcp_reply_error(request, &error);
    return true;
}

/* The request goes on to the stream; its exchange has nothing more to say. */
static void move_to_stream(struct tr_mcp_request *request,
                           struct stream *stream)
{
    struct tr_mcp_sink *exchange = request->sink;
    stream->users++;
    request->sink = &stream->sink;
    exchange->ops->accept(exchange);
    exchange->ops->release(exchange);
}

static void take_message(struct tr_mcp_request *request, struct stream *stream,
                         const struct tr_mcp_http_entry *entry)
{
    if (refuse_modern(request))
        return;
    tr_mcp_trace_join(request, entry->traceparent);
    if (!tr_mcp_credential_agrees(request, entry->token) ||
        !tr_mcp_credential_take(request, &entry->authority))
        return;
    move_to_stream(request, stream);
    tr_mcp_peer_accept(&stream->peer, request);
}

/*
 * A message that cannot be read is refused where it came; all others are
 * answered on the stream.
 */
static void take(struct tr_mcp *mcp, const struct tr_mcp_http_entry *entry,
                 struct tr_mcp_wire **wire)
{
    struct tr_mcp_session *session = tr_mcp_session_find(mcp, entry->session);
    if (!session || !session->peer ||
        !tr_access_authority_same(&session->owner, &entry->authority)) {
        tr_mcp_wire_end(wire, 404);
        return;
    }
    struct tr_mcp_sink *sink = &(*wire)->sink;
    *wire = NULL;
    struct tr_mcp_request *request = tr_mcp_receive(mcp, &sink, entry->body);
    if (!request)
        return;
    take_message(request, stream_of(session->peer), entry);
    tr_mcp_request_release(request);
}

/* Finds the value of sessionId in a query. */
static tr_str find_session_id(tr_str query)
{
    static const tr_str key = TR_STR_INIT("sessionId=");
    while (query.len) {
        tr_str pair = query;
        tr_str rest = {NULL, 0};
        if (!tr_str_cut(query, '&', &pair, &rest))
            pair = query;
        if (tr_str_starts(pair, key))
            return tr_str_skip(pair, key.len);
        query = rest;
    }
    return query;
}

void tr_mcp_sse_post(struct tr_http_exchange *x, void *app)
{
    struct tr_mcp *mcp = app;
    const struct tr_http_request *http = tr_http_exchange_request(x);
    const struct tr_access_authority *authority = NULL;
    if (!tr_mcp_http_identify(&x, mcp, &authority))
        return;
    tr_http_exchange_take_report(x); /* the message has its own */
    struct tr_mcp_http_entry entry = {
        .verb = TR_MCP_HTTP_POST,
        .session = find_session_id(http->query),
        .traceparent = tr_gate_trace_of(http),
        .body = http->body,
        .token = tr_gate_token_of(http),
        .authority = *authority,
    };
    struct tr_mcp *far = tr_mcp_session_elsewhere(mcp, entry.session);
    if (far) {
        tr_mcp_relay_start(&x, mcp, far, &entry, take);
        return;
    }
    struct tr_mcp_wire *wire = tr_mcp_http_wire_create(&x);
    if (wire)
        take(mcp, &entry, &wire);
}
