#include "mcp/watch.h"

#include "base/hash.h"
#include "cap/snapshot.h"
#include "model/uri.h"

#define FIRST_BUCKETS 64

static uint64_t hash_of(const struct tr_mcp_watches *all, tr_str text)
{
    return tr_hash_bytes(text, tr_hash_seed(all));
}

static struct tr_mcp_topic **bucket_of(const struct tr_mcp_watches *all,
                                       uint64_t hash)
{
    return &all->buckets[hash & (all->bucket_count - 1)];
}

static struct tr_mcp_topic *find(const struct tr_mcp_watches *all, tr_str text,
                                 uint64_t hash)
{
    if (!all->bucket_count)
        return NULL;
    struct tr_mcp_topic *topic = *bucket_of(all, hash);
    while (topic && !(topic->hash == hash &&
                      tr_str_eq((tr_str){topic->text, topic->len}, text)))
        topic = topic->next;
    return topic;
}

struct tr_mcp_topic *tr_mcp_watch_find(const struct tr_mcp_watches *all,
                                       tr_str topic)
{
    return find(all, topic, hash_of(all, topic));
}

static void link_topic(struct tr_mcp_watches *all, struct tr_mcp_topic *topic)
{
    struct tr_mcp_topic **bucket = bucket_of(all, topic->hash);
    topic->next = *bucket;
    *bucket = topic;
}

/* Makes twice as many buckets; without memory it stays as it is, if it can. */
static bool grow(struct tr_mcp_watches *all)
{
    size_t old_count = all->bucket_count;
    struct tr_mcp_topic **old = all->buckets;
    size_t count = old_count ? 2 * old_count : FIRST_BUCKETS;
    struct tr_mcp_topic **buckets =
        calloc(count, sizeof(struct tr_mcp_topic *));
    if (!buckets)
        return old_count > 0;
    all->buckets = buckets;
    all->bucket_count = count;
    for (size_t i = 0; i < old_count; i++) {
        while (old[i]) {
            struct tr_mcp_topic *topic = old[i];
            old[i] = topic->next;
            link_topic(all, topic);
        }
    }
    free(old);
    return true;
}

static struct tr_mcp_topic *add_topic(struct tr_mcp_watches *all, tr_str text,
                                      uint64_t hash)
{
    if (all->topic_count >= all->bucket_count && !grow(all))
        return NULL;
    struct tr_mcp_topic *topic = calloc(1, sizeof(*topic) + text.len);
    tr_str uri = text;
    tr_str whom;
    if (!topic)
        return NULL;
    (void)tr_str_cut(text, '\n', &uri, &whom);
    topic->hash = hash;
    topic->len = text.len;
    topic->uri_len = uri.len;
    if (text.len)
        memcpy(topic->text, text.ptr, text.len);
    link_topic(all, topic);
    all->topic_count++;
    return topic;
}

bool tr_mcp_watch_add(struct tr_mcp_watches *all, enum tr_mcp_watcher kind,
                      tr_str text, void *owner, struct tr_mcp_watch *watch)
{
    uint64_t hash = hash_of(all, text);
    struct tr_mcp_topic *topic = find(all, text, hash);
    if (!topic)
        topic = add_topic(all, text, hash);
    if (!topic)
        return false;
    watch->owner = owner;
    watch->topic = topic;
    watch->next = topic->watches[kind];
    watch->link = &topic->watches[kind];
    if (watch->next)
        watch->next->link = &watch->next;
    topic->watches[kind] = watch;
    return true;
}

static void drop_topic(struct tr_mcp_watches *all, struct tr_mcp_topic *topic)
{
    struct tr_mcp_topic **link = bucket_of(all, topic->hash);
    while (*link != topic)
        link = &(*link)->next;
    *link = topic->next;
    all->topic_count--;
    free(topic);
}

void tr_mcp_watch_remove(struct tr_mcp_watches *all, struct tr_mcp_watch *watch)
{
    struct tr_mcp_topic *topic = watch->topic;
    *watch->link = watch->next;
    if (watch->next)
        watch->next->link = watch->link;
    watch->topic = NULL;
    if (!topic->watches[TR_MCP_WATCHER_LISTEN] &&
        !topic->watches[TR_MCP_WATCHER_SESSION])
        drop_topic(all, topic);
}

void tr_mcp_watches_done(struct tr_mcp_watches *all)
{
    for (size_t i = 0; i < all->bucket_count; i++) {
        struct tr_mcp_topic *next;
        for (struct tr_mcp_topic *topic = all->buckets[i]; topic;
             topic = next) {
            next = topic->next;
            free(topic);
        }
    }
    free(all->buckets);
    *all = (struct tr_mcp_watches){0};
}

tr_status tr_mcp_watch_check(const struct tr_cap_snapshot *snapshot, tr_str uri,
                             struct tr_err *err)
{
    if (tr_cap_snapshot_find_resource(snapshot, uri) ||
        tr_model_kg_uri_is_ours(uri, tr_cap_snapshot_model(snapshot)))
        return TR_OK;
    if (memchr(uri.ptr, '?', uri.len))
        return tr_fail(err, TR_E_INVALID,
                       "a filter cannot be watched: watch the type, "
                       "trails://kg/<Type>, or trails://kg/<Type>/<id>");
    return tr_fail(err, TR_E_INVALID,
                   "nothing is told of this URI: watch trails://kg/<Type>, or "
                   "trails://kg/<Type>/<id> with the end of an IRI of this "
                   "project and type, or with the whole of another");
}
