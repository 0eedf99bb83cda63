#include "mcp/session.h"

#include "base/limits.h"
#include "crypto/hex.h"
#include "crypto/random.h"
#include "json/copy.h"
#include "loop/loop.h"
#include "mcp/mcp.h"

#define ID_BYTES    24
#define LOOP_DIGITS 4

static size_t count_sessions(const struct tr_mcp *mcp)
{
    size_t count = 0;
    for (struct tr_session *s = mcp->sessions; s; s = s->next)
        count++;
    return count;
}

/* The loop's number in four digits, then what nobody can guess. */
static bool make_id(struct tr_session *session)
{
    unsigned char bytes[ID_BYTES];
    char text[LOOP_DIGITS + 2 * ID_BYTES + 1];
    if (tr_random_bytes(bytes, sizeof(bytes), NULL) != TR_OK)
        return false;
    (void)snprintf(text, sizeof(text), "%04x",
                   (unsigned)session->mcp->number & 0xFFFF);
    tr_hex_write((tr_str){(const char *)bytes, sizeof(bytes)},
                 text + LOOP_DIGITS);
    return tr_arena_copy(&session->arena, (tr_str){text, sizeof(text) - 1},
                         &session->id);
}

bool tr_session_loop(tr_str id, size_t *out)
{
    size_t number = 0;
    if (id.len != LOOP_DIGITS + 2 * ID_BYTES)
        return false;
    for (size_t i = 0; i < LOOP_DIGITS; i++) {
        int digit = tr_hex_digit(id.ptr[i]);
        if (digit < 0)
            return false;
        number = number * 16 + (size_t)digit;
    }
    *out = number;
    return true;
}

struct tr_session *tr_session_create(struct tr_mcp *mcp, bool with_id)
{
    if (count_sessions(mcp) >= mcp->opts.max_sessions)
        return NULL;
    struct tr_session *session = calloc(1, sizeof(*session));
    if (!session)
        return NULL;
    session->mcp = mcp;
    session->revision = TR_MCP_NEWEST_LEGACY;
    session->note_level = TR_NOTE_INFO;
    session->used_ms = tr_loop_now_ms(mcp->opts.loop);
    tr_arena_init(&session->arena, TR_LIMIT_SESSION_MEMORY);
    session->next = mcp->sessions;
    mcp->sessions = session;
    if (with_id && !make_id(session)) {
        tr_session_free(session);
        return NULL;
    }
    return session;
}

static void cancel_requests(struct tr_session *session)
{
    struct tr_mcp_request *request = session->mcp->requests;
    while (request) {
        struct tr_mcp_request *next = request->next;
        if (request->session == session) {
            request->session = NULL;
            tr_request_cancel(request);
        }
        request = next;
    }
}

void tr_session_free(struct tr_session *session)
{
    struct tr_session **link = &session->mcp->sessions;
    while (*link && *link != session)
        link = &(*link)->next;
    if (*link)
        *link = session->next;
    cancel_requests(session);
    if (session->stream)
        session->stream->ops->release(session->stream);
    for (size_t i = 0; i < session->uri_count; i++)
        free(session->uris[i]);
    free(session->uris);
    tr_arena_done(&session->arena);
    free(session);
}

struct tr_session *tr_session_find(struct tr_mcp *mcp, tr_str id)
{
    struct tr_session *session = mcp->sessions;
    while (session && !(session->id.len && tr_str_eq(session->id, id)))
        session = session->next;
    return session;
}

/* Never a revision that has no initialize; else the newest that has. */
static enum tr_revision choose_revision(tr_str wanted)
{
    enum tr_revision revision;
    if (tr_revision_find(wanted, &revision) &&
        tr_revision_has(revision, TR_HAS_SESSIONS))
        return revision;
    return TR_MCP_NEWEST_LEGACY;
}

tr_status tr_session_start(struct tr_session *session,
                           const struct tr_json *params, struct tr_err *err)
{
    const struct tr_json *version =
        tr_json_find(params, TR_STR("protocolVersion"));
    const struct tr_json *capabilities =
        tr_json_find(params, TR_STR("capabilities"));
    const struct tr_json *own = NULL;

    if (!tr_json_is(version, TR_JSON_STRING))
        return tr_fail(err, TR_E_INVALID,
                       "params.protocolVersion must be a string");
    if (capabilities && capabilities->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_INVALID,
                       "params.capabilities must be an object");
    if (!tr_json_copy(&session->arena, params, &own))
        return tr_fail(err, TR_E_LIMIT, "the client says too much of itself");
    const struct tr_json *info = tr_json_find(own, TR_STR("clientInfo"));
    session->revision = choose_revision(tr_json_text(version));
    session->client = (struct tr_client){
        .name = tr_json_text(tr_json_find(info, TR_STR("name"))),
        .version = tr_json_text(tr_json_find(info, TR_STR("version"))),
        .capabilities = tr_json_find(own, TR_STR("capabilities")),
    };
    session->is_initialized = true;
    return TR_OK;
}

static size_t find_uri(const struct tr_session *session, tr_str uri)
{
    size_t i = 0;
    while (i < session->uri_count &&
           !tr_str_eq(tr_str_from(session->uris[i]), uri))
        i++;
    return i;
}

bool tr_session_watches(const struct tr_session *session, tr_str uri)
{
    return find_uri(session, uri) < session->uri_count;
}

tr_status tr_session_watch(struct tr_session *session, tr_str uri,
                           struct tr_err *err)
{
    if (tr_session_watches(session, uri))
        return TR_OK;
    size_t max = session->mcp->opts.max_subscriptions;
    if (session->uri_count == max)
        return tr_fail(err, TR_E_LIMIT, "more than %zu subscriptions", max);
    if (!session->uris)
        session->uris = calloc(max, sizeof(char *));
    char *copy = session->uris ? calloc(1, uri.len + 1) : NULL;
    if (!copy)
        return tr_fail(err, TR_E_NOMEM, "no memory for a subscription");
    memcpy(copy, uri.ptr, uri.len);
    session->uris[session->uri_count++] = copy;
    return TR_OK;
}

void tr_session_unwatch(struct tr_session *session, tr_str uri)
{
    size_t i = find_uri(session, uri);
    if (i == session->uri_count)
        return;
    free(session->uris[i]);
    session->uris[i] = session->uris[--session->uri_count];
}
