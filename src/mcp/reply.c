#include "mcp/reply.h"

#include "base/text.h"
#include "cap/live.h"
#include "mcp/credential.h"
#include "mcp/inside.h"

#include <stdarg.h>

/*
 * The id of an answer is written as it came, and left out when it could not be
 * read (2025-11-25, basic, Error Responses).
 */
static void put_id(struct tr_json_writer *w, const struct tr_json *id)
{
    if (!id)
        return;
    tr_jw_put_value(w, "id", id);
}

struct tr_json_writer *tr_mcp_message_open(struct tr_mcp *mcp)
{
    tr_buf_clear(&mcp->out);
    tr_jw_init(&mcp->writer, &mcp->out);
    tr_jw_open(&mcp->writer, '{');
    tr_jw_put_string(&mcp->writer, "jsonrpc", TR_STR("2.0"));
    return &mcp->writer;
}

struct tr_json_writer *tr_mcp_reply_open(struct tr_mcp_request *request)
{
    return tr_mcp_reply_open_as(request, "complete");
}

struct tr_json_writer *tr_mcp_reply_open_as(struct tr_mcp_request *request,
                                            const char *result_type)
{
    struct tr_json_writer *w = tr_mcp_message_open(request->mcp);
    put_id(w, request->message.id);
    tr_jw_key(w, "result");
    tr_jw_open(w, '{');
    if (tr_mcp_revision_has(request->revision, TR_MCP_HAS_RESULT_TYPE))
        tr_jw_put_string(w, "resultType", tr_str_from(result_type));
    return w;
}

void tr_mcp_reply_caching(struct tr_mcp_request *request, int64_t ttl_ms,
                          bool is_private)
{
    struct tr_json_writer *w = &request->mcp->writer;
    if (!tr_mcp_revision_has(request->revision, TR_MCP_HAS_RESULT_TYPE))
        return;
    tr_jw_put_i64(w, "ttlMs", ttl_ms);
    tr_jw_put_string(w, "cacheScope",
                     is_private ? TR_STR("private") : TR_STR("public"));
}

void tr_mcp_reply_server_info(struct tr_mcp_request *request, const char *key)
{
    struct tr_json_writer *w = &request->mcp->writer;
    const struct tr_mcp_opts *opts = &request->mcp->opts;
    tr_jw_key(w, key);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "name", opts->name);
    if (request->introduces &&
        tr_mcp_revision_has(request->revision, TR_MCP_HAS_TITLE))
        tr_jw_maybe_string(w, "title", opts->about.title);
    tr_jw_put_string(w, "version", opts->version);
    if (request->introduces &&
        tr_mcp_revision_has(request->revision, TR_MCP_HAS_ICONS)) {
        tr_jw_maybe_string(w, "description", opts->about.description);
        tr_jw_maybe_string(w, "websiteUrl", opts->about.website);
        tr_jw_maybe_value(w, "icons", opts->about.icons);
    }
    tr_jw_close(w, '}');
}

/* Whether the project wants results to have this: [mcp] result_meta. */
static bool is_wanted(const struct tr_mcp_request *request, tr_str key)
{
    return !tr_cap_snapshot_live(request->snapshot)->no_result_meta ||
           !(tr_str_eq(key, TR_STR("dev.trails/provenance")) ||
             tr_str_eq(key, TR_STR("dev.trails/trace_id")));
}

static size_t count_wanted(const struct tr_mcp_request *request,
                           const struct tr_json *meta)
{
    size_t count = 0;
    for (size_t i = 0; meta && i < meta->len; i++)
        count += is_wanted(request, tr_json_text(&meta->as.members[i].key));
    return count;
}

static void put_meta(struct tr_mcp_request *request, const struct tr_json *meta)
{
    struct tr_json_writer *w = &request->mcp->writer;
    bool modern =
        tr_mcp_revision_has(request->revision, TR_MCP_HAS_RESULT_TYPE);
    if (!count_wanted(request, meta) && !modern)
        return;
    tr_jw_key(w, "_meta");
    tr_jw_open(w, '{');
    for (size_t i = 0; meta && i < meta->len; i++) {
        tr_str key = tr_json_text(&meta->as.members[i].key);
        if (!is_wanted(request, key))
            continue;
        tr_jw_key_str(w, key);
        tr_jw_value(w, &meta->as.members[i].value);
    }
    if (modern)
        tr_mcp_reply_server_info(request, "io.modelcontextprotocol/serverInfo");
    tr_jw_close(w, '}');
}

void tr_mcp_reply_put_piece(struct tr_mcp_request *request, tr_str json)
{
    struct tr_json_writer *w = &request->mcp->writer;
    bool in_pieces = request->sink->answer_pieces && !request->is_kept &&
                     json.len <= w->out->max - w->out->len;
    tr_jw_written(w, in_pieces ? TR_STR("") : json);
    if (!in_pieces)
        return;
    request->piece = json;
    request->piece_at = request->mcp->out.len;
}

static void answer(struct tr_mcp_request *request, tr_str text)
{
    tr_str piece = request->piece;
    const struct tr_mcp_pieces pieces = {
        .before = {text.ptr, request->piece_at},
        .piece = piece,
        .after = tr_str_skip(text, request->piece_at)};
    request->is_answered = true;
    request->bytes_out = text.len + piece.len;
    if (piece.len)
        request->sink->answer_pieces(request->sink, &request->head, &pieces);
    else
        request->sink->ops->answer(request->sink, &request->head, text);
}

/*
 * Sends what is in the buffer as the answer to the request. It is empty when
 * there was no memory for an error either; a client gets an answer even then.
 */
static void send_last(struct tr_mcp_request *request, int status)
{
    static const tr_str last_words =
        TR_STR_INIT("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,"
                    "\"message\":\"no memory\"}}");
    tr_str text = tr_buf_str(&request->mcp->out);
    if (request->is_answered)
        return;
    if (!text.len)
        text = last_words;
    request->head.status = status;
    if (request->is_kept &&
        tr_arena_copy(&request->arena, text, &request->kept))
        return;
    answer(request, text);
}

void tr_mcp_reply_keep(struct tr_mcp_request *request)
{
    request->is_kept = true;
}

bool tr_mcp_reply_send_kept(struct tr_mcp_request *request)
{
    if (!request->kept.len)
        return false;
    answer(request, request->kept);
    return true;
}

void tr_mcp_reply_send(struct tr_mcp_request *request,
                       const struct tr_json *meta)
{
    struct tr_json_writer *w = &request->mcp->writer;
    struct tr_err err;
    put_meta(request, meta);
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
    if (tr_jw_finish(w, &err) != TR_OK) {
        tr_err_prefix(&err, "the result cannot be written");
        err.code = TR_E_INTERNAL;
        tr_mcp_reply_failure(request, &err, NULL);
        return;
    }
    send_last(request, 200);
}

/* The data is copied as it is, so whoever made it by hand is not trusted. */
static tr_status write_error(struct tr_buf *out, const struct tr_json *id,
                             const struct tr_mcp_rpc_error *error)
{
    struct tr_json_writer w;
    if (!tr_utf8_is_valid(error->data))
        return TR_E_INVALID;
    tr_jw_init(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_put_string(&w, "jsonrpc", TR_STR("2.0"));
    put_id(&w, id);
    tr_jw_key(&w, "error");
    tr_jw_open(&w, '{');
    tr_jw_put_i64(&w, "code", error->code);
    tr_jw_put_string(&w, "message", error->text);
    if (error->data.len)
        tr_jw_put_raw(&w, "data", error->data);
    tr_jw_close(&w, '}');
    tr_jw_close(&w, '}');
    return tr_jw_finish(&w, NULL);
}

/* What cannot be written is an error too, never the half of one. */
void tr_mcp_rpc_error_write(struct tr_buf *out, const struct tr_json *id,
                            const struct tr_mcp_rpc_error *error)
{
    static const struct tr_mcp_rpc_error unwritten = {
        .code = TR_MCP_RPC_INTERNAL,
        .text = TR_STR_INIT("the error cannot be written"),
    };
    tr_buf_clear(out);
    if (write_error(out, id, error) == TR_OK)
        return;
    tr_buf_clear(out);
    if (write_error(out, id, &unwritten) != TR_OK)
        tr_buf_clear(out); /* there is no memory at all */
}

/*
 * A response that is refused has no id here: its own is that of a question of
 * ours.
 */
void tr_mcp_reply_error(struct tr_mcp_request *request,
                        const struct tr_mcp_rpc_error *error)
{
    const struct tr_mcp_message *message = &request->message;
    request->piece = TR_STR("");
    tr_mcp_rpc_error_write(
        &request->mcp->out,
        message->kind == TR_MCP_MESSAGE_RESPONSE ? NULL : message->id, error);
    request->error_code = error->code;
    send_last(request, error->http);
}

void tr_mcp_reply_bad_params(struct tr_mcp_request *request, const char *format,
                             ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    tr_utf8_mend(text, strlen(text)); /* the end may have been cut */
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_PARAMS, .http = 200, .text = tr_str_from(text)};
    tr_mcp_reply_error(request, &error);
}

/*
 * Writes what an app says of an error, but for the members that are the
 * server's own.
 */
static void put_app_data(struct tr_json_writer *w,
                         const struct tr_call_wire_error *wire,
                         const struct tr_json *data)
{
    for (size_t i = 0; tr_json_is(data, TR_JSON_OBJECT) && i < data->len; i++) {
        const struct tr_json_member *member = &data->as.members[i];
        tr_str key = tr_json_text(&member->key);
        if ((wire->is_ours && tr_str_eq(key, TR_STR("trace_id"))) ||
            (wire->code != wire->seed_code &&
             tr_str_eq(key, TR_STR("trails_code"))))
            continue;
        tr_jw_key_str(w, key);
        tr_jw_value(w, &member->value);
    }
}

/* An error that is not the caller's doing says where to look. */
static void put_data(struct tr_mcp_request *request, struct tr_buf *out,
                     const struct tr_call_wire_error *wire,
                     const struct tr_json *data)
{
    struct tr_json_writer w;
    bool moved = wire->code != wire->seed_code;
    if (!tr_json_is(data, TR_JSON_OBJECT) && !wire->is_ours && !moved)
        return;
    tr_jw_init(&w, out);
    tr_jw_open(&w, '{');
    put_app_data(&w, wire, data);
    if (wire->retry_after_s && !tr_json_find(data, TR_STR("retry_after_s")))
        tr_jw_put_i64(&w, "retry_after_s", wire->retry_after_s);
    if (wire->is_ours)
        tr_jw_put_string(&w, "trace_id", request->trace_id);
    if (moved)
        tr_jw_put_i64(&w, "trails_code", wire->seed_code);
    tr_jw_close(&w, '}');
    if (tr_jw_finish(&w, NULL) != TR_OK)
        tr_buf_clear(out); /* better no data than the half of it */
}

void tr_mcp_reply_tell(struct tr_mcp_request *request,
                       const struct tr_call_outcome *failed,
                       struct tr_mcp_told *told)
{
    const struct tr_call_tell_how how = {
        .own_codes =
            tr_mcp_revision_has(request->revision, TR_MCP_HAS_OWN_CODES),
        .in_production = request->mcp->opts.production,
    };
    struct tr_call_failure *failure = &told->failure;
    tr_call_failure_tell(failed, how, failure);
    tr_buf_init(&told->data, request->mcp->out.max);
    put_data(request, &told->data, &failure->wire, failure->data);
    if (failure->is_fault)
        tr_mcp_access_log_tell_fault(request, failed);
}

void tr_mcp_reply_failed(struct tr_mcp_request *request,
                         const struct tr_call_outcome *failed)
{
    struct tr_mcp_told told;
    tr_mcp_reply_tell(request, failed, &told);
    struct tr_mcp_rpc_error error = {
        .code = told.failure.wire.code,
        .http = tr_mcp_credential_status(request, failed->err.code),
        .text = told.failure.text,
        .data = tr_buf_str(&told.data),
    };
    tr_mcp_reply_error(request, &error);
    tr_buf_done(&told.data);
}

void tr_mcp_reply_failure(struct tr_mcp_request *request,
                          const struct tr_err *err, const struct tr_json *data)
{
    const struct tr_call_outcome failed = {
        .status = err->code, .err = *err, .data = data};
    tr_mcp_reply_failed(request, &failed);
}

struct tr_json_writer *tr_mcp_notify_open(struct tr_mcp *mcp,
                                          const char *method)
{
    struct tr_json_writer *w = tr_mcp_message_open(mcp);
    tr_jw_put_string(w, "method", tr_str_from(method));
    tr_jw_key(w, "params");
    tr_jw_open(w, '{');
    return w;
}

tr_str tr_mcp_notify_close(struct tr_mcp *mcp)
{
    tr_jw_close(&mcp->writer, '}');
    tr_jw_close(&mcp->writer, '}');
    return tr_jw_finish(&mcp->writer, NULL) == TR_OK ? tr_buf_str(&mcp->out)
                                                     : TR_STR("");
}
