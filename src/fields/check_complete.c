/* An object as a handler sees it: with its defaults, without nulls, with
 * numbers in one spelling. */
#include "fields/check_inside.h"
#include "fields/literal.h"
#include "json/build.h"
#include "json/number.h"

/* Whether a handler sees the object otherwise than it was given. */
bool tr_shape_is_odd(const struct tr_field_checking *c)
{
    return c->absent || c->nulls || c->has_odd_number || c->has_odd_object;
}

/* Whether a number is written otherwise than handlers see it. */
static bool is_odd_number(enum tr_field_kind kind, const struct tr_json *value)
{
    if (kind == TR_FIELD_DECIMAL)
        return value->kind == TR_JSON_NUMBER;
    return kind == TR_FIELD_INTEGER && value->kind == TR_JSON_NUMBER &&
           !(value->flags & TR_JSON_INTEGER);
}

bool tr_field_has_odd_number(enum tr_field_kind kind,
                             const struct tr_json *value)
{
    size_t i = 0;
    if (value->kind != TR_JSON_ARRAY)
        return is_odd_number(kind, value);
    while (i < value->len && !is_odd_number(kind, &value->as.items[i]))
        i++;
    return i < value->len;
}

/* 1.0 becomes 1 where 64 bits can hold it; a decimal becomes a text. */
static struct tr_json plain_number(struct tr_field_checking *c,
                                   enum tr_field_kind kind,
                                   const struct tr_json *value)
{
    struct tr_json out = *value;
    int64_t number;
    if (!is_odd_number(kind, value))
        return out;
    if (kind == TR_FIELD_DECIMAL &&
        !tr_field_spell(kind, value, c->arena, &out))
        tr_field_check_no_memory(c);
    if (kind == TR_FIELD_INTEGER &&
        tr_json_decimal_to_i64(tr_json_decimal_of(tr_json_text(value)),
                               &number))
        out = tr_field_count_json(c, number);
    return out;
}

static struct tr_json plain_value(struct tr_field_checking *c,
                                  enum tr_field_kind kind,
                                  const struct tr_json *value)
{
    struct tr_json out = *value;
    if (value->kind != TR_JSON_ARRAY)
        return plain_number(c, kind, value);
    struct tr_json *items = TR_NEW_ARRAY(c->arena, struct tr_json, value->len);
    if (!items) {
        tr_field_check_no_memory(c);
        return out;
    }
    for (size_t i = 0; i < value->len; i++)
        items[i] = plain_number(c, kind, &value->as.items[i]);
    out.as.items = items;
    return out;
}

static struct tr_json complete_inside(struct tr_field_checking *c,
                                      const struct tr_field *field,
                                      const struct tr_json *value)
{
    struct tr_field_checking inner = tr_shape_check_inside(c, field, NULL);
    const struct tr_json *full = NULL;
    struct tr_json out = *value;
    tr_shape_check_members(&inner, value);
    if (inner.failed == TR_OK)
        full = tr_shape_complete(&inner, value);
    if (full)
        out = *full;
    if (inner.failed != TR_OK)
        c->failed = inner.failed;
    return out;
}

/* It is known to be right. */
static struct tr_json complete_objects(struct tr_field_checking *c,
                                       const struct tr_field *field,
                                       const struct tr_json *value)
{
    struct tr_json out = *value;
    if (value->kind != TR_JSON_ARRAY)
        return complete_inside(c, field, value);
    struct tr_json *items = TR_NEW_ARRAY(c->arena, struct tr_json, value->len);
    if (!items)
        tr_field_check_no_memory(c);
    for (size_t i = 0; items && i < value->len; i++)
        items[i] = complete_inside(c, field, &value->as.items[i]);
    if (items)
        out.as.items = items;
    return out;
}

static size_t copy_members(struct tr_field_checking *c,
                           const struct tr_json *object,
                           struct tr_json_member *members)
{
    size_t count = 0;
    for (size_t i = 0; i < object->len; i++) {
        struct tr_json_member *copy = &members[count];
        *copy = object->as.members[i];
        const struct tr_field *field =
            tr_shape_find(c->shape, tr_json_text(&copy->key));
        if (field && tr_field_has_odd_number(field->kind, &copy->value))
            copy->value = plain_value(c, field->kind, &copy->value);
        else if (field && field->object && copy->value.kind != TR_JSON_NULL)
            copy->value = complete_objects(c, field, &copy->value);
        count += !tr_shape_is_null(c, &copy->value);
    }
    return count;
}

/* The object as a handler sees it; itself when nothing has to change. */
const struct tr_json *tr_shape_complete(struct tr_field_checking *c,
                                        const struct tr_json *object)
{
    if (!tr_shape_is_odd(c))
        return object;
    struct tr_json *filled = TR_NEW(c->arena, struct tr_json);
    struct tr_json_member *members =
        TR_NEW_ARRAY(c->arena, struct tr_json_member, object->len + c->absent);
    if (!filled || !members) {
        tr_field_check_no_memory(c);
        return NULL;
    }
    size_t count = copy_members(c, object, members);
    for (size_t i = 0; i < c->shape->count; i++) {
        const struct tr_field *field = &c->shape->fields[i];
        if (!field->default_to || tr_shape_find_given(c, object, field->name))
            continue;
        members[count].key = tr_json_make_text(TR_JSON_STRING, field->name);
        members[count++].value = *field->default_to;
    }
    if (!tr_json_make_object(c->arena, members, count, filled))
        tr_field_check_no_memory(c);
    return filled;
}
