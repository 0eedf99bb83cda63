#include "json/build.h"

#include "json/index.h"

bool tr_json_make_array(struct tr_arena *arena, const struct tr_json *items,
                        size_t count, struct tr_json *out)
{
    struct tr_json *copy = NULL;
    if (count) {
        copy = tr_arena_alloc(arena, count * sizeof(*copy));
        if (!copy)
            return false;
        memcpy(copy, items, count * sizeof(*copy));
    }
    *out = (struct tr_json){
        .kind = TR_JSON_ARRAY,
        .len = (uint32_t)count,
        .as.items = copy,
    };
    return true;
}

static bool same_key(const struct tr_json_member *a,
                     const struct tr_json_member *b)
{
    return tr_str_eq((tr_str){a->key.as.text, a->key.len},
                     (tr_str){b->key.as.text, b->key.len});
}

/* A cheap filter: keys that get different bits are different keys. */
static inline uint64_t bit_of(const struct tr_json *key)
{
    size_t last = key->len ? key->len - 1 : 0;
    unsigned char byte = key->len ? (unsigned char)key->as.text[last] : 0;
    return UINT64_C(1) << ((byte + key->len * 13) & 63);
}

/* The index of an earlier member with this key, or `count`. */
static size_t find_key(const struct tr_json_member *members, size_t count,
                       const struct tr_json_member *wanted)
{
    size_t i = 0;
    while (i < count && !same_key(&members[i], wanted))
        i++;
    return i;
}

static bool has_repeated(const struct tr_json_member *members, size_t count)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = bit_of(&members[i].key);
        if ((seen & bit) && find_key(members, i, &members[i]) < i)
            return true;
        seen |= bit;
    }
    return false;
}

/* Compares each with each: for few members. Returns how many are left. */
static size_t drop_repeated(struct tr_json_member *members, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = find_key(members, kept, &members[i]);
        if (same < kept)
            members[same].value = members[i].value;
        else
            members[kept++] = members[i];
    }
    return kept;
}

bool tr_json_make_object(struct tr_arena *arena, struct tr_json_member *members,
                         size_t count, struct tr_json *out)
{
    if (count > TR_JSON_INDEX_ABOVE)
        return tr_json_index_build(arena, members, count, out);

    struct tr_json_member *copy = NULL;
    if (count) {
        if (has_repeated(members, count))
            count = drop_repeated(members, count);
        copy = tr_arena_alloc(arena, count * sizeof(*copy));
        if (!copy)
            return false;
        memcpy(copy, members, count * sizeof(*copy));
    }
    *out = (struct tr_json){
        .kind = TR_JSON_OBJECT,
        .len = (uint32_t)count,
        .as.members = copy,
    };
    return true;
}

static size_t put_members(const struct tr_json *object,
                          struct tr_json_member *to)
{
    size_t count = object ? object->len : 0;
    for (size_t i = 0; i < count; i++)
        to[i] = object->as.members[i];
    return count;
}

const struct tr_json *tr_json_join(struct tr_arena *arena,
                                   const struct tr_json *a,
                                   const struct tr_json *b)
{
    size_t count = (a ? a->len : 0) + (b ? b->len : 0);
    struct tr_json *both = TR_NEW(arena, struct tr_json);
    struct tr_json_member *members =
        TR_NEW_ARRAY(arena, struct tr_json_member, count + 1);
    if (!both || !members)
        return NULL;
    size_t first = put_members(a, members);
    (void)put_members(b, members + first);
    return tr_json_make_object(arena, members, count, both) ? both : NULL;
}

static bool copy_value(struct tr_arena *arena, const struct tr_json *from,
                       struct tr_json *to);

static bool copy_array(struct tr_arena *arena, const struct tr_json *from,
                       struct tr_json *to)
{
    struct tr_json *items = TR_NEW_ARRAY(arena, struct tr_json, from->len);
    if (!items)
        return false;
    for (size_t i = 0; i < from->len; i++) {
        if (!copy_value(arena, &from->as.items[i], &items[i]))
            return false;
    }
    *to = *from;
    to->as.items = items;
    return true;
}

/* The index of a wide object is made anew: its seed is its own address. */
static bool copy_object(struct tr_arena *arena, const struct tr_json *from,
                        struct tr_json *to)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(arena, struct tr_json_member, from->len);
    if (!members)
        return false;
    for (size_t i = 0; i < from->len; i++) {
        const struct tr_json_member *member = &from->as.members[i];
        if (!copy_value(arena, &member->key, &members[i].key) ||
            !copy_value(arena, &member->value, &members[i].value))
            return false;
    }
    return tr_json_make_object(arena, members, from->len, to);
}

/* Trees are at most TR_LIMIT_NESTING deep. */
static bool copy_value(struct tr_arena *arena, const struct tr_json *from,
                       struct tr_json *to)
{
    tr_str text;
    switch ((enum tr_json_kind)from->kind) {
    case TR_JSON_NULL:
    case TR_JSON_BOOL:
        *to = *from;
        return true;
    case TR_JSON_ARRAY:
        return copy_array(arena, from, to);
    case TR_JSON_OBJECT:
        return copy_object(arena, from, to);
    default:
        if (!tr_arena_copy(arena, tr_json_text(from), &text))
            return false;
        *to = *from;
        to->as.text = text.ptr;
        return true;
    }
}

bool tr_json_copy(struct tr_arena *arena, const struct tr_json *value,
                  const struct tr_json **out)
{
    struct tr_json *copy = TR_NEW(arena, struct tr_json);
    if (!copy || !copy_value(arena, value, copy))
        return false;
    *out = copy;
    return true;
}
