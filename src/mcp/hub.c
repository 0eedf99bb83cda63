#include "mcp/hub.h"

#include "base/buf.h"
#include "base/limits.h"
#include "loop/loop.h"
#include "mcp/mcp.h"

#include <pthread.h>

/* Memory that a loop keeps for the next changes. */
#define KEPT_BYTES TR_KIB(64)

/* What has changed since the loop last looked. */
struct changes {
    struct tr_buf uris; /* each after its length, in the order of changes */
    unsigned lists;     /* a bit per enum tr_list_kind */
    bool lost_count;    /* more than fit: any URI may have changed */
};

/* One loop's place. */
struct member {
    struct tr_hub *hub;
    struct tr_mcp *mcp; /* NULL when it has left */
    struct tr_parcel parcel;
    bool is_posted; /* the loop will look */
    struct changes changes;
};

/* The mutex guards everything, and is held for a few copies at most. */
struct tr_hub {
    pthread_mutex_t mutex;
    struct member members[TR_LIMIT_LOOPS];
    size_t count;
};

static void clear(struct changes *changes)
{
    *changes = (struct changes){0};
    tr_buf_init(&changes->uris, TR_LIMIT_CHANGES);
}

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
    for (size_t i = 0; i < hub->count; i++)
        tr_buf_done(&hub->members[i].changes.uris);
    (void)pthread_mutex_destroy(&hub->mutex);
    free(hub);
}

tr_status tr_hub_join(struct tr_hub *hub, struct tr_mcp *mcp,
                      struct tr_err *err)
{
    tr_status status = TR_OK;
    (void)pthread_mutex_lock(&hub->mutex);
    if (hub->count == TR_LIMIT_LOOPS) {
        status = tr_fail(err, TR_E_LIMIT, "more than %d loops", TR_LIMIT_LOOPS);
    } else {
        struct member *member = &hub->members[mcp->number = hub->count++];
        *member = (struct member){.hub = hub, .mcp = mcp};
        clear(&member->changes);
    }
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

static void tell(struct tr_mcp *mcp, const struct changes *changes)
{
    tr_str rest = tr_buf_str(&changes->uris);
    for (unsigned kind = TR_LIST_TOOLS; kind <= TR_LIST_PROMPTS; kind++) {
        if (changes->lists & 1u << kind)
            tr_tell_list_changed(mcp, (enum tr_list_kind)kind);
    }
    if (changes->lost_count)
        tr_tell_all_updated(mcp);
    while (rest.len) {
        size_t len;
        memcpy(&len, rest.ptr, sizeof(len));
        tr_tell_updated(mcp, (tr_str){rest.ptr + sizeof(len), len});
        rest = tr_str_skip(rest, sizeof(len) + len);
    }
    tr_tell_gathered(mcp);
}

/* On the loop. The buffer goes back, so that small changes need no memory. */
static void look(void *data)
{
    struct member *member = data;
    struct tr_hub *hub = member->hub;
    (void)pthread_mutex_lock(&hub->mutex);
    struct changes changes = member->changes;
    clear(&member->changes);
    member->is_posted = false;
    (void)pthread_mutex_unlock(&hub->mutex);

    if (member->mcp)
        tell(member->mcp, &changes);
    if (changes.uris.held > KEPT_BYTES)
        tr_buf_done(&changes.uris);

    (void)pthread_mutex_lock(&hub->mutex);
    if (!member->changes.uris.ptr) {
        tr_buf_clear(&changes.uris);
        member->changes.uris = changes.uris;
        changes.uris.ptr = NULL;
    }
    (void)pthread_mutex_unlock(&hub->mutex);
    tr_buf_done(&changes.uris);
}

/* However much changes meanwhile, the loop looks once. */
static void have_it_look(struct member *member)
{
    if (member->is_posted)
        return;
    member->is_posted = true;
    member->parcel = (struct tr_parcel){.fn = look, .data = member};
    tr_loop_deliver(member->mcp->opts.loop, &member->parcel);
}

/* What does not fit is not lost: then everything may have changed. */
static void put_uri(struct changes *changes, tr_str uri)
{
    struct tr_buf *uris = &changes->uris;
    if (changes->lost_count)
        return;
    tr_buf_put(uris, (tr_str){(const char *)&uri.len, sizeof(uri.len)});
    tr_buf_put(uris, uri);
    if (uris->failed != TR_OK) {
        tr_buf_clear(uris);
        changes->lost_count = true;
    }
}

void tr_hub_updated(struct tr_hub *hub, tr_str uri)
{
    (void)pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < hub->count; i++) {
        struct member *member = &hub->members[i];
        if (member->mcp) {
            put_uri(&member->changes, uri);
            have_it_look(member);
        }
    }
    (void)pthread_mutex_unlock(&hub->mutex);
}

void tr_hub_list_changed(struct tr_hub *hub, enum tr_list_kind kind)
{
    (void)pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < hub->count; i++) {
        struct member *member = &hub->members[i];
        if (member->mcp) {
            member->changes.lists |= 1u << kind;
            have_it_look(member);
        }
    }
    (void)pthread_mutex_unlock(&hub->mutex);
}
