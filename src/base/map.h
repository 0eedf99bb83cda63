/*
 * base/map.h - from a string to a pointer, in an arena.
 *
 * Keys and values are borrowed: both must live as long as the map. Entries are
 * kept in the order they were added, and walked as an array:
 *
 *     for (size_t i = 0; i < map.count; i++) use(map.entries[i].value);
 */
#ifndef TR_BASE_MAP_H
#define TR_BASE_MAP_H

#include "base/arena.h"

struct tr_map_entry {
    tr_str key;
    void *value;
    uint64_t hash;
};

struct tr_map {
    struct tr_arena *arena;
    struct tr_map_entry *entries;
    size_t count;
    size_t cap;
    uint32_t *slots; /* index into entries + 1, 0 when free */
    size_t slot_count;
    uint64_t seed;
};

/* Takes no memory yet. Everything it needs comes from `arena`. */
void tr_map_init(struct tr_map *map, struct tr_arena *arena);

/* The value, or NULL when the key is not there. */
void *tr_map_find(const struct tr_map *map, tr_str key);

/* Adds, or replaces the value of a key; false when there is no memory. */
TR_NODISCARD bool tr_map_set(struct tr_map *map, tr_str key, void *value);

#endif
