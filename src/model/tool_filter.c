/* What `filter` and `order` of a tool take: one object of forms for each field,
 * and the names of fields with an order. */
#include "base/limits.h"
#include "fields/forms.h"
#include "json/build.h"
#include "model/inside.h"
#include "model/tool_shape.h"

/* One value as a form takes it. */
static struct tr_field as_value(const struct tr_field *field)
{
    return (struct tr_field){.kind = field->kind,
                             .target = field->target,
                             .any_type = field->any_type,
                             .by = field->by};
}

static struct tr_field make_form(const struct tr_field *field,
                                 enum tr_field_form form)
{
    struct tr_field out = {0};
    if (form == TR_FIELD_FORM_PRESENT || form == TR_FIELD_FORM_ABSENT)
        out.kind = TR_FIELD_BOOLEAN;
    else if (form != TR_FIELD_FORM_PREFIX)
        out = as_value(field);
    if (form == TR_FIELD_FORM_ONE_OF) {
        out.many = true;
        out.max_count = (int64_t)TR_LIMIT_FILTER_ONE_OF;
    }
    out.name = tr_field_form_name(form);
    out.optional = true;
    return out;
}

static bool make_forms(struct tr_arena *arena, struct tr_field *field)
{
    struct tr_field *forms =
        TR_NEW_ARRAY(arena, struct tr_field, TR_FIELD_FORMS);
    struct tr_shape *shape = TR_NEW(arena, struct tr_shape);
    unsigned has = tr_field_forms(field);
    size_t count = 0;
    if (!forms || !shape)
        return false;
    for (int form = 0; form < TR_FIELD_FORMS; form++) {
        if (has & 1u << form)
            forms[count++] = make_form(field, (enum tr_field_form)form);
    }
    *shape = (struct tr_shape){.fields = forms, .count = count};
    *field = (struct tr_field){.name = field->name,
                               .kind = TR_FIELD_OBJECT,
                               .optional = true,
                               .object = shape};
    return true;
}

/* Fields behind a ref are not listed one by one: the object is open, and
 * whoever asks the graph refuses other names. */
bool tr_model_make_filter(const struct tr_model_tool_shape *how,
                          struct tr_field *out)
{
    const struct tr_shape *shape = how->type->shape;
    struct tr_field *fields =
        TR_NEW_ARRAY(how->arena, struct tr_field, shape->count + 1);
    struct tr_shape *object = TR_NEW(how->arena, struct tr_shape);
    if (!fields || !object)
        return false;
    for (size_t i = 0; i < shape->count; i++) {
        fields[i] = shape->fields[i];
        if (!make_forms(how->arena, &fields[i]))
            return false;
    }
    *object = (struct tr_shape){
        .fields = fields, .count = shape->count, .open = true};
    *out = (struct tr_field){
        .name = TR_STR(TR_MODEL_FILTER),
        .kind = TR_FIELD_OBJECT,
        .optional = true,
        .object = object,
        .description = TR_STR("What each must fit: {\"field\": {\"min\": ...}}."
                              " A field of what a ref refers to is "
                              "\"ref.field\".")};
    return true;
}

/* "due", and "-due" for the other way. */
bool tr_model_make_order(const struct tr_model_tool_shape *how,
                         struct tr_field *out)
{
    const struct tr_shape *shape = how->type->shape;
    struct tr_json *names =
        TR_NEW_ARRAY(how->arena, struct tr_json, 2 * shape->count + 1);
    struct tr_json *list = TR_NEW(how->arena, struct tr_json);
    size_t count = 0;
    for (size_t i = 0; names && i < shape->count; i++) {
        tr_str name = shape->fields[i].name;
        char *text = tr_arena_alloc(how->arena, name.len + 1);
        if (!text)
            return false;
        text[0] = '-';
        memcpy(text + 1, name.ptr, name.len);
        if (!tr_field_is_ordered(&shape->fields[i]))
            continue;
        names[count++] = tr_json_make_text(TR_JSON_STRING, name);
        names[count++] =
            tr_json_make_text(TR_JSON_STRING, (tr_str){text, name.len + 1});
    }
    *out = (struct tr_field){
        .name = TR_STR(TR_MODEL_ORDER),
        .optional = true,
        .description = TR_STR("Which come first; with - the greatest.")};
    if (!names || !list || !tr_json_make_array(how->arena, names, count, list))
        return false;
    out->one_of = count ? list : NULL;
    return true;
}
