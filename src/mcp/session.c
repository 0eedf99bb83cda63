#include "mcp/session.h"

#include "base/hash.h"
#include "base/limits.h"
#include "loop/loop.h"
#include "mcp/channel.h"
#include "mcp/client.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "mcp/peer.h"
#include "mcp/session_id.h"

/* For how long a client can resume a stream that has ended. */
#define RESUME_MS 300000

static struct tr_mcp_session **bucket_of(struct tr_mcp *mcp, tr_str id)
{
    struct tr_mcp_session_table *table = mcp->table;
    uint64_t hash = tr_hash_bytes(id, tr_hash_seed(table));
    return &table->buckets[hash % TR_MCP_SESSION_BUCKETS];
}

static void link_session(struct tr_mcp_session *session)
{
    struct tr_mcp *mcp = session->mcp;
    session->next = mcp->sessions;
    if (mcp->sessions)
        mcp->sessions->previous = session;
    mcp->sessions = session;
    mcp->table->count++;
}

static void unlink_session(struct tr_mcp_session *session)
{
    struct tr_mcp *mcp = session->mcp;
    if (session->next)
        session->next->previous = session->previous;
    if (session->previous)
        session->previous->next = session->next;
    else
        mcp->sessions = session->next;
    mcp->table->count--;
    if (session->id.len) {
        struct tr_mcp_session **link = bucket_of(mcp, session->id);
        while (*link != session)
            link = &(*link)->next_in_bucket;
        *link = session->next_in_bucket;
    }
}

static void enter_bucket(struct tr_mcp_session *session)
{
    struct tr_mcp_session **bucket = bucket_of(session->mcp, session->id);
    session->next_in_bucket = *bucket;
    *bucket = session;
}

bool tr_mcp_session_rename(struct tr_mcp_session *session, tr_str id)
{
    if (!tr_arena_copy(&session->arena, id, &session->id))
        return false;
    enter_bucket(session);
    return true;
}

bool tr_mcp_session_name(struct tr_mcp_session *session, tr_str purpose)
{
    const struct tr_mcp *mcp = session->mcp;
    const struct tr_mcp_session_id_draft draft = {
        .keys = mcp->opts.keys,
        .purpose = purpose,
        .loop = mcp->number,
        .owner = &session->owner,
        .now_s = tr_loop_wall(mcp->opts.loop).seconds,
        .revision = session->revision,
        .client = tr_mcp_client_bits(session->client.capabilities),
    };
    if (tr_mcp_session_id_make(&session->arena, &draft, &session->id, NULL) !=
        TR_OK)
        return false;
    enter_bucket(session);
    return true;
}

struct tr_mcp *tr_mcp_session_elsewhere(struct tr_mcp *mcp, tr_str id)
{
    size_t number;
    struct tr_mcp *found = tr_mcp_session_id_loop(id, &number)
                               ? tr_mcp_hub_find(mcp->opts.hub, number)
                               : NULL;
    return found == mcp ? NULL : found;
}

bool tr_mcp_session_own(struct tr_mcp_session *session,
                        const struct tr_access_authority *owner)
{
    session->scopes =
        tr_access_decide_all(owner, session->mcp->opts.production);
    return tr_access_authority_copy(&session->arena, owner, &session->owner);
}

/* Counts the session as this caller's. */
static bool give_to(struct tr_mcp_session *session,
                    const struct tr_access_authority *owner)
{
    return tr_mcp_session_own(session, owner) &&
           tr_mcp_caller_join(session, owner);
}

struct tr_mcp_session *
tr_mcp_session_create(struct tr_mcp *mcp,
                      const struct tr_access_authority *owner)
{
    if (owner && !tr_mcp_caller_make_room(mcp, owner))
        return NULL;
    struct tr_mcp_session *session = calloc(1, sizeof(*session));
    if (!session)
        return NULL;
    session->mcp = mcp;
    session->revision = TR_MCP_NEWEST_LEGACY;
    session->note_level = TR_CALL_NOTE_INFO;
    session->used_ms = tr_loop_now_ms(mcp->opts.loop);
    tr_arena_init(&session->arena, TR_LIMIT_SESSION_MEMORY);
    if (owner && !give_to(session, owner)) {
        tr_arena_done(&session->arena);
        free(session);
        return NULL;
    }
    link_session(session);
    return session;
}

static void cancel_requests(struct tr_mcp_session *session)
{
    struct tr_mcp_request *request = session->mcp->requests;
    while (request) {
        struct tr_mcp_request *next = request->next;
        if (request->session == session) {
            request->session = NULL;
            tr_mcp_request_cancel(&request);
        }
        request = next;
    }
}

static void drop_watch(struct tr_mcp_session *session,
                       struct tr_mcp_watch **link)
{
    struct tr_mcp_watch *watch = *link;
    *link = watch->next_own;
    session->watch_count--;
    tr_mcp_watch_remove(&session->mcp->watches, watch);
    free(watch);
}

void tr_mcp_session_free(struct tr_mcp_session *session)
{
    unlink_session(session);
    tr_mcp_caller_leave(session);
    cancel_requests(session);
    tr_mcp_channel_end_all(session);
    if (session->stream)
        session->stream->ops->release(session->stream);
    if (session->peer)
        tr_mcp_peer_end_session(session->peer);
    while (session->watches)
        drop_watch(session, &session->watches);
    tr_arena_done(&session->arena);
    free(session->given);
    free(session);
}

struct tr_mcp_session *tr_mcp_session_find(struct tr_mcp *mcp, tr_str id)
{
    struct tr_mcp_session *session = *bucket_of(mcp, id);
    while (session && !tr_str_eq(session->id, id))
        session = session->next_in_bucket;
    if (session) {
        session->used_ms = tr_loop_now_ms(mcp->opts.loop);
        tr_mcp_caller_use(session);
    }
    return session;
}

static bool is_in_use(const struct tr_mcp_session *session)
{
    const struct tr_mcp_request *request = session->mcp->requests;
    if (session->peer ||
        (session->stream && tr_mcp_channel_is_connected(session->stream)))
        return true;
    while (request && request->session != session)
        request = request->next;
    return request != NULL;
}

void tr_mcp_session_sweep(struct tr_mcp *mcp)
{
    uint64_t now = tr_loop_now_ms(mcp->opts.loop);
    struct tr_mcp_session *session = mcp->sessions;
    while (session) {
        struct tr_mcp_session *next = session->next;
        tr_mcp_channel_sweep(session, now > RESUME_MS ? now - RESUME_MS : 0);
        if (now - session->used_ms >= mcp->opts.session_timeout_ms) {
            if (is_in_use(session))
                session->used_ms = now;
            else
                tr_mcp_session_free(session);
        }
        session = next;
    }
}

/*
 * A client gets the revision that it wants if that has initialize, else the
 * newest that has (2025-06-18, basic/lifecycle, Version Negotiation).
 */
enum tr_mcp_revision tr_mcp_session_revision(tr_str wanted)
{
    enum tr_mcp_revision revision;
    if (tr_mcp_revision_find(wanted, &revision) &&
        tr_mcp_revision_has(revision, TR_MCP_HAS_SESSIONS))
        return revision;
    return TR_MCP_NEWEST_LEGACY;
}

tr_status tr_mcp_session_start(struct tr_mcp_session *session,
                               const struct tr_json *params, struct tr_err *err)
{
    const struct tr_json *version =
        tr_json_find(params, TR_STR("protocolVersion"));
    const struct tr_json *capabilities =
        tr_json_find(params, TR_STR("capabilities"));

    if (!tr_json_is(version, TR_JSON_STRING))
        return tr_fail(err, TR_E_INVALID,
                       "params.protocolVersion must be a string");
    if (capabilities && capabilities->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_INVALID,
                       "params.capabilities must be an object");
    const struct tr_json *info = tr_json_find(params, TR_STR("clientInfo"));
    struct tr_call_client client = {0};
    if (!tr_mcp_client_keep(&session->arena, info, capabilities, &client))
        return tr_fail(err, TR_E_NOMEM, "no memory for the client's words");
    session->revision = tr_mcp_session_revision(tr_json_text(version));
    session->client = client;
    if (!session->peer && !tr_mcp_session_name(session, TR_MCP_SESSION_ID_HTTP))
        return tr_fail(err, TR_E_NOMEM, "no memory for the session's id");
    session->is_initialized = true;
    return TR_OK;
}

/* Finds what points to the watch of this URI; to NULL when there is none. */
static struct tr_mcp_watch **find_watch(struct tr_mcp_session *session,
                                        tr_str uri)
{
    struct tr_mcp_watch **link = &session->watches;
    while (*link && !tr_str_eq(tr_mcp_watch_uri(*link), uri))
        link = &(*link)->next_own;
    return link;
}

tr_status tr_mcp_session_watch(struct tr_mcp_session *session, tr_str uri,
                               tr_str topic, struct tr_err *err)
{
    if (*find_watch(session, uri))
        return TR_OK;
    size_t max = session->mcp->opts.max_subscriptions;
    if (session->watch_count == max)
        return tr_fail(err, TR_E_INVALID, "more than %zu subscriptions", max);
    struct tr_mcp_watch *watch = calloc(1, sizeof(*watch));
    if (!watch ||
        !tr_mcp_watch_add(&session->mcp->watches, TR_MCP_WATCHER_SESSION, topic,
                          session, watch)) {
        free(watch);
        return tr_fail(err, TR_E_NOMEM, "no memory for a subscription");
    }
    watch->next_own = session->watches;
    session->watches = watch;
    session->watch_count++;
    return TR_OK;
}

void tr_mcp_session_unwatch(struct tr_mcp_session *session, tr_str uri)
{
    struct tr_mcp_watch **link = find_watch(session, uri);
    if (*link)
        drop_watch(session, link);
}
