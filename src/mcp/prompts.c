#include "base/text.h"
#include "cap/snapshot.h"
#include "json/build.h"
#include "mcp/call.h"
#include "mcp/content.h"
#include "mcp/inside.h"
#include "mcp/page.h"
#include "mcp/reply.h"

static void put_prompt(struct tr_json_writer *w,
                       const struct tr_cap_snapshot *snapshot, size_t i,
                       struct tr_project_mcp_form form)
{
    tr_project_prompt(w, tr_cap_snapshot_prompt(snapshot, i), form);
}

static bool shows_prompt(const struct tr_cap_snapshot *snapshot, size_t i,
                         unsigned scopes)
{
    return tr_cap_guard_is_shown(
        &tr_cap_snapshot_prompt(snapshot, i)->about.guard, scopes);
}

void tr_mcp_prompts_list(struct tr_mcp_request *request)
{
    struct tr_mcp_page_list list = {
        .kind = TR_MCP_LIST_PROMPTS,
        .member = "prompts",
        .count = tr_cap_snapshot_counts(request->snapshot).prompts,
        .put = put_prompt,
        .shows = shows_prompt,
    };
    tr_mcp_page_reply(request, &list);
}

static void put_message(struct tr_mcp_request *request,
                        const struct tr_json *message)
{
    struct tr_json_writer *w = &request->mcp->writer;
    const struct tr_json *role = tr_json_find(message, TR_STR("role"));
    const struct tr_json *content = tr_json_find(message, TR_STR("content"));
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "role", role ? tr_json_text(role) : TR_STR("user"));
    tr_jw_key(w, "content");
    if (tr_json_is(content, TR_JSON_OBJECT))
        tr_mcp_content_put(w, content, request->revision);
    else
        tr_mcp_content_put_text(w, tr_json_text(content ? content : message));
    tr_jw_close(w, '}');
}

static void answer_get(struct tr_mcp_request *request,
                       const struct tr_call_outcome *outcome)
{
    if (outcome->status != TR_OK) {
        tr_mcp_fail(request, outcome);
        return;
    }
    const struct tr_json *value = outcome->value;
    const struct tr_json *messages = tr_json_find(value, TR_STR("messages"));
    const struct tr_json *about = tr_json_find(value, TR_STR("description"));
    struct tr_json_writer *w = tr_mcp_reply_open(request);
    if (tr_json_is(about, TR_JSON_STRING))
        tr_jw_put_value(w, "description", about);
    tr_jw_key(w, "messages");
    tr_jw_open(w, '[');
    for (size_t i = 0; tr_json_is(messages, TR_JSON_ARRAY) && i < messages->len;
         i++)
        put_message(request, &messages->as.items[i]);
    if (tr_json_is(value, TR_JSON_STRING))
        put_message(request, value);
    tr_jw_close(w, ']');
    tr_mcp_reply_send(request, outcome->meta);
}

void tr_mcp_prompts_get(struct tr_mcp_request *request)
{
    static const struct tr_json no_arguments = {.kind = TR_JSON_OBJECT};
    const struct tr_json *params = request->message.params;
    tr_str name = tr_json_text(tr_json_find(params, TR_STR("name")));
    const struct tr_json *args = tr_json_find(params, TR_STR("arguments"));
    const struct tr_cap_prompt *prompt =
        tr_cap_snapshot_find_prompt(request->snapshot, name);

    if (!prompt) {
        tr_mcp_note_unknown(request, TR_CALL_PROMPT, name);
        tr_str shown = tr_utf8_cut(name, TR_MCP_SHOWN_BYTES);
        tr_mcp_reply_bad_params(request, "Unknown prompt: %.*s", TR_FMT(shown));
        return;
    }
    if (args && args->kind != TR_JSON_OBJECT) {
        tr_mcp_reply_bad_params(request, "params.arguments must be an object");
        return;
    }
    struct tr_mcp_run run = {
        .handler = &prompt->handler,
        .kind = TR_CALL_PROMPT,
        .name = prompt->about.name,
        .guard = &prompt->about.guard,
        .args = args ? args : &no_arguments,
        .input = prompt->input,
        .answer = answer_get,
    };
    tr_mcp_run(request, &run);
}
