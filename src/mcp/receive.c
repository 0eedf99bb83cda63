#include "mcp/receive.h"

#include "json/reader.h"
#include "mcp/inside.h"
#include "mcp/reply.h"
#include "mcp/session.h"
#include "mcp/trace.h"

static bool refuse(struct tr_mcp_request *request, int code, const char *text)
{
    struct tr_mcp_rpc_error error = {
        .code = code, .http = 400, .text = tr_str_from(text)};
    tr_mcp_reply_error(request, &error);
    return false;
}

/* An error of syntax tells its place: clients are written by people. */
static bool refuse_syntax(struct tr_mcp_request *request,
                          const struct tr_err *err)
{
    char text[320];
    (void)snprintf(text, sizeof(text), "Parse error: line %u, column %u: %s",
                   err->place.line, err->place.column, err->msg);
    return refuse(request, TR_MCP_RPC_PARSE, text);
}

/* Takes the text apart; answers and returns false when it is no message. */
static bool read_text(struct tr_mcp_request *request, tr_str text)
{
    const struct tr_json_opts limits = {.max_depth =
                                            request->mcp->opts.max_nesting};
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    tr_str copy;
    if (!tr_arena_copy(&request->arena, text, &copy))
        return refuse(request, TR_MCP_RPC_INTERNAL,
                      "no memory for the message");
    if (tr_json_read(&request->arena, copy, &limits, &tree, &err) != TR_OK)
        return refuse_syntax(request, &err);
    if (tree->kind == TR_JSON_ARRAY) {
        request->batch = tree;
        return true;
    }
    if (tr_mcp_message_parse(tree, &request->message, &err) != TR_OK)
        return refuse(request, TR_MCP_RPC_REQUEST, err.msg);
    tr_mcp_trace_start(request);
    return true;
}

struct tr_mcp_request *tr_mcp_receive(struct tr_mcp *mcp,
                                      struct tr_mcp_sink **sink, tr_str text)
{
    struct tr_mcp_request *request = tr_mcp_request_new(mcp, sink);
    if (!request) {
        (*sink)->ops->release(*sink);
        *sink = NULL;
        return NULL;
    }
    request->revision = TR_MCP_NEWEST_LEGACY;
    if (read_text(request, text))
        return request;
    tr_mcp_request_release(request);
    return NULL;
}

void tr_mcp_join(struct tr_mcp_request *request, struct tr_mcp_session *session)
{
    request->session = session;
    session->scopes = tr_mcp_request_scopes(request);
    request->revision = session->revision;
    request->client = session->client;
    request->note_level = session->note_level;
}

void tr_mcp_join_none(struct tr_mcp_request *request,
                      enum tr_mcp_revision revision)
{
    request->revision = revision;
    request->note_level = TR_CALL_NOTE_INFO;
}
