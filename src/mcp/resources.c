#include "cap/cap.h"
#include "cap/snapshot.h"
#include "json/build.h"
#include "mcp/call.h"
#include "mcp/inside.h"
#include "mcp/page.h"
#include "mcp/reply.h"
#include "runtime/found.h"

static void put_resource(struct tr_json_writer *w,
                         const struct tr_cap_snapshot *snapshot, size_t i,
                         struct tr_project_mcp_form form)
{
    tr_project_resource(w, tr_cap_snapshot_resource(snapshot, i), form);
}

static void put_template(struct tr_json_writer *w,
                         const struct tr_cap_snapshot *snapshot, size_t i,
                         struct tr_project_mcp_form form)
{
    tr_project_template(w, tr_cap_snapshot_template(snapshot, i), form);
}

static bool shows_resource(const struct tr_cap_snapshot *snapshot, size_t i,
                           unsigned scopes)
{
    return tr_cap_guard_is_shown(
        &tr_cap_snapshot_resource(snapshot, i)->about.guard, scopes);
}

void tr_mcp_resources_list(struct tr_mcp_request *request)
{
    struct tr_mcp_page_list list = {
        .kind = TR_MCP_LIST_RESOURCES,
        .member = "resources",
        .count = tr_cap_snapshot_counts(request->snapshot).resources,
        .put = put_resource,
        .shows = shows_resource,
    };
    tr_mcp_page_reply(request, &list);
}

static bool shows_template(const struct tr_cap_snapshot *snapshot, size_t i,
                           unsigned scopes)
{
    return tr_cap_guard_is_shown(
        &tr_cap_snapshot_template(snapshot, i)->about.guard, scopes);
}

void tr_mcp_templates_list(struct tr_mcp_request *request)
{
    struct tr_mcp_page_list list = {
        .kind = TR_MCP_LIST_TEMPLATES,
        .member = "resourceTemplates",
        .count = tr_cap_snapshot_counts(request->snapshot).templates,
        .put = put_template,
        .shows = shows_template,
    };
    tr_mcp_page_reply(request, &list);
}

/* What the graph says of a node that is not there is told, too. */
static void reply_not_found(struct tr_mcp_request *request,
                            const struct tr_err *why)
{
    const char *about =
        why && tr_str_starts(request->uri, TR_STR("trails://kg/")) ? why->msg
                                                                   : "";
    char text[sizeof(why->msg) + sizeof("Resource not found: ")];
    struct tr_buf data;
    (void)snprintf(text, sizeof(text), "Resource not found%s%s",
                   about[0] ? ": " : "", about);
    tr_buf_init(&data, request->mcp->out.max);
    tr_buf_put(&data, TR_STR("{\"uri\":"));
    tr_buf_put_json(&data, request->uri);
    tr_buf_putc(&data, '}');
    struct tr_mcp_rpc_error error = {
        .code = tr_mcp_revision_has(request->revision, TR_MCP_HAS_OWN_CODES)
                    ? TR_MCP_RPC_PARAMS
                    : TR_MCP_RPC_NO_RESOURCE,
        .http = 200,
        .text = tr_str_from(text),
        .data = tr_buf_str(&data),
    };
    tr_mcp_reply_error(request, &error);
    tr_buf_done(&data);
}

static void put_member(struct tr_json_writer *w, const char *key,
                       const struct tr_json *from, const char *name)
{
    const struct tr_json *value = tr_json_find(from, tr_str_from(name));
    if (!value)
        return;
    tr_jw_put_value(w, key, value);
}

/* Contents are a text, or an object with text or blob that describes itself. */
static void put_contents(struct tr_mcp_request *request,
                         const struct tr_json *item)
{
    struct tr_json_writer *w = &request->mcp->writer;
    const struct tr_json *uri = tr_json_find(item, TR_STR("uri"));
    tr_str type = request->mime_type;
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "uri", uri ? tr_json_text(uri) : request->uri);
    if (tr_json_find(item, TR_STR("mimeType")))
        put_member(w, "mimeType", item, "mimeType");
    else if (type.len) {
        tr_jw_put_string(w, "mimeType", type);
    }
    if (item->kind == TR_JSON_STRING)
        tr_jw_put_string(w, "text", tr_json_text(item));
    put_member(w, "text", item, "text");
    put_member(w, "blob", item, "blob");
    if (tr_mcp_revision_has(request->revision, TR_MCP_HAS_TITLE))
        put_member(w, "_meta", item, "_meta");
    tr_jw_close(w, '}');
}

/* Contents have _meta since 2025-06-18; before, the result has theirs too. */
static const struct tr_json *meta_of(struct tr_mcp_request *request,
                                     const struct tr_call_outcome *outcome,
                                     const struct tr_json *contents)
{
    if (tr_mcp_revision_has(request->revision, TR_MCP_HAS_TITLE))
        return outcome->meta;
    const struct tr_json *theirs = tr_json_find(contents, TR_STR("_meta"));
    const struct tr_json *both =
        theirs ? tr_json_join(&request->arena, theirs, outcome->meta) : NULL;
    return both ? both : outcome->meta;
}

/* Answers with the contents as the host made them, or with a plain text. */
static void answer_read(struct tr_mcp_request *request,
                        const struct tr_call_outcome *outcome)
{
    const struct tr_json *contents =
        outcome->content ? outcome->content : outcome->value;
    if (outcome->status == TR_E_NOT_FOUND ||
        (outcome->status == TR_OK && !contents)) {
        reply_not_found(request, &outcome->err);
        return;
    }
    if (outcome->status != TR_OK) {
        tr_mcp_fail(request, outcome);
        return;
    }
    struct tr_json_writer *w = tr_mcp_reply_open(request);
    tr_jw_key(w, "contents");
    tr_jw_open(w, '[');
    if (contents->kind == TR_JSON_ARRAY)
        for (size_t i = 0; i < contents->len; i++)
            put_contents(request, &contents->as.items[i]);
    else
        put_contents(request, contents);
    tr_jw_close(w, ']');
    tr_mcp_reply_caching(request, 0, true);
    tr_mcp_reply_send(request, meta_of(request, outcome, contents));
}

void tr_mcp_resources_read(struct tr_mcp_request *request)
{
    const struct tr_json *uri =
        tr_json_find(request->message.params, TR_STR("uri"));
    struct tr_call_found found;
    struct tr_err err;
    if (!tr_json_is(uri, TR_JSON_STRING)) {
        tr_mcp_reply_bad_params(request, "params.uri must be a string");
        return;
    }
    request->uri = tr_json_text(uri);
    if (tr_call_find(request->snapshot, request->uri, &request->arena, &found,
                     &err) != TR_OK) {
        tr_mcp_reply_failure(request, &err, NULL);
        return;
    }
    if (!found.handler) {
        tr_mcp_note_unknown(request, TR_CALL_RESOURCE, request->uri);
        reply_not_found(request, NULL);
        return;
    }
    request->mime_type = found.mime_type;
    struct tr_mcp_run run = {
        .handler = found.handler,
        .kind = TR_CALL_RESOURCE,
        .name = found.name,
        .guard = found.guard,
        .args = found.args,
        .answer = answer_read,
    };
    tr_mcp_run(request, &run);
}
