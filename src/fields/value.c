#include "fields/value.h"

#include "base/hash.h"
#include "json/number.h"

static bool same_members(const struct tr_json *a, const struct tr_json *b)
{
    for (size_t i = 0; i < a->len; i++) {
        const struct tr_json_member *member = &a->as.members[i];
        const struct tr_json *other =
            tr_json_find(b, tr_json_text(&member->key));
        if (!other || !tr_field_value_eq(&member->value, other))
            return false;
    }
    return true;
}

static bool same_items(const struct tr_json *a, const struct tr_json *b)
{
    for (size_t i = 0; i < a->len; i++) {
        if (!tr_field_value_eq(&a->as.items[i], &b->as.items[i]))
            return false;
    }
    return true;
}

bool tr_field_value_eq(const struct tr_json *a, const struct tr_json *b)
{
    if (a->kind != b->kind)
        return false;
    switch ((enum tr_json_kind)a->kind) {
    case TR_JSON_NULL:
        return true;
    case TR_JSON_BOOL:
        return (a->flags & TR_JSON_TRUE) == (b->flags & TR_JSON_TRUE);
    case TR_JSON_NUMBER:
        return tr_json_decimal_cmp(tr_json_decimal_of(tr_json_text(a)),
                                   tr_json_decimal_of(tr_json_text(b))) == 0;
    case TR_JSON_ARRAY:
        return a->len == b->len && same_items(a, b);
    case TR_JSON_OBJECT:
        return a->len == b->len && same_members(a, b);
    default:
        return tr_str_eq(tr_json_text(a), tr_json_text(b));
    }
}

/* The hashes are added up, so that the order of members does not matter. */
static uint64_t hash_members(const struct tr_json *object, uint64_t seed)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        sum += tr_field_value_hash(
            &member->value, tr_hash_bytes(tr_json_text(&member->key), seed));
    }
    return sum;
}

static uint64_t hash_items(const struct tr_json *array, uint64_t seed)
{
    uint64_t hash = tr_hash_u64(array->len, seed);
    for (size_t i = 0; i < array->len; i++)
        hash =
            tr_hash_u64(tr_field_value_hash(&array->as.items[i], seed), hash);
    return hash;
}

uint64_t tr_field_value_hash(const struct tr_json *value, uint64_t seed)
{
    uint64_t hash = tr_hash_u64(value->kind, seed);
    switch ((enum tr_json_kind)value->kind) {
    case TR_JSON_NULL:
        return hash;
    case TR_JSON_BOOL:
        return tr_hash_u64(value->flags & TR_JSON_TRUE, hash);
    case TR_JSON_NUMBER:
        return tr_json_decimal_hash(tr_json_decimal_of(tr_json_text(value)),
                                    hash);
    case TR_JSON_ARRAY:
        return hash_items(value, hash);
    case TR_JSON_OBJECT:
        return tr_hash_u64(hash_members(value, seed), hash);
    default:
        return tr_hash_bytes(tr_json_text(value), hash);
    }
}

size_t tr_field_value_count(const struct tr_json *value)
{
    size_t count = 1;
    if (value->kind == TR_JSON_ARRAY) {
        for (size_t i = 0; i < value->len; i++)
            count += tr_field_value_count(&value->as.items[i]);
    } else if (value->kind == TR_JSON_OBJECT) {
        for (size_t i = 0; i < value->len; i++)
            count += tr_field_value_count(&value->as.members[i].value);
    }
    return count;
}
