#include "base/map.h"

#include "base/hash.h"
#include "base/vec.h"

void tr_map_init(struct tr_map *map, struct tr_arena *arena)
{
    *map = (struct tr_map){.arena = arena, .seed = tr_hash_seed(arena)};
}

/* The slot that holds `key`, or the free one where it belongs. */
static size_t slot_of(const struct tr_map *map, tr_str key, uint64_t hash)
{
    size_t mask = map->slot_count - 1;
    size_t slot = hash & mask;
    while (map->slots[slot]) {
        const struct tr_map_entry *entry = &map->entries[map->slots[slot] - 1];
        if (entry->hash == hash && tr_str_eq(entry->key, key))
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

void *tr_map_find(const struct tr_map *map, tr_str key)
{
    if (map->count == 0)
        return NULL;
    uint32_t index =
        map->slots[slot_of(map, key, tr_hash_bytes(key, map->seed))];
    return index ? map->entries[index - 1].value : NULL;
}

/* At most half of the slots are taken, so a search ends soon. */
static bool widen(struct tr_map *map)
{
    if (map->count < map->slot_count / 2)
        return true;
    size_t wider = map->slot_count ? map->slot_count * 2 : 16;
    if (wider > UINT32_MAX)
        return false;
    uint32_t *slots = TR_NEW_ARRAY(map->arena, uint32_t, wider);
    if (!slots)
        return false;
    map->slots = slots;
    map->slot_count = wider;
    for (size_t i = 0; i < map->count; i++) {
        const struct tr_map_entry *entry = &map->entries[i];
        map->slots[slot_of(map, entry->key, entry->hash)] = (uint32_t)i + 1;
    }
    return true;
}

bool tr_map_set(struct tr_map *map, tr_str key, void *value)
{
    if (!widen(map))
        return false;
    uint64_t hash = tr_hash_bytes(key, map->seed);
    size_t slot = slot_of(map, key, hash);
    if (map->slots[slot]) {
        map->entries[map->slots[slot] - 1].value = value;
        return true;
    }
    if (!tr_vec_room(map->arena, &map->entries, map->count, &map->cap,
                     sizeof(*map->entries)))
        return false;
    map->entries[map->count++] = (struct tr_map_entry){key, value, hash};
    map->slots[slot] = (uint32_t)map->count;
    return true;
}
