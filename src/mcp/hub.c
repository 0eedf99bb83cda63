#include "mcp/hub.h"

#include "base/limits.h"
#include "loop/loop.h"
#include "mcp/listen.h"
#include "mcp/mcp.h"

#include <pthread.h>
#include <stdatomic.h>

/* One loop's place: which lists have changed since it last looked. */
struct member {
    struct tr_mcp *mcp;
    _Atomic unsigned lists; /* a bit per enum tr_list_kind */
};

/* The mutex guards who is in, which changes only when loops come and go. */
struct tr_hub {
    pthread_mutex_t mutex;
    struct member members[TR_LIMIT_LOOPS];
    size_t count;
};

struct update {
    struct tr_mcp *mcp;
    size_t len;
    char uri[];
};

tr_status tr_hub_create(struct tr_hub **out, struct tr_err *err)
{
    struct tr_hub *hub = calloc(1, sizeof(*hub));
    if (!hub || pthread_mutex_init(&hub->mutex, NULL) != 0) {
        free(hub);
        return tr_fail(err, TR_E_NOMEM, "no memory for the hub");
    }
    *out = hub;
    return TR_OK;
}

void tr_hub_free(struct tr_hub *hub)
{
    if (!hub)
        return;
    (void)pthread_mutex_destroy(&hub->mutex);
    free(hub);
}

tr_status tr_hub_join(struct tr_hub *hub, struct tr_mcp *mcp,
                      struct tr_err *err)
{
    tr_status status = TR_OK;
    (void)pthread_mutex_lock(&hub->mutex);
    if (hub->count == TR_LIMIT_LOOPS)
        status = tr_fail(err, TR_E_LIMIT, "more than %d loops", TR_LIMIT_LOOPS);
    else
        hub->members[mcp->number = hub->count++].mcp = mcp;
    (void)pthread_mutex_unlock(&hub->mutex);
    return status;
}

void tr_hub_leave(struct tr_hub *hub, const struct tr_mcp *mcp)
{
    (void)pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < hub->count; i++) {
        if (hub->members[i].mcp == mcp)
            hub->members[i].mcp = NULL;
    }
    (void)pthread_mutex_unlock(&hub->mutex);
}

struct tr_mcp *tr_hub_find(struct tr_hub *hub, size_t number)
{
    (void)pthread_mutex_lock(&hub->mutex);
    struct tr_mcp *mcp = number < hub->count ? hub->members[number].mcp : NULL;
    (void)pthread_mutex_unlock(&hub->mutex);
    return mcp;
}

static void deliver_update(void *data)
{
    struct update *update = data;
    tr_listen_updated(update->mcp, (tr_str){update->uri, update->len});
    free(update);
}

static void post_update(struct tr_mcp *mcp, tr_str uri)
{
    struct update *update = calloc(1, sizeof(*update) + uri.len);
    if (!update)
        return;
    update->mcp = mcp;
    update->len = uri.len;
    memcpy(update->uri, uri.ptr, uri.len);
    if (tr_loop_post(mcp->opts.loop, deliver_update, update, NULL) != TR_OK)
        free(update);
}

void tr_hub_updated(struct tr_hub *hub, tr_str uri)
{
    (void)pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < hub->count; i++) {
        if (hub->members[i].mcp)
            post_update(hub->members[i].mcp, uri);
    }
    (void)pthread_mutex_unlock(&hub->mutex);
}

static void deliver_lists(void *data)
{
    struct member *member = data;
    unsigned lists = atomic_exchange(&member->lists, 0);
    for (unsigned kind = TR_LIST_TOOLS; kind <= TR_LIST_PROMPTS; kind++) {
        if (member->mcp && (lists & 1u << kind))
            tr_listen_list_changed(member->mcp, (enum tr_list_kind)kind);
    }
}

void tr_hub_list_changed(struct tr_hub *hub, enum tr_list_kind kind)
{
    (void)pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < hub->count; i++) {
        struct member *member = &hub->members[i];
        if (!member->mcp || atomic_fetch_or(&member->lists, 1u << kind))
            continue;
        if (tr_loop_post(member->mcp->opts.loop, deliver_lists, member, NULL) !=
            TR_OK)
            atomic_store(&member->lists, 0);
    }
    (void)pthread_mutex_unlock(&hub->mutex);
}
