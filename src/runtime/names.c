/*
 * Nodes as callers name them: where the type is known, the end of an id is
 * enough. Nothing is looked up for IRIs.
 */
#include "runtime/names.h"

#include "base/limits.h"
#include "cap/cap.h"
#include "fields/check.h"
#include "json/build.h"
#include "model/uri.h"
#include "query/named.h"
#include "runtime/env.h"
#include "runtime/outcome.h"

/* Values of fields that are spelt out. */
struct spelling {
    struct tr_call *call;
    const struct tr_shape *shape;
    struct tr_arena *arena;           /* of what it makes */
    const struct tr_model_face *face; /* that nodes are looked up in */
    struct tr_graph_kg *kg;
    struct tr_graph_read_ctx ctx;
    bool has_entered;
    tr_str way;    /* to the object that is spelt out: "lines[1]." */
    size_t number; /* from 1, of the item of an array that is at hand; or 0 */
    bool by_key_only;               /* else ends of ids are spelt out too */
    struct tr_field_errors *errors; /* or NULL */
    struct tr_err *err;
};

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the arguments");
}

static tr_status enter(struct spelling *s)
{
    if (s->has_entered)
        return TR_OK;
    TR_TRY(tr_call_enter(s->call, s->face, &s->kg, &s->ctx, s->err));
    s->ctx.arena = s->arena;
    s->has_entered = true;
    return TR_OK;
}

static void leave(struct spelling *s)
{
    if (s->has_entered)
        tr_graph_kg_leave(s->kg);
    s->has_entered = false;
}

/* What a field is called by who gave it; `end` follows its name. */
static tr_status put_way(struct spelling *s, const struct tr_field *field,
                         const char *end, tr_str *out)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_DESCRIPTION_BYTES);
    tr_buf_put(&text, s->way);
    tr_buf_put(&text, field->name);
    if (*end && s->number)
        tr_buf_putf(&text, "[%zu]", s->number - 1);
    tr_buf_put(&text, tr_str_from(end));
    bool made =
        text.failed == TR_OK && tr_arena_copy(s->arena, tr_buf_str(&text), out);
    tr_buf_done(&text);
    return made ? TR_OK : no_memory(s->err);
}

static tr_status refuse(struct spelling *s, const struct tr_field *field,
                        const struct tr_json *value, const char *says)
{
    struct tr_field_error error = {
        .code = TR_STR("node_kind"),
        .value = *value,
        .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("iri")),
    };
    TR_TRY(put_way(s, field, "", &error.field));
    return !s->errors ||
                   tr_field_errors_say(s->arena, s->errors, &error, says, NULL)
               ? TR_OK
               : no_memory(s->err);
}

/* A caller is told what a caller may see, also of what a handler asks for. */
static tr_status look_as_caller(struct spelling *s)
{
    const struct tr_model_face *face = tr_call_face(s->call);
    if (face == s->face)
        return TR_OK;
    leave(s);
    s->face = face;
    return enter(s);
}

static tr_status refuse_missing(struct spelling *s,
                                const struct tr_field *field,
                                const struct tr_json *value)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf message;
    struct tr_field_error error = {
        .code = TR_STR("node_kind"),
        .value = *value,
        .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("iri")),
    };
    if (!s->errors)
        return TR_OK;
    TR_TRY(look_as_caller(s));
    const struct tr_model_type *type =
        tr_model_find(s->ctx.model, field->target);
    if (!type || s->errors->count >= TR_LIMIT_FIELD_ERRORS)
        return refuse(s, field, value, "must be an IRI");
    TR_TRY(put_way(s, field, "", &error.field));
    tr_buf_init_fixed(&message, text, sizeof(text));
    tr_buf_putf(&message, "%.*s: ", TR_FMT(error.field));
    if (s->errors->count < TR_LIMIT_NEAR_SHOWN) { /* each guess costs reads */
        tr_call_put_missing(s->call, &s->ctx, type,
                            tr_model_key_of(s->ctx.model, field),
                            tr_json_text(value), &message);
    } else {
        tr_buf_putf(&message, "there is no %.*s ", TR_FMT(type->name));
        tr_field_message_put(&message, tr_json_text(value));
    }
    error.message = tr_buf_str(&message);
    return tr_field_errors_add(s->arena, s->errors, &error) ? TR_OK
                                                            : no_memory(s->err);
}

/* What is not there is for its tool to refuse, or to make: that is its IRI. */
static bool name_own(const struct spelling *s, const struct tr_model_type *type,
                     tr_str name, tr_str *out)
{
    tr_str iris[2];
    if (!type || memchr(name.ptr, '/', name.len) ||
        !tr_model_kg_uri_iris(s->arena, type, name, s->ctx.model, iris))
        return false;
    *out = iris[0];
    return tr_field_is_absolute_iri(*out);
}

/* A whole IRI is not looked up, unless it could be a key. */
static bool is_to_spell(const struct spelling *s, const struct tr_field *field,
                        const struct tr_json *value)
{
    if (field->by.len && value->kind == TR_JSON_NUMBER)
        return s->by_key_only;
    return value->kind == TR_JSON_STRING && value->len &&
           (field->by.len || !tr_field_is_absolute_iri(tr_json_text(value)));
}

static tr_status spell_object(struct spelling *s, const struct tr_field *field,
                              struct tr_json *object);

static tr_status spell_value(struct spelling *s, const struct tr_field *field,
                             const struct tr_json *value, struct tr_json *out)
{
    struct tr_query_named node = {0};
    tr_str name = tr_json_text(value);
    *out = *value;
    if (field->object)
        return spell_object(s, field, out);
    if (!is_to_spell(s, field, value))
        return TR_OK;
    bool is_iri = tr_field_is_absolute_iri(name);
    if (!tr_call_root(s->call)->env) /* nothing can be looked up */
        return is_iri ? TR_OK : refuse(s, field, value, "must be an IRI");
    TR_TRY(enter(s));
    TR_TRY(tr_query_named_find_ref(&s->ctx, field, name, &node, s->err));
    if (node.is_several)
        return refuse(s, field, value,
                      "is the key of several nodes: give the id of one");
    if (!node.iri.len && is_iri)
        return TR_OK;
    if (!node.iri.len &&
        (field->names == TR_FIELD_NAMES_ANOTHER ||
         !name_own(s, tr_model_find(s->ctx.model, field->target), name,
                   &node.iri)))
        return refuse_missing(s, field, value);
    *out = tr_json_make_text(TR_JSON_STRING, node.iri);
    return TR_OK;
}

static tr_status spell_array(struct spelling *s, const struct tr_field *field,
                             struct tr_json *array)
{
    struct tr_json *items = TR_NEW_ARRAY(s->arena, struct tr_json, array->len);
    if (!items)
        return no_memory(s->err);
    for (size_t i = 0; i < array->len; i++) {
        s->number = i + 1;
        TR_TRY(spell_value(s, field, &array->as.items[i], &items[i]));
    }
    s->number = 0;
    array->as.items = items;
    return TR_OK;
}

static tr_status spell_member(struct spelling *s, struct tr_json_member *member)
{
    const struct tr_field *field =
        tr_shape_find(s->shape, tr_json_text(&member->key));
    const struct tr_json value = member->value;
    if (!field || !(field->object || field->target.len) ||
        (s->by_key_only && !field->object && !field->by.len))
        return TR_OK;
    return tr_field_is_array(field) && value.kind == TR_JSON_ARRAY
               ? spell_array(s, field, &member->value)
               : spell_value(s, field, &value, &member->value);
}

static tr_status copy_members(struct spelling *s, const struct tr_json *values,
                              struct tr_json *out)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(s->arena, struct tr_json_member, values->len);
    tr_status status = TR_OK;
    size_t count = 0;
    if (!members)
        return no_memory(s->err);
    for (size_t i = 0; status == TR_OK && i < values->len; i++) {
        if (s->by_key_only && s->errors->count)
            break; /* a handler hears of the first */
        members[count] = values->as.members[i];
        if (members[count].value.kind != TR_JSON_NULL || s->by_key_only)
            status = spell_member(s, &members[count++]);
    }
    TR_TRY(status);
    return tr_json_make_object(s->arena, members, count, out)
               ? TR_OK
               : no_memory(s->err);
}

static tr_status spell_object(struct spelling *s, const struct tr_field *field,
                              struct tr_json *object)
{
    const struct tr_shape *outer = s->shape;
    const struct tr_json given = *object;
    tr_str way = s->way;
    if (given.kind != TR_JSON_OBJECT)
        return TR_OK;
    TR_TRY(put_way(s, field, ".", &s->way));
    s->shape = field->object;
    s->number = 0;
    tr_status status = copy_members(s, &given, object);
    s->shape = outer;
    s->way = way;
    return status;
}

static tr_status spell_members(struct spelling *s, const struct tr_json *values,
                               const struct tr_json **out)
{
    struct tr_json *object = TR_NEW(s->arena, struct tr_json);
    if (!object)
        return no_memory(s->err);
    tr_status status = copy_members(s, values, object);
    leave(s);
    *out = status == TR_OK ? object : *out;
    return status;
}

tr_status tr_call_spell_out(struct tr_call *call, const struct tr_json *args,
                            struct tr_field_errors *errors,
                            const struct tr_json **out, struct tr_err *err)
{
    struct spelling s = {.call = call,
                         .shape = call->cap->input_shape,
                         .arena = call->arena,
                         .face = tr_call_face(call),
                         .errors = errors,
                         .err = err};
    *out = args;
    return tr_json_is(args, TR_JSON_OBJECT) && s.shape
               ? spell_members(&s, args, out)
               : TR_OK;
}

static bool has_key(const struct tr_shape *shape, const struct tr_json *values)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        if ((field->by.len || field->object) &&
            tr_json_find(values, field->name))
            return true;
    }
    return false;
}

tr_status tr_call_spell_keys(struct tr_call *call,
                             const struct tr_model_type *type,
                             struct tr_arena *arena,
                             const struct tr_json **values,
                             struct tr_field_errors *errors, struct tr_err *err)
{
    struct spelling s = {.call = call,
                         .shape = type->shape,
                         .arena = arena,
                         .by_key_only = true,
                         .errors = errors,
                         .err = err};
    if (!tr_json_is(*values, TR_JSON_OBJECT) || !has_key(s.shape, *values))
        return TR_OK;
    TR_TRY(spell_members(&s, *values, values));
    return tr_field_errors_verdict(errors, err);
}
