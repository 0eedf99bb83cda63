#include "mcp/http_session.h"

#include "mcp/batch.h"
#include "mcp/call.h"
#include "mcp/channel.h"
#include "mcp/inside.h"
#include "mcp/receive.h"
#include "mcp/reply.h"
#include "mcp/session.h"
#include "mcp/take_up.h"

/*
 * Other servers use these codes, and clients know them; the statuses are those
 * of 2025-11-25, basic/transports, Session Management.
 */
static const struct tr_mcp_rpc_error no_id = {
    .code = -32000,
    .http = 400,
    .text = TR_STR_INIT("Bad Request: Session ID required"),
};
static const struct tr_mcp_rpc_error unknown = {
    .code = -32001,
    .http = 404,
    .text = TR_STR_INIT("Session not found"),
};
static const struct tr_mcp_rpc_error bad_version = {
    .code = -32000,
    .http = 400,
    .text = TR_STR_INIT("Bad Request: Unsupported protocol version"),
};
static const struct tr_mcp_rpc_error too_many = {
    .code = -32000,
    .http = 503,
    .text = TR_STR_INIT("Too many sessions"),
};
static const struct tr_mcp_rpc_error taken = {
    .code = -32000,
    .http = 409,
    .text = TR_STR_INIT("Conflict: Only one SSE stream is allowed per session"),
};
static const struct tr_mcp_rpc_error bad_event = {
    .code = -32000,
    .http = 400,
    .text = TR_STR_INIT("Bad Request: Last-Event-ID was not sent to this "
                        "session"),
};
static const struct tr_mcp_rpc_error lost_event = {
    .code = -32000,
    .http = 400,
    .text = TR_STR_INIT("Bad Request: the events after Last-Event-ID are no "
                        "longer kept"),
};
static const struct tr_mcp_rpc_error not_now = {
    .code = -32000,
    .http = 503,
    .text = TR_STR_INIT("Service Unavailable: the session cannot be looked up"),
};

/* Finds a session of this caller here, or takes it up again. */
static const struct tr_mcp_rpc_error *
find_own(struct tr_mcp *mcp, const struct tr_mcp_http_entry *entry,
         struct tr_mcp_session **out)
{
    *out = tr_mcp_session_find(mcp, entry->session);
    if (*out && ((*out)->peer ||
                 !tr_access_authority_same(&(*out)->owner, &entry->authority)))
        return &unknown;
    if (*out)
        return NULL;
    switch (tr_mcp_take_up(mcp, entry->session, &entry->authority, out)) {
    case TR_OK:
        return NULL;
    case TR_E_INVALID:
        return &unknown;
    case TR_E_LIMIT:
        return &too_many;
    default:
        return &not_now;
    }
}

/* Finds the session that the headers name, or says what is wrong with them. */
static const struct tr_mcp_rpc_error *
find_session(struct tr_mcp *mcp, const struct tr_mcp_http_entry *entry,
             struct tr_mcp_session **out)
{
    enum tr_mcp_revision revision;
    if (!entry->has_session)
        return &no_id;
    const struct tr_mcp_rpc_error *error = find_own(mcp, entry, out);
    if (error)
        return error;
    if (entry->has_version && !tr_mcp_revision_find(entry->version, &revision))
        return &bad_version;
    return NULL;
}

/*
 * A client without a session tells its revision; if not, it "SHOULD" be taken
 * for 2025-03-26 (2025-06-18, basic/transports, Protocol Version Header).
 */
static const struct tr_mcp_rpc_error *
find_revision(const struct tr_mcp_http_entry *entry, enum tr_mcp_revision *out)
{
    *out = TR_MCP_2025_03_26;
    if (entry->has_version && !(tr_mcp_revision_find(entry->version, out) &&
                                tr_mcp_revision_has(*out, TR_MCP_HAS_SESSIONS)))
        return &bad_version;
    return NULL;
}

/* The sink of a request over HTTP is a wire, until it is a channel. */
static bool use_channel(struct tr_mcp_request *request,
                        struct tr_mcp_session *session)
{
    struct tr_mcp_wire *wire = (struct tr_mcp_wire *)(void *)request->sink;
    struct tr_mcp_sink *channel = tr_mcp_channel_open(session, &wire);
    if (!channel)
        return false;
    request->sink = channel;
    request->has_channel = true;
    return true;
}

static void dispatch(struct tr_mcp_request *request,
                     struct tr_mcp_session *session)
{
    if (use_channel(request, session)) {
        tr_mcp_join(request, session);
        tr_mcp_dispatch(request);
    } else {
        tr_mcp_reply_error(request, &too_many);
    }
}

/*
 * Notifications and responses are answered with 202 alone (2025-11-25,
 * basic/transports, Sending Messages to the Server, 4).
 */
static void take_silent(struct tr_mcp_request *request,
                        struct tr_mcp_session *session)
{
    if (session && request->message.kind == TR_MCP_MESSAGE_RESPONSE)
        tr_mcp_answered(request->mcp, session, &request->message);
    else if (session)
        tr_mcp_notice(request->mcp, session, &request->message);
    request->sink->ops->accept(request->sink);
}

static void take_alone(struct tr_mcp_request *request,
                       const struct tr_mcp_http_entry *entry)
{
    enum tr_mcp_revision revision;
    const struct tr_mcp_rpc_error *error = find_revision(entry, &revision);
    if (error) {
        tr_mcp_reply_error(request, error);
    } else if (request->batch) {
        tr_mcp_batch_take(request, NULL, revision);
    } else if (request->message.kind == TR_MCP_MESSAGE_REQUEST) {
        tr_mcp_join_none(request, revision);
        tr_mcp_dispatch(request);
    } else {
        take_silent(request, NULL);
    }
}

void tr_mcp_http_session_take(struct tr_mcp_request *request,
                              const struct tr_mcp_http_entry *entry)
{
    struct tr_mcp_session *session = NULL;
    if (!request->mcp->opts.sessions) {
        take_alone(request, entry);
        return;
    }
    const struct tr_mcp_rpc_error *error =
        find_session(request->mcp, entry, &session);
    if (error)
        tr_mcp_reply_error(request, error);
    else if (request->batch && use_channel(request, session))
        tr_mcp_batch_take(request, session, session->revision);
    else if (request->batch)
        tr_mcp_reply_error(request, &too_many);
    else if (request->message.kind == TR_MCP_MESSAGE_REQUEST)
        dispatch(request, session);
    else
        take_silent(request, session);
}

/* A session whose initialize was refused is freed again. */
void tr_mcp_http_session_start(struct tr_mcp_request *request)
{
    struct tr_mcp *mcp = request->mcp;
    if (!mcp->opts.sessions) {
        tr_mcp_join_none(request, TR_MCP_NEWEST_LEGACY);
        tr_mcp_dispatch(request);
        return;
    }
    struct tr_mcp_session *session =
        tr_mcp_session_create(mcp, &request->authority);
    if (!session) {
        tr_mcp_reply_error(request, &too_many);
        return;
    }
    dispatch(request, session);
    if (!session->is_initialized)
        tr_mcp_session_free(session);
}

static void answer_error(struct tr_mcp *mcp, struct tr_mcp_wire **wire,
                         const struct tr_mcp_rpc_error *error)
{
    struct tr_mcp_sink *sink = &(*wire)->sink;
    struct tr_mcp_head head = {.status = error->http};
    tr_mcp_rpc_error_write(&mcp->out, NULL, error);
    sink->ops->answer(sink, &head, tr_buf_str(&mcp->out));
    tr_mcp_wire_drop(wire);
}

/* A client that begins anew gives up what it did not take of the old one. */
static const struct tr_mcp_rpc_error *
open_stream(struct tr_mcp_session *session, struct tr_mcp_wire **wire)
{
    struct tr_mcp_sink *old = session->stream;
    if (old && tr_mcp_channel_is_connected(old))
        return &taken;
    struct tr_mcp_sink *channel = tr_mcp_channel_open(session, wire);
    if (!channel)
        return &too_many;
    session->stream = channel;
    if (old)
        old->ops->release(old);
    tr_mcp_channel_start(channel);
    if (session->lists_are_due)
        tr_mcp_tell_lists(session);
    session->lists_are_due = false;
    return NULL;
}

static const struct tr_mcp_rpc_error *
resume(struct tr_mcp_session *session, tr_str id, struct tr_mcp_wire **wire)
{
    switch (tr_mcp_channel_resume(session, id, wire)) {
    case TR_MCP_RESUME_BAD:
        return &bad_event;
    case TR_MCP_RESUME_LOST:
        return &lost_event;
    case TR_MCP_RESUME_ANEW:
        return open_stream(session, wire);
    default:
        return NULL;
    }
}

void tr_mcp_http_session_verb(struct tr_mcp *mcp,
                              const struct tr_mcp_http_entry *entry,
                              struct tr_mcp_wire **wire)
{
    struct tr_mcp_session *session = NULL;
    const struct tr_mcp_rpc_error *error = find_session(mcp, entry, &session);
    if (!error && entry->verb == TR_MCP_HTTP_DELETE) {
        tr_mcp_take_up_end(session, wire);
        return;
    }
    if (!error && entry->resume.len)
        error = resume(session, entry->resume, wire);
    else if (!error)
        error = open_stream(session, wire);
    if (error)
        answer_error(mcp, wire, error);
}
