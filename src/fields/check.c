#include "fields/check.h"

#include "fields/check_inside.h"
#include "fields/literal.h"
#include "json/build.h"

/* Whether an array has `wanted` values that differ. Values are compared with
 * those alone that were found to differ. */
static bool has_different(struct tr_field_checking *c, enum tr_field_kind kind,
                          const struct tr_json *array, size_t wanted)
{
    size_t found = 0;
    const struct tr_json **seen =
        TR_NEW_ARRAY(c->arena, const struct tr_json *, wanted);
    if (!seen)
        tr_field_check_no_memory(c);
    for (size_t i = 0; seen && i < array->len && found < wanted; i++) {
        const struct tr_json *value = &array->as.items[i];
        size_t before = 0;
        while (before < found && !tr_field_same(kind, seen[before], value))
            before++;
        if (before == found)
            seen[found++] = value;
    }
    return found == wanted;
}

static void check_many(struct tr_field_checking *c,
                       const struct tr_field *field,
                       const struct tr_json *value)
{
    if (value->kind != TR_JSON_ARRAY) {
        struct tr_field_error error = {
            .field = field->name,
            .code = TR_STR("type"),
            .value = *value,
            .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("array")),
        };
        tr_field_violate(c, &error, "must be an array", NULL);
        return;
    }
    int64_t min = tr_field_min_count(field);
    int64_t max = tr_field_max_count(field);
    bool is_object = field->kind == TR_FIELD_OBJECT;
    /* What has a predicate goes into the graph, which has each value of a set
     * once; each object is one of its own. */
    bool is_set = field->many && field->iri.len && !is_object;
    if (value->len < min ||
        (min > 1 && is_set &&
         !has_different(c, field->kind, value, (size_t)min)))
        tr_field_violate_count(c, field, value, min, "min_count");
    if (max && value->len > max)
        tr_field_violate_count(c, field, value, max, "max_count");
    for (size_t i = 0; i < value->len && !c->errors->more; i++) {
        if (is_object)
            tr_field_check_object(c, field, &value->as.items[i], i + 1);
        else
            tr_field_check_one(c, field, &value->as.items[i]);
    }
}

void tr_field_check_value(struct tr_field_checking *c,
                          const struct tr_field *field,
                          const struct tr_json *value)
{
    if (tr_field_is_array(field))
        check_many(c, field, value);
    else if (field->kind == TR_FIELD_OBJECT)
        tr_field_check_object(c, field, value, 0);
    else if (value->kind != TR_JSON_NULL)
        tr_field_check_one(c, field, value);
    else /* null is a part of a document alone */
        tr_field_violate_kind(c, field, value);
}

tr_status tr_field_check(const struct tr_field *field,
                         const struct tr_json *value, struct tr_arena *arena,
                         struct tr_field_errors *errors, struct tr_err *err)
{
    struct tr_field_checking c = {.arena = arena, .errors = errors, .err = err};
    size_t before = errors->count;
    tr_field_check_value(&c, field, value);
    if (c.failed != TR_OK)
        return c.failed;
    return errors->count > before || errors->more
               ? tr_fail(err, TR_E_VALIDATION, "%.*s is not valid",
                         TR_FMT(field->name))
               : TR_OK;
}

static tr_status check_object(struct tr_field_checking *c,
                              const struct tr_json *object,
                              struct tr_shape_checked *out)
{
    if (object->kind == TR_JSON_OBJECT) {
        tr_shape_check_members(c, object);
    } else {
        struct tr_field_error error = {
            .field = TR_STR("arguments"),
            .code = TR_STR("type"),
            .value = *object,
            .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("object")),
        };
        tr_field_violate(c, &error, "must be an object", NULL);
    }
    const struct tr_json *value = NULL;
    if (c->failed == TR_OK && out->errors.count == 0)
        value = tr_shape_complete(c, object);
    if (c->failed != TR_OK)
        return c->failed;
    out->value = value;
    out->has_names = c->has_names;
    return tr_field_errors_verdict(&out->errors, c->err);
}

static tr_status check_whole(const struct tr_shape *shape,
                             const struct tr_json *object, bool is_input,
                             struct tr_arena *arena,
                             struct tr_shape_checked *out, struct tr_err *err)
{
    static const struct tr_json empty = {.kind = TR_JSON_OBJECT};
    struct tr_field_checking c = {.arena = arena,
                                  .shape = shape,
                                  .errors = &out->errors,
                                  .is_patch = shape->patch_key.len > 0,
                                  .is_input = is_input,
                                  .err = err};
    *out = (struct tr_shape_checked){0};
    return check_object(&c, object ? object : &empty, out);
}

tr_status tr_shape_check(const struct tr_shape *shape,
                         const struct tr_json *object, struct tr_arena *arena,
                         struct tr_shape_checked *out, struct tr_err *err)
{
    return check_whole(shape, object, false, arena, out, err);
}

tr_status tr_shape_check_input(const struct tr_shape *shape,
                               const struct tr_json *object,
                               struct tr_arena *arena,
                               struct tr_shape_checked *out, struct tr_err *err)
{
    return check_whole(shape, object, true, arena, out, err);
}

tr_status tr_shape_check_patch(const struct tr_shape *shape,
                               const struct tr_json *object,
                               struct tr_arena *arena,
                               struct tr_shape_checked *out, struct tr_err *err)
{
    struct tr_field_checking c = {.arena = arena,
                                  .shape = shape,
                                  .errors = &out->errors,
                                  .is_patch = true,
                                  .err = err};
    *out = (struct tr_shape_checked){0};
    return check_object(&c, object, out);
}
