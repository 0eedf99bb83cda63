/*
 * json/index.h - the hash index of a wide object, kept in front of its members.
 *
 * One block of the arena: a power of two of slots, the head, the members. A
 * slot holds a member's index plus one, or 0 when it is free. It is no tr_map,
 * which would have a second array of the keys.
 */
#ifndef TR_JSON_INDEX_H
#define TR_JSON_INDEX_H

#include "json/json.h"

/* Objects with more members than this have an index. */
#define TR_JSON_INDEX_ABOVE 16

struct tr_json_index_head {
    uint64_t seed;
    uint64_t slot_count; /* a power of two */
};

static inline const struct tr_json_index_head *
tr_json_index_head(const struct tr_json *object)
{
    const void *members = object->as.members;
    return (const struct tr_json_index_head *)members - 1;
}

static inline uint32_t *
tr_json_index_slots(const struct tr_json_index_head *head)
{
    return (uint32_t *)(uintptr_t)head - head->slot_count;
}

/* Makes an indexed object; repeated keys as tr_json_make_object has it. */
TR_NODISCARD bool tr_json_index_build(struct tr_arena *arena,
                                      const struct tr_json_member *members,
                                      size_t count, struct tr_json *out);

const struct tr_json *tr_json_index_find(const struct tr_json *object,
                                         tr_str key);

#endif
