#include "json/index.h"

#include "base/hash.h"

struct index {
    const struct tr_json_member *members;
    uint32_t *slots;
    uint64_t seed;
    uint64_t mask;
};

static tr_str key_of(const struct tr_json_member *member)
{
    return (tr_str){member->key.as.text, member->key.len};
}

/* The slot that names `key`, or the free one where it belongs. */
static uint32_t *slot_for(const struct index *index, tr_str key)
{
    uint64_t i = tr_hash_bytes(key, index->seed) & index->mask;
    while (index->slots[i] &&
           !tr_str_eq(key_of(&index->members[index->slots[i] - 1]), key))
        i = (i + 1) & index->mask;
    return &index->slots[i];
}

/* At most half of the slots are taken. */
static uint64_t slots_for(size_t members)
{
    uint64_t count = 4 * TR_JSON_INDEX_ABOVE;
    while (count < (uint64_t)members * 2)
        count *= 2;
    return count;
}

bool tr_json_index_build(struct tr_arena *arena,
                         const struct tr_json_member *members, size_t count,
                         struct tr_json *out)
{
    uint64_t slot_count = slots_for(count);
    uint32_t *slots =
        tr_arena_alloc(arena, slot_count * sizeof(uint32_t) +
                                  sizeof(struct tr_json_index_head) +
                                  count * sizeof(struct tr_json_member));
    if (!slots)
        return false;
    memset(slots, 0, slot_count * sizeof(uint32_t));
    struct tr_json_index_head *head =
        (struct tr_json_index_head *)(void *)(slots + slot_count);
    *head = (struct tr_json_index_head){tr_hash_seed(slots), slot_count};
    struct tr_json_member *kept = (struct tr_json_member *)(void *)(head + 1);

    struct index index = {kept, slots, head->seed, slot_count - 1};
    uint32_t kept_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t *slot = slot_for(&index, key_of(&members[i]));
        if (*slot) {
            kept[*slot - 1].value = members[i].value;
            continue;
        }
        kept[kept_count++] = members[i];
        *slot = kept_count;
    }
    *out = (struct tr_json){
        .kind = TR_JSON_OBJECT,
        .flags = TR_JSON_INDEXED,
        .len = kept_count,
        .as.members = kept,
    };
    return true;
}

const struct tr_json *tr_json_index_find(const struct tr_json *object,
                                         tr_str key)
{
    const struct tr_json_member *members = object->as.members;
    const struct tr_json_index_head *head = tr_json_index_head(object);
    struct index index = {
        .members = members,
        .slots = tr_json_index_slots(head),
        .seed = head->seed,
        .mask = head->slot_count - 1,
    };
    uint32_t found = *slot_for(&index, key);
    return found ? &members[found - 1].value : NULL;
}
