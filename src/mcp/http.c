#include "mcp/http.h"

#include "mcp/call.h"
#include "mcp/http_sink.h"
#include "mcp/hub.h"
#include "mcp/mcp.h"
#include "mcp/modern.h"
#include "mcp/origin.h"
#include "mcp/receive.h"
#include "mcp/relay.h"
#include "mcp/reply.h"
#include "mcp/session.h"
#include "mcp/trace.h"

#define SESSION_HEADER TR_STR("Mcp-Session-Id")
#define VERSION_HEADER TR_STR("MCP-Protocol-Version")
#define METHODS        "POST, GET, DELETE, OPTIONS"

/* For what is wrong before there is a message. */
static void respond_error(struct tr_http_exchange *x, struct tr_mcp *mcp,
                          int status, int code, const char *text)
{
    tr_http_field type = {TR_STR("Content-Type"), TR_STR("application/json")};
    struct tr_rpc_error error = {.code = code, .text = tr_str_from(text)};
    tr_buf_clear(&mcp->out);
    tr_rpc_error_write(&mcp->out, NULL, &error);
    tr_http_respond(x, status, &type, 1, tr_buf_str(&mcp->out));
}

bool tr_mcp_http_refuse_foreign(struct tr_http_exchange *x, struct tr_mcp *mcp)
{
    if (tr_origin_is_allowed(tr_http_exchange_request(x), &mcp->opts.origins))
        return false;
    respond_error(x, mcp, 403, TR_RPC_REQUEST, "Origin or Host is not allowed");
    return true;
}

/* "application/json", perhaps with parameters. */
static bool is_json(tr_str type)
{
    tr_str before;
    tr_str after;
    if (tr_str_cut(type, ';', &before, &after))
        type = tr_str_trim(before);
    return tr_http_same_name(type, TR_STR("application/json"));
}

/* In a stateless revision a closed stream means that nobody waits. */
static void on_gone(void *owner)
{
    tr_request_cancel(owner);
}

static void refuse_session(struct tr_mcp_request *request, int status, int code,
                           const char *text)
{
    struct tr_rpc_error error = {
        .code = code, .http = status, .text = tr_str_from(text)};
    tr_reply_error(request, &error);
}

/* The session that the headers name; answers and gives NULL when none. */
static struct tr_session *session_of(struct tr_mcp_request *request,
                                     const struct tr_http_entry *entry)
{
    enum tr_revision revision;
    if (!entry->has_session) {
        refuse_session(request, 400, -32000,
                       "Bad Request: Session ID required");
        return NULL;
    }
    struct tr_session *session = tr_session_find(request->mcp, entry->session);
    if (!session) {
        refuse_session(request, 404, -32001, "Session not found");
        return NULL;
    }
    if (entry->has_version && !tr_revision_find(entry->version, &revision)) {
        refuse_session(request, 400, -32000,
                       "Bad Request: Unsupported protocol version");
        return NULL;
    }
    return session;
}

static void start_session(struct tr_mcp_request *request)
{
    struct tr_session *session = tr_session_create(request->mcp, true);
    if (!session) {
        refuse_session(request, 503, -32000, "Too many sessions");
        return;
    }
    request->sink->ops->name(request->sink, session->id);
    tr_mcp_join(request, session);
    tr_mcp_dispatch(request);
}

static bool is_modern(const struct tr_http_entry *entry)
{
    return entry->has_version && tr_revision_is_modern_name(entry->version);
}

static void take_modern(struct tr_mcp_request *request,
                        const struct tr_http_request *http)
{
    request->http = http;
    request->sink->gone = on_gone;
    request->sink->owner = request;
    if (tr_modern_accept(request, http))
        tr_mcp_dispatch(request);
}

static void refuse_header(struct tr_mcp_request *request)
{
    struct tr_rpc_error error = {
        .code = TR_RPC_HEADER,
        .http = 400,
        .text = TR_STR("Header mismatch: MCP-Protocol-Version is not the "
                       "version of the body"),
    };
    tr_reply_error(request, &error);
}

/*
 * Which era a request belongs to is said by its body, not by its headers.
 * `http` is NULL when the exchange is on another loop: only sessions are.
 */
static void take_request(struct tr_mcp_request *request,
                         const struct tr_http_entry *entry,
                         const struct tr_http_request *http)
{
    const struct tr_json *claim;
    bool starts = tr_str_eq(request->message.method, TR_STR("initialize"));
    if (http && tr_modern_claim(&request->message, &claim)) {
        take_modern(request, http);
    } else if (is_modern(entry) && starts) {
        refuse_header(request);
    } else if (is_modern(entry)) {
        tr_modern_refuse_missing(request);
    } else if (starts && http) {
        start_session(request);
    } else {
        struct tr_session *session = session_of(request, entry);
        if (session) {
            tr_mcp_join(request, session);
            tr_mcp_dispatch(request);
        }
    }
}

/* Nothing is answered to these but that they have arrived. */
static void take_other(struct tr_mcp_request *request,
                       const struct tr_http_entry *entry)
{
    const struct tr_json *claim;
    bool modern =
        request->message.kind == TR_MESSAGE_NOTIFICATION &&
        (tr_modern_claim(&request->message, &claim) || is_modern(entry));
    struct tr_session *session = modern ? NULL : session_of(request, entry);
    if (!modern && !session)
        return;
    if (request->message.kind == TR_MESSAGE_RESPONSE)
        tr_mcp_answered(request->mcp, session, &request->message);
    else if (session)
        tr_mcp_notice(request->mcp, session, &request->message);
    request->sink->ops->end(request->sink, 202);
    tr_request_release(request);
}

static void take_post(struct tr_mcp *mcp, const struct tr_http_entry *entry,
                      struct tr_sink *sink, const struct tr_http_request *http)
{
    struct tr_mcp_request *request = tr_mcp_receive(mcp, sink, entry->body);
    if (!request)
        return;
    tr_trace_join(request, entry->traceparent);
    if (request->message.kind == TR_MESSAGE_REQUEST)
        take_request(request, entry, http);
    else
        take_other(request, entry);
}

/* The stream of a session's unasked messages is gone, the session is not. */
static void stream_gone(void *owner)
{
    struct tr_session *session = owner;
    struct tr_sink *stream = session->stream;
    session->stream = NULL;
    stream->ops->release(stream);
}

static void send_error(struct tr_mcp *mcp, struct tr_sink *sink, int status,
                       const struct tr_rpc_error *error)
{
    tr_buf_clear(&mcp->out);
    tr_rpc_error_write(&mcp->out, NULL, error);
    sink->ops->send(sink, TR_MESSAGE_RESPONSE, status, tr_buf_str(&mcp->out));
    sink->ops->release(sink);
}

static void open_session_stream(struct tr_session *session,
                                struct tr_sink *sink)
{
    static const struct tr_rpc_error taken = {
        .code = -32000,
        .text =
            TR_STR_INIT("Conflict: Only one SSE stream is allowed per session"),
    };
    if (session->stream) {
        send_error(session->mcp, sink, 409, &taken);
        return;
    }
    session->stream = sink;
    sink->gone = stream_gone;
    sink->owner = session;
    sink->ops->open(sink);
}

/* GET and DELETE are about a session and nothing else. */
static void take_session_verb(struct tr_mcp *mcp,
                              const struct tr_http_entry *entry,
                              struct tr_sink *sink)
{
    static const struct tr_rpc_error missing = {
        .code = -32000,
        .text = TR_STR_INIT("Bad Request: Session ID required"),
    };
    static const struct tr_rpc_error unknown = {
        .code = -32001, .text = TR_STR_INIT("Session not found")};
    struct tr_session *session =
        entry->has_session ? tr_session_find(mcp, entry->session) : NULL;
    if (!session) {
        send_error(mcp, sink, entry->has_session ? 404 : 400,
                   entry->has_session ? &unknown : &missing);
    } else if (entry->verb == TR_HTTP_GET) {
        open_session_stream(session, sink);
    } else {
        tr_session_free(session);
        sink->ops->end(sink, 200);
        sink->ops->release(sink);
    }
}

/* What came to another loop, on the loop that has the session. */
static void serve_far(struct tr_mcp *mcp, const struct tr_http_entry *entry,
                      struct tr_sink *sink)
{
    if (entry->verb == TR_HTTP_POST)
        take_post(mcp, entry, sink, NULL);
    else
        take_session_verb(mcp, entry, sink);
}

/* The loop that gave out the session id, when that is another one. */
static struct tr_mcp *other_loop(struct tr_mcp *mcp,
                                 const struct tr_http_entry *entry)
{
    size_t number;
    if (!entry->has_session || is_modern(entry) ||
        !tr_session_loop(entry->session, &number) || number == mcp->number)
        return NULL;
    return tr_hub_find(mcp->opts.hub, number);
}

static struct tr_http_entry entry_of(const struct tr_http_request *http,
                                     enum tr_http_verb verb)
{
    struct tr_http_entry entry = {.verb = verb, .body = http->body};
    entry.has_session =
        tr_http_header_find(http, SESSION_HEADER, &entry.session);
    entry.has_version =
        tr_http_header_find(http, VERSION_HEADER, &entry.version);
    entry.traceparent = tr_http_header(http, TR_STR("traceparent"));
    return entry;
}

static void serve(struct tr_http_exchange *x, struct tr_mcp *mcp,
                  enum tr_http_verb verb)
{
    const struct tr_http_request *http = tr_http_exchange_request(x);
    struct tr_http_entry entry = entry_of(http, verb);
    struct tr_mcp *far = other_loop(mcp, &entry);
    if (verb == TR_HTTP_POST)
        tr_http_exchange_take_report(x); /* each message has its own */
    if (far) {
        tr_relay_start(x, mcp, far, &entry, serve_far);
        return;
    }
    struct tr_sink *sink = tr_http_sink_create(x);
    if (!sink)
        return;
    if (verb == TR_HTTP_POST)
        take_post(mcp, &entry, sink, http);
    else
        take_session_verb(mcp, &entry, sink);
}

void tr_mcp_http_post(struct tr_http_exchange *x, void *app)
{
    tr_str type =
        tr_http_header(tr_http_exchange_request(x), TR_STR("Content-Type"));
    if (is_json(type))
        serve(x, app, TR_HTTP_POST);
    else
        respond_error(x, app, 415, TR_RPC_REQUEST,
                      "Content-Type must be application/json");
}

void tr_mcp_http_get(struct tr_http_exchange *x, void *app)
{
    serve(x, app, TR_HTTP_GET);
}

void tr_mcp_http_delete(struct tr_http_exchange *x, void *app)
{
    serve(x, app, TR_HTTP_DELETE);
}

/* What a browser asks before a page may send what it wants to send. */
void tr_mcp_http_options(struct tr_http_exchange *x, void *app)
{
    tr_http_field fields[TR_ORIGIN_FIELDS + 4];
    (void)app;
    size_t count = tr_origin_fields(tr_http_exchange_request(x), fields);
    fields[count++] = (tr_http_field){TR_STR("Allow"), TR_STR(METHODS)};
    if (count > 1) {
        tr_str wanted =
            tr_http_header(tr_http_exchange_request(x),
                           TR_STR("Access-Control-Request-Headers"));
        fields[count++] = (tr_http_field){
            TR_STR("Access-Control-Allow-Methods"), TR_STR(METHODS)};
        fields[count++] =
            (tr_http_field){TR_STR("Access-Control-Allow-Headers"),
                            wanted.len ? wanted : TR_STR("content-type")};
        fields[count++] =
            (tr_http_field){TR_STR("Access-Control-Max-Age"), TR_STR("600")};
    }
    tr_http_respond(x, 204, fields, count, TR_STR(""));
}
