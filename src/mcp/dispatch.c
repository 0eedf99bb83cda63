#include "base/text.h"
#include "cap/snapshot.h"
#include "mcp/inside.h"
#include "mcp/listen.h"
#include "mcp/reply.h"
#include "mcp/session.h"

/* What an app must have for a method to exist. */
enum part { ALWAYS, TOOLS, RESOURCES, WATCHING, PROMPTS, COMPLETIONS };

/*
 * A method belongs to one era or to both (2026-07-28, basic/versioning,
 * Terminology).
 */
enum era { LEGACY = 1, MODERN = 2, BOTH = 3 };

/* Every method the server answers. Adding one is one line here and a file. */
static const struct method {
    tr_str name;
    enum era eras;
    enum part part;
    tr_mcp_method_fn *run;
} methods[] = {
    {TR_STR_INIT("tools/call"), BOTH, TOOLS, tr_mcp_tools_call},
    {TR_STR_INIT("tools/list"), BOTH, TOOLS, tr_mcp_tools_list},
    {TR_STR_INIT("resources/read"), BOTH, RESOURCES, tr_mcp_resources_read},
    {TR_STR_INIT("resources/list"), BOTH, RESOURCES, tr_mcp_resources_list},
    {TR_STR_INIT("resources/templates/list"), BOTH, RESOURCES,
     tr_mcp_templates_list},
    {TR_STR_INIT("prompts/get"), BOTH, PROMPTS, tr_mcp_prompts_get},
    {TR_STR_INIT("prompts/list"), BOTH, PROMPTS, tr_mcp_prompts_list},
    {TR_STR_INIT("completion/complete"), BOTH, COMPLETIONS, tr_mcp_complete},
    {TR_STR_INIT("server/discover"), MODERN, ALWAYS, tr_mcp_discover},
    {TR_STR_INIT("subscriptions/listen"), MODERN, ALWAYS, tr_mcp_listen_begin},
    {TR_STR_INIT("initialize"), LEGACY, ALWAYS, tr_mcp_initialize},
    {TR_STR_INIT("ping"), LEGACY, ALWAYS, tr_mcp_ping},
    {TR_STR_INIT("logging/setLevel"), LEGACY, ALWAYS, tr_mcp_set_level},
    {TR_STR_INIT("resources/subscribe"), LEGACY, WATCHING, tr_mcp_subscribe},
    {TR_STR_INIT("resources/unsubscribe"), LEGACY, WATCHING,
     tr_mcp_unsubscribe},
};

static bool is_there(const struct tr_mcp_request *request, enum part part)
{
    tr_cap_counts has = tr_cap_snapshot_counts(request->snapshot);
    switch (part) {
    case TOOLS:
        return has.caps > 0;
    case RESOURCES:
        return has.resources > 0 || has.templates > 0;
    case WATCHING: /* nobody could be told without a session */
        return request->session && (has.resources > 0 || has.templates > 0);
    case PROMPTS:
        return has.prompts > 0;
    case COMPLETIONS:
        return has.completions || has.choices;
    default:
        return true;
    }
}

static const struct method *find_method(const struct tr_mcp_request *request)
{
    enum era era = tr_mcp_revision_has(request->revision, TR_MCP_HAS_SESSIONS)
                       ? LEGACY
                       : MODERN;
    for (size_t i = 0; i < TR_LEN(methods); i++) {
        if ((methods[i].eras & era) &&
            tr_str_eq(methods[i].name, request->message.method))
            return is_there(request, methods[i].part) ? &methods[i] : NULL;
    }
    return NULL;
}

void tr_mcp_dispatch(struct tr_mcp_request *request)
{
    const struct method *method = find_method(request);
    if (method) {
        method->run(request);
        return;
    }
    char text[160];
    tr_str name = tr_utf8_cut(request->message.method, TR_MCP_SHOWN_BYTES);
    (void)snprintf(text, sizeof(text), "Method not found: %.*s", TR_FMT(name));
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_METHOD,
        .http = tr_mcp_revision_has(request->revision, TR_MCP_HAS_SESSIONS)
                    ? 200
                    : 404,
        .text = tr_str_from(text),
    };
    tr_mcp_reply_error(request, &error);
}

static void cancel(struct tr_mcp *mcp, const struct tr_mcp_session *session,
                   const struct tr_mcp_message *message)
{
    const struct tr_json *id =
        tr_json_find(message->params, TR_STR("requestId"));
    struct tr_mcp_request *request = tr_mcp_request_find(mcp, session, id);
    if (request)
        tr_mcp_request_cancel(&request);
    else if (!session)
        (void)tr_mcp_listen_cancel(mcp, id);
}

/* Other notifications say nothing that we would act on. */
void tr_mcp_notice(struct tr_mcp *mcp, struct tr_mcp_session *session,
                   const struct tr_mcp_message *message)
{
    if (tr_str_eq(message->method, TR_STR("notifications/cancelled")))
        cancel(mcp, session, message);
}
