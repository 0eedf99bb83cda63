#include "gate/page.h"
#include "mcp/batch.h"
#include "mcp/credential.h"
#include "mcp/headers.h"
#include "mcp/http_session.h"
#include "mcp/http_wire.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/receive.h"
#include "mcp/relay.h"
#include "mcp/reply.h"
#include "mcp/session.h"
#include "mcp/trace.h"
#include "mcp/transport.h"

#define SESSION_HEADER TR_STR("Mcp-Session-Id")
#define RESUME_HEADER  TR_STR("Last-Event-ID")
#define METHODS        "POST, GET, DELETE, OPTIONS"

/* Answers what is wrong before there is a message: an error without an id. */
static void respond_error(struct tr_http_exchange **x, struct tr_mcp *mcp,
                          int status, int code, const char *text)
{
    tr_http_field type = {TR_STR("Content-Type"), TR_STR("application/json")};
    struct tr_mcp_rpc_error error = {.code = code, .text = tr_str_from(text)};
    tr_mcp_rpc_error_write(&mcp->out, NULL, &error);
    tr_http_respond(*x, status, &type, 1, tr_buf_str(&mcp->out));
    *x = NULL;
}

bool tr_mcp_http_judge_origin(struct tr_http_exchange *x, void *app)
{
    struct tr_mcp *mcp = app;
    const char *why;
    int status = tr_gate_judge_page(&mcp->opts.gate, x, &why);
    if (status)
        respond_error(&x, mcp, status, TR_MCP_RPC_REQUEST, why);
    return status == 0;
}

/*
 * "Closing the SSE response stream MUST be treated by the server as
 * cancellation" (2026-07-28, basic/transports/streamable-http, Cancellation).
 */
static void peer_gone(void *owner)
{
    struct tr_mcp_request *request = owner;
    tr_mcp_request_cancel(&request);
}

static void take_modern(struct tr_mcp_request *request,
                        const struct tr_http_request *http)
{
    request->http = http;
    request->sink->gone = peer_gone;
    request->sink->owner = request;
    if (tr_mcp_modern_accept(request, http))
        tr_mcp_dispatch(request);
}

static void refuse_header(struct tr_mcp_request *request)
{
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_HEADER,
        .http = 400,
        .text = TR_STR("Header mismatch: MCP-Protocol-Version is not the "
                       "version of the body"),
    };
    tr_mcp_reply_error(request, &error);
}

/*
 * Which era a request belongs to is said by its body, not by its headers.
 * `http` is NULL when the exchange is on another loop: only sessions are.
 */
static void take_request(struct tr_mcp_request *request,
                         const struct tr_mcp_http_entry *entry,
                         const struct tr_http_request *http)
{
    const struct tr_json *claim;
    bool starts = tr_str_eq(request->message.method, TR_STR("initialize"));
    bool claims = tr_mcp_modern_claim(&request->message, &claim);
    if (http && claims) {
        take_modern(request, http);
    } else if (claims || (entry->is_modern && starts)) {
        refuse_header(request);
    } else if (entry->is_modern) {
        tr_mcp_modern_refuse_missing(request);
    } else if (starts) {
        tr_mcp_http_session_start(request);
    } else {
        tr_mcp_http_session_take(request, entry);
    }
}

/* A notification of a stateless revision says nothing that we would act on. */
static bool is_modern_notice(const struct tr_mcp_request *request,
                             const struct tr_mcp_http_entry *entry)
{
    const struct tr_json *claim;
    return !request->batch &&
           request->message.kind == TR_MCP_MESSAGE_NOTIFICATION &&
           (tr_mcp_modern_claim(&request->message, &claim) || entry->is_modern);
}

/* Refuses a batch where its header names a revision that has none: who has no
 * session is told that before. */
static bool is_wrong_batch(struct tr_mcp_request *request,
                           const struct tr_mcp_http_entry *entry)
{
    enum tr_mcp_revision revision;
    if (!request->batch || !entry->has_version ||
        !tr_mcp_revision_find(entry->version, &revision) ||
        tr_mcp_revision_has(revision, TR_MCP_HAS_BATCHES))
        return false;
    tr_mcp_batch_take(request, NULL, revision);
    return true;
}

static void take_message(struct tr_mcp_request *request,
                         const struct tr_mcp_http_entry *entry,
                         const struct tr_http_request *http)
{
    tr_mcp_trace_join(request, entry->traceparent);
    if (!tr_mcp_credential_agrees(request, entry->token) ||
        !tr_mcp_credential_take(request, &entry->authority) ||
        is_wrong_batch(request, entry))
        return;
    if (!request->batch && request->message.kind == TR_MCP_MESSAGE_REQUEST)
        take_request(request, entry, http);
    else if (is_modern_notice(request, entry))
        request->sink->ops->accept(request->sink);
    else
        tr_mcp_http_session_take(request, entry);
}

static void take_post(struct tr_mcp *mcp, const struct tr_mcp_http_entry *entry,
                      struct tr_mcp_wire **wire,
                      const struct tr_http_request *http)
{
    struct tr_mcp_sink *sink = &(*wire)->sink;
    *wire = NULL;
    struct tr_mcp_request *request = tr_mcp_receive(mcp, &sink, entry->body);
    if (!request)
        return;
    take_message(request, entry, http);
    tr_mcp_request_release(request);
}

/* Serves what came to another loop, on the loop that has the session. */
static void serve_far(struct tr_mcp *mcp, const struct tr_mcp_http_entry *entry,
                      struct tr_mcp_wire **wire)
{
    if (entry->verb == TR_MCP_HTTP_POST)
        take_post(mcp, entry, wire, NULL);
    else
        tr_mcp_http_session_verb(mcp, entry, wire);
}

/* Finds the loop that gave out the session id, when that is another one. */
static struct tr_mcp *other_loop(struct tr_mcp *mcp,
                                 const struct tr_mcp_http_entry *entry)
{
    if (!entry->has_session || entry->is_modern || !mcp->opts.sessions)
        return NULL;
    return tr_mcp_session_elsewhere(mcp, entry->session);
}

static struct tr_mcp_http_entry entry_of(const struct tr_http_request *http,
                                         enum tr_mcp_http_verb verb)
{
    struct tr_mcp_http_entry entry = {.verb = verb, .body = http->body};
    entry.has_session =
        tr_http_header_find(http, SESSION_HEADER, &entry.session);
    entry.has_version = tr_mcp_headers_version(http, &entry.version);
    entry.is_modern = tr_mcp_headers_are_modern(http);
    entry.resume = tr_http_header(http, RESUME_HEADER);
    entry.traceparent = tr_gate_trace_of(http);
    entry.token = tr_gate_token_of(http);
    return entry;
}

static void serve(struct tr_http_exchange **x, struct tr_mcp *mcp,
                  const struct tr_access_authority *authority,
                  enum tr_mcp_http_verb verb)
{
    const struct tr_http_request *http = tr_http_exchange_request(*x);
    struct tr_mcp_http_entry entry = entry_of(http, verb);
    entry.authority = *authority;
    struct tr_mcp *far = other_loop(mcp, &entry);
    if (verb == TR_MCP_HTTP_POST)
        tr_http_exchange_take_report(*x); /* each message has its own */
    if (far) {
        tr_mcp_relay_start(x, mcp, far, &entry, serve_far);
        return;
    }
    struct tr_mcp_wire *wire = tr_mcp_http_wire_create(x);
    if (!wire)
        return;
    if (verb == TR_MCP_HTTP_POST)
        take_post(mcp, &entry, &wire, http);
    else
        tr_mcp_http_session_verb(mcp, &entry, &wire);
}

bool tr_mcp_http_judge_caller(struct tr_http_exchange *x, void *app)
{
    const struct tr_access_authority *ignored = NULL;
    return tr_mcp_http_identify(&x, app, &ignored);
}

bool tr_mcp_http_judge_message(struct tr_http_exchange *x, void *app)
{
    if (!tr_mcp_http_judge_caller(x, app))
        return false;
    if (tr_gate_sends_json(tr_http_exchange_request(x)))
        return true;
    respond_error(&x, app, 415, TR_MCP_RPC_REQUEST,
                  "Content-Type must be application/json");
    return false;
}

void tr_mcp_http_post(struct tr_http_exchange *x, void *app)
{
    const struct tr_access_authority *authority = NULL;
    if (tr_mcp_http_identify(&x, app, &authority))
        serve(&x, app, authority, TR_MCP_HTTP_POST);
}

/* GET and DELETE are about a session and nothing else. */
static void serve_verb(struct tr_http_exchange **x, struct tr_mcp *mcp,
                       enum tr_mcp_http_verb verb)
{
    static const tr_http_field allow = {TR_STR_INIT("Allow"),
                                        TR_STR_INIT("POST, OPTIONS")};
    const struct tr_access_authority *authority = NULL;
    if (!tr_mcp_http_identify(x, mcp, &authority))
        return;
    if (mcp->opts.sessions) {
        serve(x, mcp, authority, verb);
        return;
    }
    tr_http_respond(*x, 405, &allow, 1, TR_STR(""));
    *x = NULL;
}

void tr_mcp_http_get(struct tr_http_exchange *x, void *app)
{
    serve_verb(&x, app, TR_MCP_HTTP_GET);
}

void tr_mcp_http_delete(struct tr_http_exchange *x, void *app)
{
    serve_verb(&x, app, TR_MCP_HTTP_DELETE);
}

void tr_mcp_http_options(struct tr_http_exchange *x, void *app)
{
    (void)app;
    tr_gate_answer_options(x, TR_STR(METHODS));
}
