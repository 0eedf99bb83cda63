/* An object against its shape: what it has, what it lacks, what is unknown. */
#include "fields/check_inside.h"
#include "json/build.h"

struct tr_field_checking
tr_shape_check_inside(const struct tr_field_checking *c,
                      const struct tr_field *field,
                      const struct tr_field_holder *at)
{
    return (struct tr_field_checking){.arena = c->arena,
                                      .shape = field->object,
                                      .errors = c->errors,
                                      .is_input = c->is_input,
                                      .at = at,
                                      .err = c->err};
}

/* An object is given as a whole, also where its owner is only changed. */
void tr_field_check_object(struct tr_field_checking *c,
                           const struct tr_field *field,
                           const struct tr_json *value, size_t number)
{
    const struct tr_field_holder at = {c->at, field->name, number};
    struct tr_field_checking inner = tr_shape_check_inside(c, field, &at);
    if (value->kind != TR_JSON_OBJECT) {
        struct tr_field_error error = {
            .code = TR_STR("type"),
            .value = *value,
            .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("object")),
        };
        tr_field_violate(&inner, &error, "must be an object", NULL);
    } else if (field->object) {
        tr_shape_check_members(&inner, value);
    }
    c->has_names |= inner.has_names;
    c->has_odd_object |= tr_shape_is_odd(&inner);
    if (c->failed == TR_OK)
        c->failed = inner.failed;
}

static bool is_left_out(const struct tr_shape *shape, tr_str name)
{
    size_t i = 0;
    while (i < shape->left_out_count && !tr_str_eq(shape->left_out[i], name))
        i++;
    return i < shape->left_out_count;
}

static void violate_unknown(struct tr_field_checking *c,
                            const struct tr_json_member *member)
{
    tr_str name = tr_json_text(&member->key);
    tr_str nearest = tr_shape_nearest(c->shape, name);
    struct tr_json best = tr_json_make_text(TR_JSON_STRING, nearest);
    struct tr_field_error error = {
        .field = name,
        .code = TR_STR("unknown_field"),
        .value = member->value,
    };
    if (is_left_out(c->shape, name))
        tr_field_violate(c, &error, c->shape->left_out_why, NULL);
    else if (nearest.len)
        tr_field_violate(c, &error, "is not a field; did you mean ", &best);
    else
        tr_field_violate(c, &error, "is not a field", NULL);
}

static void check_present(struct tr_field_checking *c,
                          const struct tr_field *field,
                          const struct tr_json *value)
{
    tr_field_check_value(c, field, value);
    c->has_odd_number |= tr_field_has_odd_number(field->kind, value);
}

/* The field is absent, or null in a patch, which removes its value. */
static void check_absent(struct tr_field_checking *c,
                         const struct tr_field *field)
{
    struct tr_field_error error = {
        .field = field->name,
        .code = TR_STR("required"),
        .constraint = tr_json_make_bool(true),
    };
    if (field->default_to && !c->is_patch)
        c->absent++;
    else if (!field->optional)
        tr_field_violate(c, &error, "is required", NULL);
}

/* The value of a field; NULL when it is absent. */
const struct tr_json *tr_shape_find_given(const struct tr_field_checking *c,
                                          const struct tr_json *object,
                                          tr_str name)
{
    const struct tr_json *value = tr_json_find(object, name);
    return value && tr_shape_is_null(c, value) ? NULL : value;
}

void tr_shape_check_members(struct tr_field_checking *c,
                            const struct tr_json *object)
{
    const struct tr_shape *shape = c->shape;
    for (size_t i = 0; i < shape->count && c->failed == TR_OK; i++) {
        const struct tr_field *field = &shape->fields[i];
        const struct tr_json *value =
            tr_shape_find_given(c, object, field->name);
        if (value && !(c->is_patch && value->kind == TR_JSON_NULL))
            check_present(c, field, value);
        else if (value || !c->is_patch ||
                 tr_str_eq(field->name, shape->patch_key))
            check_absent(c, field);
    }
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        if (tr_shape_is_null(c, &member->value))
            c->nulls++;
        else if (!shape->open &&
                 !tr_shape_find(shape, tr_json_text(&member->key)))
            violate_unknown(c, member);
    }
}
