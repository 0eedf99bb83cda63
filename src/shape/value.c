#include "shape/value.h"

#include "base/hash.h"
#include "json/decimal.h"

static bool same_members(const struct tr_json *a, const struct tr_json *b)
{
    for (size_t i = 0; i < a->len; i++) {
        const struct tr_json_member *member = &a->as.members[i];
        const struct tr_json *other =
            tr_json_find(b, tr_json_text(&member->key));
        if (!other || !tr_value_eq(&member->value, other))
            return false;
    }
    return true;
}

static bool same_items(const struct tr_json *a, const struct tr_json *b)
{
    for (size_t i = 0; i < a->len; i++) {
        if (!tr_value_eq(&a->as.items[i], &b->as.items[i]))
            return false;
    }
    return true;
}

bool tr_value_eq(const struct tr_json *a, const struct tr_json *b)
{
    if (a->kind != b->kind)
        return false;
    switch ((enum tr_json_kind)a->kind) {
    case TR_JSON_NULL:
        return true;
    case TR_JSON_BOOL:
        return (a->flags & TR_JSON_TRUE) == (b->flags & TR_JSON_TRUE);
    case TR_JSON_NUMBER:
        return tr_decimal_cmp(tr_decimal_of(tr_json_text(a)),
                              tr_decimal_of(tr_json_text(b))) == 0;
    case TR_JSON_ARRAY:
        return a->len == b->len && same_items(a, b);
    case TR_JSON_OBJECT:
        return a->len == b->len && same_members(a, b);
    default:
        return tr_str_eq(tr_json_text(a), tr_json_text(b));
    }
}

static uint64_t mix(uint64_t hash, uint64_t with)
{
    return (hash ^ with) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Added up, so that the order of members does not matter. */
static uint64_t hash_members(const struct tr_json *object, uint64_t seed)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        sum += mix(tr_hash(tr_json_text(&member->key), seed),
                   tr_value_hash(&member->value, seed));
    }
    return sum;
}

static uint64_t hash_items(const struct tr_json *array, uint64_t seed)
{
    uint64_t hash = array->len;
    for (size_t i = 0; i < array->len; i++)
        hash = mix(hash, tr_value_hash(&array->as.items[i], seed));
    return hash;
}

uint64_t tr_value_hash(const struct tr_json *value, uint64_t seed)
{
    uint64_t hash = mix(seed, value->kind);
    switch ((enum tr_json_kind)value->kind) {
    case TR_JSON_NULL:
        return hash;
    case TR_JSON_BOOL:
        return mix(hash, value->flags & TR_JSON_TRUE);
    case TR_JSON_NUMBER:
        return mix(hash, tr_decimal_hash(tr_decimal_of(tr_json_text(value))));
    case TR_JSON_ARRAY:
        return mix(hash, hash_items(value, seed));
    case TR_JSON_OBJECT:
        return mix(hash, hash_members(value, seed));
    default:
        return mix(hash, tr_hash(tr_json_text(value), seed));
    }
}

size_t tr_value_count(const struct tr_json *value)
{
    size_t count = 1;
    if (value->kind == TR_JSON_ARRAY) {
        for (size_t i = 0; i < value->len; i++)
            count += tr_value_count(&value->as.items[i]);
    } else if (value->kind == TR_JSON_OBJECT) {
        for (size_t i = 0; i < value->len; i++)
            count += tr_value_count(&value->as.members[i].value);
    }
    return count;
}
