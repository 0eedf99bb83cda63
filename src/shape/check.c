#include "shape/check.h"

#include "base/nearest.h"
#include "json/build.h"
#include "json/decimal.h"

/* The state of one check. The first failure that is no violation sticks. */
struct check {
    struct tr_arena *arena;
    const struct tr_shape *shape;
    struct tr_field_errors *errors;
    bool is_patch;   /* only what is given counts */
    size_t absent;   /* fields that take their default */
    bool is_spelled; /* some integer is written as 1.0 or 1e2 */
    struct tr_err *err;
    tr_status failed;
};

static void fail_memory(struct check *c)
{
    if (c->failed == TR_OK)
        c->failed =
            tr_fail(c->err, TR_E_NOMEM, "no memory to check the fields");
}

static void violate(struct check *c, const struct tr_field_error *error,
                    const char *says, const struct tr_json *detail)
{
    if (!tr_field_errors_say(c->arena, c->errors, error, says, detail))
        fail_memory(c);
}

static void violate_unknown(struct check *c,
                            const struct tr_json_member *member)
{
    struct tr_nearest nearest;
    struct tr_field_error error = {
        .field = tr_json_text(&member->key),
        .code = TR_STR("unknown_field"),
        .value = member->value,
    };
    tr_nearest_init(&nearest, error.field);
    for (size_t i = 0; i < c->shape->count; i++)
        tr_nearest_offer(&nearest, c->shape->fields[i].name);
    struct tr_json best = tr_json_make_text(TR_JSON_STRING, nearest.best);
    if (nearest.best.len)
        violate(c, &error, "is not a field; did you mean ", &best);
    else
        violate(c, &error, "is not a field", NULL);
}

/* Whether it has an integer that is not written as one. */
static bool is_spelled(const struct tr_field *field,
                       const struct tr_json *value)
{
    if (field->kind != TR_KIND_INTEGER)
        return false;
    if (value->kind == TR_JSON_NUMBER)
        return !(value->flags & TR_JSON_INTEGER);
    if (value->kind != TR_JSON_ARRAY)
        return false;
    for (size_t i = 0; i < value->len; i++) {
        if (!(value->as.items[i].flags & TR_JSON_INTEGER))
            return true;
    }
    return false;
}

static void check_present(struct check *c, const struct tr_field *field,
                          const struct tr_json *value)
{
    tr_status st = tr_field_check(field, value, c->arena, c->errors, c->err);
    if (st != TR_OK && st != TR_E_VALIDATION)
        c->failed = st;
    c->is_spelled |= is_spelled(field, value);
}

/* Absent, or in a patch null: what takes a value away. */
static void check_absent(struct check *c, const struct tr_field *field)
{
    struct tr_field_error error = {
        .field = field->name,
        .code = TR_STR("required"),
        .constraint = tr_json_make_bool(true),
    };
    if (field->default_to && !c->is_patch)
        c->absent++;
    else if (!field->optional)
        violate(c, &error, "is required", NULL);
}

static void check_members(struct check *c, const struct tr_json *object)
{
    const struct tr_shape *shape = c->shape;
    for (size_t i = 0; i < shape->count && c->failed == TR_OK; i++) {
        const struct tr_field *field = &shape->fields[i];
        const struct tr_json *value = tr_json_find(object, field->name);
        if (value && !(c->is_patch && value->kind == TR_JSON_NULL))
            check_present(c, field, value);
        else if (value || !c->is_patch ||
                 tr_str_eq(field->name, shape->patch_key))
            check_absent(c, field);
    }
    for (size_t i = 0; !shape->open && i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        if (!tr_shape_find(shape, tr_json_text(&member->key)))
            violate_unknown(c, member);
    }
}

/* 1.0 becomes 1 where 64 bits can hold it. */
static struct tr_json plain_integer(struct check *c,
                                    const struct tr_json *value)
{
    int64_t number;
    char digits[24];
    tr_str text;
    if (value->kind != TR_JSON_NUMBER || (value->flags & TR_JSON_INTEGER) ||
        !tr_decimal_to_i64(tr_decimal_of(tr_json_text(value)), &number))
        return *value;
    int len = snprintf(digits, sizeof(digits), "%lld", (long long)number);
    if (!tr_arena_copy(c->arena, (tr_str){digits, (size_t)len}, &text)) {
        fail_memory(c);
        return *value;
    }
    return tr_json_make_integer(text);
}

static struct tr_json plain_value(struct check *c, const struct tr_json *value)
{
    struct tr_json out = *value;
    if (value->kind != TR_JSON_ARRAY)
        return plain_integer(c, value);
    struct tr_json *items = TR_NEW_ARRAY(c->arena, struct tr_json, value->len);
    if (!items) {
        fail_memory(c);
        return out;
    }
    for (size_t i = 0; i < value->len; i++)
        items[i] = plain_integer(c, &value->as.items[i]);
    out.as.items = items;
    return out;
}

static size_t copy_members(struct check *c, const struct tr_json *object,
                           struct tr_json_member *members)
{
    for (size_t i = 0; i < object->len; i++) {
        members[i] = object->as.members[i];
        const struct tr_field *field =
            tr_shape_find(c->shape, tr_json_text(&members[i].key));
        if (field && field->kind == TR_KIND_INTEGER)
            members[i].value = plain_value(c, &object->as.members[i].value);
    }
    return object->len;
}

/* The object as a handler sees it; itself when nothing has to change. */
static const struct tr_json *complete(struct check *c,
                                      const struct tr_json *object)
{
    if (c->absent == 0 && !c->is_spelled)
        return object;
    struct tr_json *filled = TR_NEW(c->arena, struct tr_json);
    struct tr_json_member *members =
        TR_NEW_ARRAY(c->arena, struct tr_json_member, object->len + c->absent);
    if (!filled || !members) {
        fail_memory(c);
        return NULL;
    }
    size_t count = copy_members(c, object, members);
    for (size_t i = 0; i < c->shape->count; i++) {
        const struct tr_field *field = &c->shape->fields[i];
        if (!field->default_to || tr_json_find(object, field->name))
            continue;
        members[count].key = tr_json_make_text(TR_JSON_STRING, field->name);
        members[count++].value = *field->default_to;
    }
    if (!tr_json_make_object(c->arena, members, count, filled))
        fail_memory(c);
    return filled;
}

static tr_status check_object(struct check *c, const struct tr_json *object,
                              struct tr_checked *out)
{
    if (object->kind == TR_JSON_OBJECT) {
        check_members(c, object);
    } else {
        struct tr_field_error error = {
            .field = TR_STR("arguments"),
            .code = TR_STR("type"),
            .value = *object,
            .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("object")),
        };
        violate(c, &error, "must be an object", NULL);
    }
    const struct tr_json *value = NULL;
    if (c->failed == TR_OK && out->errors.count == 0)
        value = complete(c, object);
    if (c->failed != TR_OK)
        return c->failed;
    out->value = value;
    return tr_field_errors_verdict(&out->errors, c->err);
}

tr_status tr_shape_check(const struct tr_shape *shape,
                         const struct tr_json *object, struct tr_arena *arena,
                         struct tr_checked *out, struct tr_err *err)
{
    static const struct tr_json empty = {.kind = TR_JSON_OBJECT};
    struct check c = {
        .arena = arena, .shape = shape, .errors = &out->errors, .err = err};
    c.is_patch = shape->patch_key.len > 0;
    *out = (struct tr_checked){0};
    return check_object(&c, object ? object : &empty, out);
}

tr_status tr_shape_check_patch(const struct tr_shape *shape,
                               const struct tr_json *object,
                               struct tr_arena *arena, struct tr_checked *out,
                               struct tr_err *err)
{
    struct check c = {.arena = arena,
                      .shape = shape,
                      .errors = &out->errors,
                      .is_patch = true,
                      .err = err};
    *out = (struct tr_checked){0};
    return check_object(&c, object, out);
}
