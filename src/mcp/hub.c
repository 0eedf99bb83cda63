#include "mcp/hub.h"

#include "base/buf.h"
#include "base/limits.h"
#include "loop/loop.h"
#include "mcp/inside.h"
#include "mcp/listen.h"

#include <pthread.h>

/* How much memory a loop keeps for the next changes. */
#define KEPT_BYTES TR_KIB(64)

/* These changes were not announced on the loop yet. */
struct pending {
    struct tr_buf topics; /* each after its length, in the order of changes */
    uint32_t lists[TR_MCP_LISTEN_LISTS]; /* whom each concerns, see hub.h */
    bool overflowed; /* more than fit: any URI may have changed */
};

/* A loop that has joined. */
struct member {
    struct tr_mcp_hub *hub;
    struct tr_mcp *mcp; /* NULL when it has left */
    struct tr_loop_parcel parcel;
    bool is_posted; /* the loop will announce it */
    struct pending pending;
};

/* The mutex guards everything, and is held for a few copies at most. */
struct tr_mcp_hub {
    pthread_mutex_t mutex;
    struct member members[TR_LIMIT_LOOPS];
    size_t count;
};

static void clear(struct pending *pending)
{
    *pending = (struct pending){0};
    tr_buf_init(&pending->topics, TR_LIMIT_CHANGES);
}

tr_status tr_mcp_hub_create(struct tr_mcp_hub **out, struct tr_err *err)
{
    struct tr_mcp_hub *hub = calloc(1, sizeof(*hub));
    if (!hub || pthread_mutex_init(&hub->mutex, NULL) != 0) {
        free(hub);
        return tr_fail(err, TR_E_NOMEM, "no memory for the hub");
    }
    *out = hub;
    return TR_OK;
}

void tr_mcp_hub_free(struct tr_mcp_hub *hub)
{
    if (!hub)
        return;
    for (size_t i = 0; i < hub->count; i++)
        tr_buf_done(&hub->members[i].pending.topics);
    (void)pthread_mutex_destroy(&hub->mutex);
    free(hub);
}

tr_status tr_mcp_hub_join(struct tr_mcp_hub *hub, struct tr_mcp *mcp,
                          struct tr_err *err)
{
    tr_status status = TR_OK;
    (void)pthread_mutex_lock(&hub->mutex);
    if (hub->count == TR_LIMIT_LOOPS) {
        status = tr_fail(err, TR_E_LIMIT, "more than %d loops", TR_LIMIT_LOOPS);
    } else {
        struct member *member = &hub->members[mcp->number = hub->count++];
        *member = (struct member){.hub = hub, .mcp = mcp};
        clear(&member->pending);
    }
    (void)pthread_mutex_unlock(&hub->mutex);
    return status;
}

void tr_mcp_hub_leave(struct tr_mcp_hub *hub, const struct tr_mcp *mcp)
{
    (void)pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < hub->count; i++) {
        if (hub->members[i].mcp == mcp)
            hub->members[i].mcp = NULL;
    }
    (void)pthread_mutex_unlock(&hub->mutex);
}

struct tr_mcp *tr_mcp_hub_find(struct tr_mcp_hub *hub, size_t number)
{
    (void)pthread_mutex_lock(&hub->mutex);
    struct tr_mcp *mcp =
        hub->count ? hub->members[number % hub->count].mcp : NULL;
    (void)pthread_mutex_unlock(&hub->mutex);
    return mcp;
}

static void announce(struct tr_mcp *mcp, const struct pending *pending)
{
    tr_str rest = tr_buf_str(&pending->topics);
    for (unsigned kind = 0; kind < TR_MCP_LISTEN_LISTS; kind++) {
        if (pending->lists[kind])
            tr_mcp_tell_list_changed(mcp, (enum tr_call_list_kind)kind,
                                     pending->lists[kind]);
    }
    if (pending->overflowed)
        tr_mcp_tell_all_updated(mcp);
    while (rest.len) {
        size_t len;
        memcpy(&len, rest.ptr, sizeof(len));
        tr_mcp_tell_updated(mcp, (tr_str){rest.ptr + sizeof(len), len});
        rest = tr_str_skip(rest, sizeof(len) + len);
    }
    tr_mcp_tell_gathered(mcp);
}

/* Runs on the loop. The buffer goes back: small changes need no memory. */
static void announce_pending(void *data)
{
    struct member *member = data;
    struct tr_mcp_hub *hub = member->hub;
    (void)pthread_mutex_lock(&hub->mutex);
    struct pending pending = member->pending;
    clear(&member->pending);
    member->is_posted = false;
    (void)pthread_mutex_unlock(&hub->mutex);

    if (member->mcp)
        announce(member->mcp, &pending);
    if (pending.topics.held > KEPT_BYTES)
        tr_buf_done(&pending.topics);

    (void)pthread_mutex_lock(&hub->mutex);
    if (!member->pending.topics.ptr) {
        tr_buf_clear(&pending.topics);
        member->pending.topics = pending.topics;
        pending.topics.ptr = NULL;
    }
    (void)pthread_mutex_unlock(&hub->mutex);
    tr_buf_done(&pending.topics);
}

/* However much changes meanwhile, the loop is woken once. */
static void wake(struct member *member)
{
    if (member->is_posted)
        return;
    member->is_posted = true;
    member->parcel =
        (struct tr_loop_parcel){.fn = announce_pending, .data = member};
    tr_loop_deliver(member->mcp->opts.loop, &member->parcel);
}

/* A change that does not fit is not lost: then everything may have changed. */
static void put_topic(struct pending *pending, tr_str topic)
{
    struct tr_buf *topics = &pending->topics;
    if (pending->overflowed)
        return;
    tr_buf_put(topics, (tr_str){(const char *)&topic.len, sizeof(topic.len)});
    tr_buf_put(topics, topic);
    if (topics->failed != TR_OK) {
        tr_buf_clear(topics);
        pending->overflowed = true;
    }
}

void tr_mcp_hub_topic(struct tr_buf *out, tr_str uri, enum tr_cap_told told,
                      unsigned scopes, tr_str principal)
{
    tr_buf_put(out, uri);
    if (told == TR_CAP_TOLD_SCOPED)
        tr_buf_putf(out, "\n%u", scopes);
    if (told == TR_CAP_TOLD_OWN)
        tr_buf_putf(out, "\n%.*s", TR_FMT(principal));
}

void tr_mcp_hub_updated(struct tr_mcp_hub *hub, tr_str topic)
{
    (void)pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < hub->count; i++) {
        struct member *member = &hub->members[i];
        if (member->mcp) {
            put_topic(&member->pending, topic);
            wake(member);
        }
    }
    (void)pthread_mutex_unlock(&hub->mutex);
}

void tr_mcp_hub_list_changed(struct tr_mcp_hub *hub,
                             enum tr_call_list_kind kind)
{
    tr_mcp_hub_list_changed_for(hub, kind, UINT32_MAX);
}

void tr_mcp_hub_list_changed_for(struct tr_mcp_hub *hub,
                                 enum tr_call_list_kind kind, uint32_t viewers)
{
    if (!viewers)
        return;
    (void)pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < hub->count; i++) {
        struct member *member = &hub->members[i];
        if (member->mcp) {
            member->pending.lists[kind] |= viewers;
            wake(member);
        }
    }
    (void)pthread_mutex_unlock(&hub->mutex);
}

void tr_mcp_hub_call_ended(struct tr_mcp_hub *hub, const struct tr_call *call)
{
    struct tr_buf topic;
    if (!call->cap || !call->started_ns ||
        (!call->is_recorded && call->activity.ended != TR_PROV_ENDED_DENIED))
        return;
    tr_buf_init(&topic, TR_LIMIT_URI_BYTES);
    tr_mcp_hub_topic(&topic, TR_STR(TR_PROV_LATEST), TR_CAP_TOLD_OWN, 0,
                     call->principal);
    if (tr_buf_check(&topic, NULL) == TR_OK)
        tr_mcp_hub_updated(hub, tr_buf_str(&topic));
    tr_buf_done(&topic);
}
