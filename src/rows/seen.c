#include "rows/seen.h"

#include "base/hash.h"
#include "base/limits.h"

#define BUCKETS_MIN 64

void tr_rows_seen_init(struct tr_rows_seen *seen, uint64_t seed)
{
    *seen = (struct tr_rows_seen){.seed = seed};
    tr_arena_init(&seen->arena, TR_LIMIT_GRAPH_TABLE);
}

void tr_rows_seen_done(struct tr_rows_seen *seen)
{
    tr_arena_done(&seen->arena);
}

void tr_rows_seen_clear(struct tr_rows_seen *seen)
{
    uint64_t seed = seen->seed;
    tr_rows_seen_done(seen);
    tr_rows_seen_init(seen, seed);
}

uint64_t tr_rows_seen_hash(const struct tr_rows_seen *seen, tr_str key)
{
    return tr_hash_bytes(key, seen->seed);
}

static size_t id_bucket(const struct tr_rows_seen *seen, tr_rdf_id id)
{
    return tr_hash_u64(id, seen->seed) & (seen->buckets - 1);
}

static void link_entry(struct tr_rows_seen *seen,
                       struct tr_rows_seen_entry *entry)
{
    struct tr_rows_seen_entry **id = &seen->by_id[id_bucket(seen, entry->id)];
    struct tr_rows_seen_entry **key =
        &seen->by_key[entry->hash & (seen->buckets - 1)];
    entry->next_by_id = *id;
    *id = entry;
    entry->next_by_key = *key;
    *key = entry;
}

/* The old tables stay in the arena; together they are as large as the new one,
 * so growing costs at most twice the memory. */
static bool grow(struct tr_rows_seen *seen)
{
    size_t old_count = seen->buckets;
    struct tr_rows_seen_entry **old = seen->by_id;
    size_t count = old_count ? old_count * 2 : BUCKETS_MIN;
    struct tr_rows_seen_entry **by_id =
        TR_NEW_ARRAY(&seen->arena, struct tr_rows_seen_entry *, count);
    struct tr_rows_seen_entry **by_key =
        TR_NEW_ARRAY(&seen->arena, struct tr_rows_seen_entry *, count);
    if (!by_id || !by_key)
        return false;
    seen->by_id = by_id;
    seen->by_key = by_key;
    seen->buckets = count;
    for (size_t i = 0; i < old_count; i++) {
        for (struct tr_rows_seen_entry *e = old[i], *next; e; e = next) {
            next = e->next_by_id;
            link_entry(seen, e);
        }
    }
    return true;
}

struct tr_rows_seen_entry *tr_rows_seen_find_id(const struct tr_rows_seen *seen,
                                                tr_rdf_id id)
{
    struct tr_rows_seen_entry *entry =
        seen->buckets ? seen->by_id[id_bucket(seen, id)] : NULL;
    while (entry && entry->id != id)
        entry = entry->next_by_id;
    return entry;
}

struct tr_rows_seen_entry *
tr_rows_seen_find_key(const struct tr_rows_seen *seen, tr_str key,
                      uint64_t hash)
{
    struct tr_rows_seen_entry *entry =
        seen->buckets ? seen->by_key[hash & (seen->buckets - 1)] : NULL;
    while (entry && !(entry->hash == hash && tr_str_eq(entry->key, key)))
        entry = entry->next_by_key;
    return entry;
}

struct tr_rows_seen_entry *tr_rows_seen_add(struct tr_rows_seen *seen,
                                            tr_rdf_id id, tr_str key,
                                            uint64_t hash)
{
    struct tr_rows_seen_entry *entry =
        TR_NEW(&seen->arena, struct tr_rows_seen_entry);
    if (!entry || !tr_arena_copy(&seen->arena, key, &entry->key) ||
        (seen->count >= seen->buckets && !grow(seen)))
        return NULL;
    entry->id = id;
    entry->hash = hash;
    link_entry(seen, entry);
    seen->count++;
    return entry;
}
