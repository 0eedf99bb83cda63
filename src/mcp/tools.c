#include "base/text.h"
#include "cap/live.h"
#include "cap/snapshot.h"
#include "json/build.h"
#include "json/reader.h"
#include "mcp/call.h"
#include "mcp/content.h"
#include "mcp/headers.h"
#include "mcp/inside.h"
#include "mcp/page.h"
#include "mcp/reply.h"

static void put_tool(struct tr_json_writer *w,
                     const struct tr_cap_snapshot *snapshot, size_t i,
                     struct tr_project_mcp_form form)
{
    tr_project_tool(w, tr_cap_snapshot_tool(snapshot, i), form);
}

static bool shows_tool(const struct tr_cap_snapshot *snapshot, size_t i,
                       unsigned scopes)
{
    return tr_cap_is_listed(tr_cap_snapshot_tool(snapshot, i), scopes);
}

void tr_mcp_tools_list(struct tr_mcp_request *request)
{
    struct tr_mcp_page_list list = {
        .kind = TR_MCP_LIST_TOOLS,
        .member = "tools",
        .count = tr_cap_snapshot_counts(request->snapshot).tools,
        .put = put_tool,
        .shows = shows_tool,
    };
    tr_mcp_page_reply(request, &list);
}

/*
 * Structured content is an object from 2025-06-18, any value from 2026-07-28
 * (server/tools, Structured Content).
 */
static bool may_be_structured(const struct tr_mcp_request *request,
                              const struct tr_json *value)
{
    if (tr_mcp_revision_has(request->revision, TR_MCP_HAS_ANY_STRUCTURED))
        return true;
    return tr_mcp_revision_has(request->revision, TR_MCP_HAS_STRUCTURED) &&
           value->kind == TR_JSON_OBJECT;
}

/*
 * What a program wants to know of an error, beside the text that has it too.
 * Clients hold structured content against the tool's output, errors or not.
 */
static void put_error_data(struct tr_mcp_request *request,
                           const struct tr_json *data)
{
    if (!tr_json_is(data, TR_JSON_OBJECT) || request->call.cap->output_shape ||
        !tr_mcp_revision_has(request->revision, TR_MCP_HAS_STRUCTURED))
        return;
    tr_jw_put_value(&request->mcp->writer, "structuredContent", data);
}

/* Mostly it is the value, which is there as JSON. */
static void put_structured(struct tr_mcp_request *request,
                           const struct tr_call_outcome *outcome, tr_str json)
{
    struct tr_json_writer *w = &request->mcp->writer;
    const struct tr_json *structured =
        outcome->structured ? outcome->structured : outcome->value;
    if (!structured || !request->call.cap->output_shape ||
        !may_be_structured(request, structured))
        return;
    tr_jw_key(w, "structuredContent");
    if (structured == outcome->value && json.len)
        tr_jw_written(w, json);
    else
        tr_jw_value(w, structured);
}

static void answer_result(struct tr_mcp_request *request,
                          const struct tr_call_outcome *outcome)
{
    struct tr_json_writer *w = tr_mcp_reply_open(request);
    struct tr_buf json;
    tr_buf_init(&json, TR_LIMIT_MESSAGE);
    tr_jw_key(w, "content");
    bool whole = tr_mcp_content_put_all(
        w, outcome, request->revision,
        tr_cap_snapshot_live(request->snapshot)->max_result_bytes, &json);
    if (whole && !outcome->is_error)
        put_structured(request, outcome, tr_buf_str(&json));
    tr_buf_done(&json);
    if (outcome->is_error) {
        put_error_data(request, outcome->data);
        tr_jw_put_bool(w, "isError", true);
    }
    tr_mcp_reply_send(request, outcome->meta);
}

/*
 * Answers with a failure as the result of the tool: what a model is sure to
 * see. Its code is for the log.
 */
static void answer_as_result(struct tr_mcp_request *request,
                             const struct tr_call_outcome *outcome)
{
    struct tr_mcp_told told;
    const struct tr_json *data = NULL;
    tr_str kept;
    tr_mcp_reply_tell(request, outcome, &told);
    if (told.data.len == 0 ||
        !tr_arena_copy(&request->arena, tr_buf_str(&told.data), &kept) ||
        tr_json_read(&request->arena, kept, NULL, &data, NULL) != TR_OK)
        data = NULL;
    tr_buf_done(&told.data);
    struct tr_json text = tr_json_make_text(TR_JSON_STRING, told.failure.text);
    struct tr_call_outcome as_error = {
        .is_error = true, .value = &text, .data = data, .meta = outcome->meta};
    request->error_code = told.failure.wire.code;
    answer_result(request, &as_error);
}

/*
 * What the client cannot do has a code of its own in a stateless revision; in
 * older ones it is an error of the tool.
 */
static bool is_for_model(const struct tr_mcp_request *request, tr_status status)
{
    if (status == TR_E_UNSUPPORTED && request->lacking.len)
        return tr_mcp_revision_has(request->revision, TR_MCP_HAS_SESSIONS);
    return tr_cap_snapshot_live(request->snapshot)->errors_as_results &&
           !tr_call_wire_error(status, false).is_hosts;
}

static void answer_call(struct tr_mcp_request *request,
                        const struct tr_call_outcome *outcome)
{
    if (outcome->status == TR_OK)
        answer_result(request, outcome);
    else if (is_for_model(request, outcome->status))
        answer_as_result(request, outcome);
    else
        tr_mcp_fail(request, outcome);
}

void tr_mcp_tools_call(struct tr_mcp_request *request)
{
    static const struct tr_json no_arguments = {.kind = TR_JSON_OBJECT};
    const struct tr_json *params = request->message.params;
    const struct tr_json *name = tr_json_find(params, TR_STR("name"));
    const struct tr_json *args = tr_json_find(params, TR_STR("arguments"));

    if (!tr_json_is(name, TR_JSON_STRING)) {
        tr_mcp_reply_bad_params(request, "params.name must be a string");
        return;
    }
    if (tr_json_is(args, TR_JSON_NULL))
        args = NULL;
    if (args && args->kind != TR_JSON_OBJECT) {
        tr_mcp_reply_bad_params(request, "params.arguments must be an object");
        return;
    }
    const struct tr_cap *cap =
        tr_cap_snapshot_find_tool(request->snapshot, tr_json_text(name));
    if (!cap) {
        tr_mcp_note_unknown(request, TR_CALL_CAPABILITY, tr_json_text(name));
        tr_str shown = tr_utf8_cut(tr_json_text(name), TR_MCP_SHOWN_BYTES);
        tr_mcp_reply_bad_params(request, "Unknown tool: %.*s", TR_FMT(shown));
        return;
    }
    args = args ? args : &no_arguments;
    if (request->http && tr_mcp_request_may_know(request, &cap->guard) &&
        !tr_mcp_headers_check_params(request, cap, args))
        return;
    struct tr_mcp_run run = {
        .handler = &cap->handler,
        .kind = cap->is_meta ? TR_CALL_META : TR_CALL_CAPABILITY,
        .cap = cap,
        .args = args,
        .key = tr_json_find(request->message.meta,
                            TR_STR("dev.trails/idempotency_key")),
        .answer = answer_call,
    };
    tr_mcp_run(request, &run);
}
