#include "model/tool_shape.h"

#include "base/limits.h"
#include "base/vec.h"
#include "json/build.h"
#include "model/inside.h"

/* Room for more fields than a shape may have. */
#define MAKING_BYTES (8 * TR_LIMIT_FIELDS * sizeof(struct tr_field))

/* A shape that is being made. A failure sticks, and `finish` reports it. */
struct making {
    const struct tr_model_tool_shape *how;
    struct tr_shape draft;
    struct tr_arena arena; /* of the next two, which the shape has copies of */
    TR_VEC(struct tr_field) fields;
    TR_VEC(struct tr_shape_unique) unique;
    TR_VEC(tr_str) left_out;
    tr_str clash; /* a field that has the name of an argument, or "" */
    bool no_memory;
};

static struct making begin(const struct tr_model_tool_shape *how)
{
    struct making m = {.how = how};
    tr_arena_init(&m.arena, MAKING_BYTES);
    return m;
}

static void add(struct making *m, struct tr_field field)
{
    field.scope = 0; /* whoever may call has it */
    for (size_t i = 0; i < m->fields.count; i++) {
        if (tr_str_eq(m->fields.items[i].name, field.name))
            m->clash = field.name;
    }
    if (!tr_vec_push(&m->arena, &m->fields, field))
        m->no_memory = true;
}

static void add_id(struct making *m, enum tr_field_names names,
                   const char *description)
{
    add(m, (struct tr_field){.name = TR_STR("id"),
                             .kind = TR_FIELD_REF,
                             .names = names,
                             .target = m->how->type->name,
                             .description = tr_str_from(description)});
}

/*
 * A version is at most what a double holds exactly: beyond that a client in
 * JavaScript would name another one than it means.
 */
static void add_version(struct making *m)
{
    add(m, (struct tr_field){.name = TR_STR("version"),
                             .kind = TR_FIELD_INTEGER,
                             .optional = true,
                             .min_value = TR_STR("1"),
                             .max_value = TR_STR("9007199254740991"),
                             .description =
                                 TR_STR("The _version that was read: refused "
                                        "when it has been changed since.")});
}

/* Changes a copy of a type's field to what it is in the shape; false leaves the
 * field out. */
typedef bool adapt_fn(struct tr_field *field);

/* Adds the fields of the type as they are found in the graph. */
static void add_fields(struct making *m, adapt_fn *adapt)
{
    const struct tr_shape *shape = m->how->type->shape;
    for (size_t i = 0; i < shape->count; i++) {
        struct tr_field field = shape->fields[i];
        if (adapt(&field))
            add(m, field);
        else if (!tr_vec_push(m->how->arena, &m->left_out, field.name))
            m->no_memory = true;
    }
}

/* Adds the fields that are given, with all that is asked of them; without
 * `adapt` as they are. */
static void add_given(struct making *m, adapt_fn *adapt)
{
    const struct tr_shape *shape = m->how->type->shape;
    for (size_t i = 0; i < shape->count; i++) {
        struct tr_field field = shape->fields[i];
        if (tr_model_tell_field(m->how, &field, NULL) != TR_OK)
            m->no_memory = true;
        if (!adapt || adapt(&field))
            add(m, field);
    }
    if (tr_model_tell_node(m->how, &m->draft.description, NULL) != TR_OK)
        m->no_memory = true;
}

static void add_unique(struct making *m)
{
    for (const struct tr_model_type *type = m->how->type; type;
         type = type->parent) {
        for (size_t i = 0; i < type->shape->unique_count; i++) {
            if (!tr_vec_push(&m->arena, &m->unique, type->shape->unique[i]))
                m->no_memory = true;
        }
    }
}

static tr_status put_down(struct making *m, const struct tr_shape **out,
                          struct tr_err *err)
{
    if (m->no_memory)
        return tr_fail(err, TR_E_NOMEM, "no memory for the shape of a tool");
    if (m->clash.len)
        return tr_fail(err, TR_E_INVALID,
                       "its field '%.*s' has the name of an argument: call it "
                       "otherwise, or write the capability yourself",
                       TR_FMT(m->clash));
    m->draft.fields = m->fields.items;
    m->draft.count = m->fields.count;
    m->draft.unique = m->unique.items;
    m->draft.unique_count = m->unique.count;
    m->draft.left_out = m->left_out.items;
    m->draft.left_out_count = m->left_out.count;
    return tr_shape_register(m->how->arena, m->how->patterns, &m->draft, out,
                             err);
}

static tr_status finish(struct making *m, const struct tr_shape **out,
                        struct tr_err *err)
{
    tr_status status = put_down(m, out, err);
    tr_arena_done(&m->arena);
    return status;
}

tr_status tr_model_tool_shape_fields(const struct tr_model_tool_shape *how,
                                     const struct tr_shape **out,
                                     struct tr_err *err)
{
    struct making m = begin(how);
    m.draft.description = how->type->shape->description;
    add_given(&m, NULL);
    add_unique(&m);
    return finish(&m, out, err);
}

tr_status tr_model_tool_shape_create(const struct tr_model_tool_shape *how,
                                     const struct tr_shape **out,
                                     struct tr_err *err)
{
    struct making m = begin(how);
    m.draft.description = how->type->shape->description;
    if (how->type->strategy == TR_MODEL_IRI_PRESERVE)
        add_id(&m, TR_FIELD_NAMES_NEW, "");
    add_given(&m, NULL);
    add_unique(&m);
    return finish(&m, out, err);
}

/* Names as choices. */
static const struct tr_json *choices(struct making *m, struct tr_json *names,
                                     size_t count)
{
    struct tr_json *list = TR_NEW(m->how->arena, struct tr_json);
    if (!list || !names ||
        !tr_json_make_array(m->how->arena, names, count, list))
        m->no_memory = true;
    return list;
}

/* Null means absent, so what is to go is named. */
static void add_clear(struct making *m)
{
    const struct tr_shape *shape = m->how->type->shape;
    struct tr_json *names =
        TR_NEW_ARRAY(m->how->arena, struct tr_json, m->fields.count);
    size_t count = 0;
    for (size_t i = 0; names && i < m->fields.count; i++) {
        const struct tr_field *field = &m->fields.items[i];
        if (field->optional && tr_shape_find(shape, field->name))
            names[count++] = tr_json_make_text(TR_JSON_STRING, field->name);
    }
    if (names && (!count || tr_shape_find(shape, TR_STR(TR_MODEL_CLEAR))))
        return;
    add(m, (struct tr_field){.name = TR_STR(TR_MODEL_CLEAR),
                             .many = true,
                             .optional = true,
                             .one_of = choices(m, names, count),
                             .description = TR_STR("Which fields to empty.")});
}

/* An absent field keeps its value, so no default is filled in. */
static bool as_change(struct tr_field *field)
{
    field->default_to = NULL;
    field->header = TR_STR("");
    return true;
}

tr_status tr_model_tool_shape_update(const struct tr_model_tool_shape *how,
                                     const struct tr_shape **out,
                                     struct tr_err *err)
{
    struct making m = begin(how);
    m.draft.patch_key = TR_STR("id");
    add_id(&m, TR_FIELD_NAMES_ITSELF, "Which one to change.");
    add_version(&m);
    add_given(&m, as_change);
    add_clear(&m);
    add_unique(&m);
    return finish(&m, out, err);
}

tr_status tr_model_tool_shape_delete(const struct tr_model_tool_shape *how,
                                     const struct tr_shape **out,
                                     struct tr_err *err)
{
    struct making m = begin(how);
    add_id(&m, TR_FIELD_NAMES_ITSELF, "Which one to delete.");
    add_version(&m);
    return finish(&m, out, err);
}

/*
 * Drops the constraints of a field, since any value of its kind may be searched
 * for, but keeps its choices, which help the caller. A field with many values
 * is left out.
 */
static bool as_filter(struct tr_field *field)
{
    bool is_scalar =
        !tr_field_is_array(field) && field->kind != TR_FIELD_OBJECT;
    *field = (struct tr_field){.name = field->name,
                               .kind = field->kind,
                               .title = field->title,
                               .description = field->description,
                               .target = field->target,
                               .any_type = field->any_type,
                               .by = field->by,
                               .one_of = field->one_of,
                               .optional = true};
    return is_scalar;
}

/* The names of all fields, as choices. */
static const struct tr_json *field_names(struct making *m)
{
    const struct tr_shape *shape = m->how->type->shape;
    struct tr_json *names =
        TR_NEW_ARRAY(m->how->arena, struct tr_json, shape->count);
    for (size_t i = 0; names && i < shape->count; i++)
        names[i] = tr_json_make_text(TR_JSON_STRING, shape->fields[i].name);
    return choices(m, names, shape->count);
}

static void add_paging(struct making *m)
{
    static const struct tr_json usual = {.kind = TR_JSON_NUMBER,
                                         .flags = TR_JSON_INTEGER,
                                         .len = 2,
                                         .as.text = "25"};
    _Static_assert(TR_MODEL_FIND_DEFAULT == 25 && TR_MODEL_FIND_MOST == 100,
                   "as the texts here say");
    if (m->how->type->shape->count)
        add(m, (struct tr_field){
                   .name = TR_STR("fields"),
                   .many = true,
                   .optional = true,
                   .one_of = field_names(m),
                   .description = TR_STR("Which fields to show; else all.")});
    add(m, (struct tr_field){.name = TR_STR("limit"),
                             .kind = TR_FIELD_INTEGER,
                             .min_value = TR_STR("1"),
                             .max_value = TR_STR("100"),
                             .default_to = &usual,
                             .description = TR_STR("How many at most.")});
    add(m,
        (struct tr_field){.name = TR_STR("cursor"),
                          .optional = true,
                          .description = TR_STR("`next` of the page before.")});
}

typedef bool make_fn(const struct tr_model_tool_shape *how,
                     struct tr_field *out);

/* A field of the type that has its name stands in its place. */
static void add_query(struct making *m, make_fn *make)
{
    struct tr_field field;
    if (!make(m->how, &field))
        m->no_memory = true;
    else if ((field.object || field.one_of) &&
             !tr_shape_find(m->how->type->shape, field.name))
        add(m, field);
}

tr_status tr_model_tool_shape_find(const struct tr_model_tool_shape *how,
                                   const struct tr_shape **out,
                                   struct tr_err *err)
{
    struct making m = begin(how);
    m.draft.left_out_why = "cannot be searched by: it is no single value";
    add_fields(&m, as_filter);
    if (how->type->shape->count)
        add_query(&m, tr_model_make_filter);
    add_query(&m, tr_model_make_order);
    add_paging(&m);
    return finish(&m, out, err);
}

/* A result is what the graph has, so no default is filled in; what is older
 * than the field does without. */
static bool as_result(struct tr_field *field)
{
    field->optional |= field->default_to && !field->min_count;
    field->default_to = NULL;
    field->header = TR_STR("");
    return true;
}

/* Whatever was stored under an older type has at least its kind. */
static bool as_stored(struct tr_field *field)
{
    *field = (struct tr_field){.name = field->name,
                               .kind = field->kind,
                               .many = field->many,
                               .list = field->list,
                               .title = field->title,
                               .description = field->description,
                               .target = field->target,
                               .any_type = field->any_type,
                               .optional = true};
    return true;
}

/* Instances of subtypes are among the results, with all their fields: then the
 * shape is open. */
static bool has_subtypes(const struct tr_model_tool_shape *how)
{
    for (size_t i = 0; i < how->model->count; i++) {
        const struct tr_model_type *type = how->model->types[i];
        if (type != how->type && tr_model_type_is(type, how->type))
            return true;
    }
    return false;
}

/* "account_domain": what could be given in the place of the id. */
static void add_key(struct making *m, const struct tr_field *ref)
{
    struct tr_field key = {.many = ref->many,
                           .list = ref->list,
                           .optional = true,
                           .description = TR_STR("Its key, if it has one.")};
    if (!tr_model_shown_key_of(m->how->model, ref))
        return;
    if (tr_model_name_shown_key(ref, m->how->arena, &key.name))
        add(m, key);
    else
        m->no_memory = true;
}

/* Each ref by key is followed by the key. */
static void add_stored(struct making *m, adapt_fn *adapt)
{
    const struct tr_shape *shape = m->how->type->shape;
    for (size_t i = 0; i < shape->count; i++) {
        struct tr_field field = shape->fields[i];
        field.by = TR_STR("");
        (void)adapt(&field);
        add(m, field);
        add_key(m, &shape->fields[i]);
    }
}

static tr_status make_node(const struct tr_model_tool_shape *how,
                           adapt_fn *adapt, bool is_open,
                           const struct tr_shape **out, struct tr_err *err)
{
    struct making m = begin(how);
    m.draft.open = is_open;
    add_id(&m, TR_FIELD_NAMES_ANOTHER, "");
    add(&m, (struct tr_field){.name = TR_STR("_type"), .optional = true});
    add(&m,
        (struct tr_field){.name = TR_STR("_version"),
                          .kind = TR_FIELD_INTEGER,
                          .optional = true,
                          .description = TR_STR("How often it was changed.")});
    add_stored(&m, adapt);
    return finish(&m, out, err);
}

tr_status tr_model_tool_shape_node(const struct tr_model_tool_shape *how,
                                   const struct tr_shape **out,
                                   struct tr_err *err)
{
    return make_node(how, as_result, has_subtypes(how), out, err);
}

tr_status tr_model_tool_shape_stored(const struct tr_model_tool_shape *how,
                                     const struct tr_shape **out,
                                     struct tr_err *err)
{
    return make_node(how, as_stored, true, out, err);
}

tr_status tr_model_tool_shape_deleted(const struct tr_model_tool_shape *how,
                                      const struct tr_shape **out,
                                      struct tr_err *err)
{
    struct making m = begin(how);
    add_id(&m, TR_FIELD_NAMES_ANOTHER, "");
    add(&m,
        (struct tr_field){.name = TR_STR("deleted"), .kind = TR_FIELD_BOOLEAN});
    return finish(&m, out, err);
}
