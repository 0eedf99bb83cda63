#include "json/build.h"

#include "json/index.h"

struct tr_json tr_json_make_text(enum tr_json_kind kind, tr_str text)
{
    return (struct tr_json){
        .kind = (uint8_t)kind,
        .len = (uint32_t)text.len,
        .as.text = text.ptr,
    };
}

struct tr_json tr_json_make_integer(tr_str text)
{
    struct tr_json value = tr_json_make_text(TR_JSON_NUMBER, text);
    value.flags = TR_JSON_INTEGER;
    return value;
}

struct tr_json tr_json_make_bool(bool value)
{
    return (struct tr_json){
        .kind = TR_JSON_BOOL,
        .flags = value ? TR_JSON_TRUE : 0,
    };
}

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
    return a->key.len == b->key.len &&
           memcmp(a->key.as.text, b->key.as.text, a->key.len) == 0;
}

/* One of 64 bits for a key: two keys with different bits are different. */
static uint64_t bit_of(const struct tr_json *key)
{
    if (key->len == 0)
        return 1;
    unsigned first = (unsigned char)key->as.text[0];
    unsigned last = (unsigned char)key->as.text[key->len - 1];
    return UINT64_C(1) << ((first * 5 + last + key->len * 11) & 63);
}

static bool may_repeat(const struct tr_json_member *members, size_t count)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = bit_of(&members[i].key);
        if (seen & bit)
            return true;
        seen |= bit;
    }
    return false;
}

/* For few members; returns how many are left. */
static size_t drop_repeated(struct tr_json_member *members, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < kept && !same_key(&members[j], &members[i]))
            j++;
        if (j < kept)
            members[j].value = members[i].value;
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
        if (may_repeat(members, count))
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
