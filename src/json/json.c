#include "json/json.h"

#include "json/index.h"
#include "json/number.h"

#include <math.h>

tr_str tr_json_text(const struct tr_json *value)
{
    if (!value || value->kind == TR_JSON_NULL || value->kind == TR_JSON_BOOL ||
        value->kind == TR_JSON_ARRAY || value->kind == TR_JSON_OBJECT)
        return (tr_str){NULL, 0};
    return (tr_str){value->as.text, value->len};
}

const struct tr_json *tr_json_find(const struct tr_json *object, tr_str key)
{
    if (!tr_json_is(object, TR_JSON_OBJECT))
        return NULL;
    if (object->flags & TR_JSON_INDEXED)
        return tr_json_index_find(object, key);
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        if (tr_str_eq((tr_str){member->key.as.text, member->key.len}, key))
            return &member->value;
    }
    return NULL;
}

const struct tr_json *tr_json_at(const struct tr_json *array, size_t index)
{
    if (!tr_json_is(array, TR_JSON_ARRAY) || index >= array->len)
        return NULL;
    return &array->as.items[index];
}

bool tr_json_bool(const struct tr_json *value, bool *out)
{
    if (!tr_json_is(value, TR_JSON_BOOL))
        return false;
    *out = value->flags & TR_JSON_TRUE;
    return true;
}

bool tr_json_i64(const struct tr_json *value, int64_t *out)
{
    return tr_json_is(value, TR_JSON_NUMBER) &&
           (value->flags & TR_JSON_INTEGER) &&
           tr_str_to_i64(tr_json_text(value), out);
}

bool tr_json_double(const struct tr_json *value, double *out)
{
    if (!tr_json_is(value, TR_JSON_NUMBER))
        return false;
    double number = tr_json_double_parse(tr_json_text(value));
    if (!isfinite(number))
        return false;
    *out = number;
    return true;
}

const char *tr_json_kind_name(enum tr_json_kind kind)
{
    static const char *const names[] = {
        [TR_JSON_NULL] = "null",
        [TR_JSON_BOOL] = "a boolean",
        [TR_JSON_NUMBER] = "a number",
        [TR_JSON_STRING] = "a string",
        [TR_JSON_ARRAY] = "an array",
        [TR_JSON_OBJECT] = "an object",
        [TR_JSON_INF] = "an infinite number",
        [TR_JSON_NAN] = "not a number",
        [TR_JSON_DATETIME] = "a date-time",
        [TR_JSON_LOCAL_DATETIME] = "a local date-time",
        [TR_JSON_LOCAL_DATE] = "a local date",
        [TR_JSON_LOCAL_TIME] = "a local time",
    };
    return (size_t)kind < TR_LEN(names) ? names[kind] : "unknown";
}
