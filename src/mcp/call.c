#include "mcp/call.h"

#include "base/limits.h"
#include "cap/live.h"
#include "loop/loop.h"
#include "mcp/channel.h"
#include "mcp/given.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/reply.h"
#include "mcp/state.h"
#include "runtime/call.h"
#include "runtime/journal.h"

static struct tr_mcp_request *request_of(struct tr_call *call)
{
    return tr_call_root(call)->door_data;
}

static void send_note(struct tr_mcp_request *request)
{
    tr_str text = tr_mcp_notify_close(request->mcp);
    if (!tr_mcp_reply_is_made(request) && text.len)
        request->sink->ops->send(request->sink, text);
}

/*
 * "The progress value MUST increase with each notification"
 * (basic/utilities/progress, Progress Flow, in every revision): what does not
 * is dropped.
 */
static void progress(struct tr_call *call, double value, const double *total,
                     tr_str message)
{
    struct tr_mcp_request *request = request_of(call);
    if (!request->message.progress_token || tr_mcp_reply_is_made(request) ||
        (request->has_progress && value <= request->progress))
        return;
    request->has_progress = true;
    request->progress = value;
    struct tr_json_writer *w =
        tr_mcp_notify_open(request->mcp, "notifications/progress");
    tr_jw_put_value(w, "progressToken", request->message.progress_token);
    tr_jw_put_double(w, "progress", value);
    if (total)
        tr_jw_put_double(w, "total", *total);
    if (message.len &&
        tr_mcp_revision_has(request->revision, TR_MCP_HAS_PROGRESS_TEXT)) {
        tr_jw_put_string(w, "message", message);
    }
    send_note(request);
}

static void note(struct tr_call *call, enum tr_call_note_level level,
                 tr_str logger, const struct tr_json *data)
{
    struct tr_mcp_request *request = request_of(call);
    if (request->note_level == TR_MCP_NOTE_NONE ||
        (int)level < request->note_level || tr_mcp_reply_is_made(request))
        return;
    struct tr_json_writer *w =
        tr_mcp_notify_open(request->mcp, "notifications/message");
    tr_jw_put_string(w, "level", tr_mcp_note_level_name(level));
    if (logger.len)
        tr_jw_put_string(w, "logger", logger);
    tr_jw_put_value(w, "data", data);
    send_note(request);
}

static void updated(struct tr_call *call, tr_str uri)
{
    tr_mcp_hub_updated(request_of(call)->mcp->opts.hub, uri);
}

static void list_changed(struct tr_call *call, enum tr_call_list_kind kind)
{
    tr_mcp_hub_list_changed(request_of(call)->mcp->opts.hub, kind);
}

static void close_stream(struct tr_call *call)
{
    struct tr_mcp_request *request = request_of(call);
    if (request->has_channel)
        tr_mcp_channel_pause(request->sink);
}

static void finished(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct tr_mcp_request *request = request_of(call);
    request->is_running = false;
    tr_call_journal_forget(request->keeping);
    request->keeping = NULL;
    if (request->kept_journal.len && !tr_call_is_stopped(call))
        tr_call_journal_drop(call, request->kept_journal);
    tr_mcp_hub_call_ended(request->mcp->opts.hub, call);
    if (!request->is_answered && !tr_mcp_reply_send_kept(request)) {
        tr_mcp_given_note(request, outcome);
        request->answer(request, outcome);
    }
    tr_mcp_request_release(request);
}

static const struct tr_call_door_ops door = {
    .progress = progress,
    .note = note,
    .ask = tr_mcp_ask,
    .updated = updated,
    .list_changed = list_changed,
    .close_stream = close_stream,
    .finished = finished,
};

void tr_mcp_run(struct tr_mcp_request *request, const struct tr_mcp_run *run)
{
    struct tr_call_given **given = tr_mcp_given_of(request);
    request->answer = run->answer;
    request->call = (struct tr_call){
        .loop = request->mcp->opts.loop,
        .arena = &request->arena,
        .snapshot = request->snapshot,
        .handler = run->handler,
        .kind = run->kind,
        .cap = run->cap,
        .guard = run->guard,
        .args = run->args,
        .input = run->input,
        .given_idempotency_key = run->key,
        .principal = request->authority.principal,
        .authority = &request->authority,
        .in_production = request->mcp->opts.production,
        .trace_id = request->trace_id,
        .client = &request->client,
        .given = given ? *given : NULL,
        .env = request->mcp->opts.env,
        .activity = {.name = run->name},
        .timeout_ms = tr_cap_snapshot_live(request->snapshot)->call_timeout_ms,
        .door = &door,
        .door_data = request,
    };
    if (!tr_mcp_revision_has(request->revision, TR_MCP_HAS_SESSIONS) &&
        !tr_mcp_state_take_up(request))
        return;
    request->is_running = true;
    request->holders++;
    tr_call_invoke(&request->call);
}

void tr_mcp_note_unknown(struct tr_mcp_request *request, enum tr_call_kind kind,
                         tr_str asked)
{
    struct tr_call call = {
        .loop = request->mcp->opts.loop,
        .arena = &request->arena,
        .principal = request->authority.principal,
        .trace_id = request->trace_id,
        .env = request->mcp->opts.env,
        .kind = kind,
    };
    tr_call_record_unknown(&call, asked);
}

/*
 * A stateless revision has a code for what the client lacks, and its data
 * (2026-07-28, basic, Error Codes: MissingRequiredClientCapability).
 */
static void fail_lacking(struct tr_mcp_request *request)
{
    char data[128];
    char text[128];
    (void)snprintf(data, sizeof(data),
                   "{\"requiredCapabilities\":{\"%.*s\":{}}}",
                   TR_FMT(request->lacking));
    (void)snprintf(text, sizeof(text),
                   "the client must support '%.*s' for this",
                   TR_FMT(request->lacking));
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_CAPABILITY,
        .http = 400,
        .text = tr_str_from(text),
        .data = tr_str_from(data),
    };
    tr_mcp_reply_error(request, &error);
}

void tr_mcp_fail(struct tr_mcp_request *request,
                 const struct tr_call_outcome *outcome)
{
    bool lacking =
        outcome->status == TR_E_UNSUPPORTED && request->lacking.len > 0;
    if (lacking &&
        tr_mcp_revision_has(request->revision, TR_MCP_HAS_RESULT_TYPE))
        fail_lacking(request);
    else
        tr_mcp_reply_failed(request, outcome);
}
