/* server/discover (2026-07-28) and initialize (before) tell what we can do. */
#include "cap/live.h"
#include "cap/snapshot.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/reply.h"
#include "mcp/session.h"

/* We promise changes only to a client that can be told of them. */
static void put_part(struct tr_mcp_request *request, const char *name,
                     bool subscribe)
{
    struct tr_json_writer *w = &request->mcp->writer;
    bool can_tell =
        request->session ||
        !tr_mcp_revision_has(request->revision, TR_MCP_HAS_SESSIONS);
    tr_jw_key(w, name);
    tr_jw_open(w, '{');
    if (can_tell && subscribe)
        tr_jw_put_bool(w, "subscribe", true);
    if (can_tell)
        tr_jw_put_bool(w, "listChanged", true);
    tr_jw_close(w, '}');
}

static void put_empty(struct tr_json_writer *w, const char *name)
{
    tr_jw_key(w, name);
    tr_jw_open(w, '{');
    tr_jw_close(w, '}');
}

static void put_extensions(struct tr_json_writer *w,
                           const struct tr_cap_snapshot *snapshot)
{
    tr_jw_key(w, "extensions");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < tr_cap_snapshot_counts(snapshot).extensions; i++) {
        const struct tr_cap_extension *extension =
            tr_cap_snapshot_extension(snapshot, i);
        tr_jw_key_str(w, extension->id);
        tr_jw_value(w, extension->settings);
    }
    tr_jw_close(w, '}');
}

/* Says what the app has, and nothing else: what is not here answers -32601. */
static void put_capabilities(struct tr_mcp_request *request)
{
    struct tr_json_writer *w = &request->mcp->writer;
    tr_cap_counts has = tr_cap_snapshot_counts(request->snapshot);
    tr_jw_key(w, "capabilities");
    tr_jw_open(w, '{');
    if (has.caps)
        put_part(request, "tools", false);
    if (has.resources || has.templates)
        put_part(request, "resources", true);
    if (has.prompts)
        put_part(request, "prompts", false);
    if ((has.completions || has.choices) &&
        tr_mcp_revision_has(request->revision, TR_MCP_HAS_COMPLETIONS))
        put_empty(w, "completions");
    put_empty(w, "logging");
    if (has.extensions &&
        tr_mcp_revision_has(request->revision, TR_MCP_HAS_RESULT_TYPE))
        put_extensions(w, request->snapshot);
    tr_jw_close(w, '}');
}

/* Adds what the templates that the caller sees have in common, each text once:
 * those with the same one stand together. */
static void add_said_once(const struct tr_mcp_request *request,
                          struct tr_buf *out)
{
    size_t count = tr_cap_snapshot_counts(request->snapshot).templates;
    tr_str last = TR_STR("");
    for (size_t i = 0; i < count; i++) {
        const struct tr_cap_about *about =
            &tr_cap_snapshot_template(request->snapshot, i)->about;
        if (!about->said_once.len || tr_str_eq(about->said_once, last) ||
            !tr_mcp_request_may_know(request, &about->guard))
            continue;
        last = about->said_once;
        tr_buf_put(out, out->len ? TR_STR("\n\n") : TR_STR(""));
        tr_buf_put(out, last);
    }
}

/* The author's words come first. */
static void put_instructions(struct tr_mcp_request *request)
{
    struct tr_json_writer *w = &request->mcp->writer;
    struct tr_buf text;
    tr_buf_init(&text, request->mcp->out.max);
    tr_buf_put(&text, tr_cap_snapshot_live(request->snapshot)->instructions);
    add_said_once(request, &text);
    if (tr_buf_check(&text, NULL) != TR_OK)
        tr_jw_refuse(w, text.failed, "no room for the instructions");
    else
        tr_jw_maybe_string(w, "instructions", tr_buf_str(&text));
    tr_buf_done(&text);
}

void tr_mcp_discover(struct tr_mcp_request *request)
{
    request->introduces = true;
    struct tr_json_writer *w = tr_mcp_reply_open(request);
    tr_jw_key(w, "supportedVersions");
    tr_jw_open(w, '[');
    tr_jw_string(w, tr_mcp_revision_name(TR_MCP_2026_07_28));
    tr_jw_close(w, ']');
    put_capabilities(request);
    put_instructions(request);
    tr_mcp_reply_caching(request, 0, true);
    tr_mcp_reply_send(request, NULL);
}

/*
 * Begins the session that the transport made; without one, takes the revision.
 */
static bool start(struct tr_mcp_request *request)
{
    struct tr_mcp_session *session = request->session;
    const struct tr_json *wanted =
        tr_json_find(request->message.params, TR_STR("protocolVersion"));
    struct tr_err err;
    if (!session) {
        request->revision = tr_mcp_session_revision(tr_json_text(wanted));
        return true;
    }
    if (tr_mcp_session_start(session, request->message.params, &err) != TR_OK) {
        tr_mcp_reply_failure(request, &err, NULL);
        return false;
    }
    request->revision = session->revision;
    request->head.session = session->id;
    return true;
}

void tr_mcp_initialize(struct tr_mcp_request *request)
{
    if (!start(request))
        return;
    request->introduces = true;
    struct tr_json_writer *w = tr_mcp_reply_open(request);
    tr_jw_put_string(w, "protocolVersion",
                     tr_mcp_revision_name(request->revision));
    put_capabilities(request);
    tr_mcp_reply_server_info(request, "serverInfo");
    put_instructions(request);
    tr_mcp_reply_send(request, NULL);
}

void tr_mcp_ping(struct tr_mcp_request *request)
{
    (void)tr_mcp_reply_open(request);
    tr_mcp_reply_send(request, NULL);
}

void tr_mcp_set_level(struct tr_mcp_request *request)
{
    tr_str name =
        tr_json_text(tr_json_find(request->message.params, TR_STR("level")));
    int level;
    if (!tr_mcp_note_level_parse(name, &level)) {
        tr_mcp_reply_bad_params(request, "params.level is not a log level");
        return;
    }
    if (request->session)
        request->session->note_level = level;
    (void)tr_mcp_reply_open(request);
    tr_mcp_reply_send(request, NULL);
}
