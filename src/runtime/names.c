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
#include "runtime/env.h"
#include "runtime/outcome.h"

/* Arguments that are spelt out. */
struct spelling {
    struct tr_call *call;
    struct tr_graph_kg *kg;
    struct tr_graph_read_ctx ctx; /* as the caller sees it */
    bool has_entered;
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
    TR_TRY(
        tr_call_enter(s->call, tr_call_face(s->call), &s->kg, &s->ctx, s->err));
    s->has_entered = true;
    return TR_OK;
}

static tr_status refuse(const struct spelling *s, const struct tr_field *field,
                        const struct tr_model_type *type,
                        const struct tr_json *value)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf message;
    struct tr_field_error error = {
        .field = field->name,
        .code = TR_STR("node_kind"),
        .value = *value,
        .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("iri")),
    };
    if (!s->errors)
        return TR_OK;
    if (!type || s->errors->count >= TR_LIMIT_FIELD_ERRORS)
        return tr_field_errors_say(s->call->arena, s->errors, &error,
                                   "must be an IRI", NULL)
                   ? TR_OK
                   : no_memory(s->err);
    tr_buf_init_fixed(&message, text, sizeof(text));
    tr_buf_putf(&message, "%.*s: ", TR_FMT(field->name));
    if (s->errors->count < TR_LIMIT_NEAR_SHOWN) { /* each guess costs reads */
        tr_call_put_missing(s->call, &s->ctx, type, tr_json_text(value),
                            &message);
    } else {
        tr_buf_putf(&message, "there is no %.*s ", TR_FMT(type->name));
        tr_field_message_put(&message, tr_json_text(value));
    }
    error.message = tr_buf_str(&message);
    return tr_field_errors_add(s->call->arena, s->errors, &error)
               ? TR_OK
               : no_memory(s->err);
}

/* What is not there is for its tool to refuse, or to make: that is its IRI. */
static bool name_own(const struct spelling *s, const struct tr_model_type *type,
                     tr_str name, tr_str *out)
{
    tr_str iris[2];
    if (memchr(name.ptr, '/', name.len) ||
        !tr_model_kg_uri_iris(s->call->arena, type, name, s->ctx.model, iris))
        return false;
    *out = iris[0];
    return tr_field_is_absolute_iri(*out);
}

static tr_status spell_value(struct spelling *s, const struct tr_field *field,
                             const struct tr_json *value, struct tr_json *out)
{
    struct tr_call_instance node = {0};
    tr_str name = tr_json_text(value);
    *out = *value;
    if (value->kind != TR_JSON_STRING || !name.len ||
        tr_field_is_absolute_iri(name))
        return TR_OK;
    if (!tr_call_root(s->call)->env) /* nothing can be looked up */
        return refuse(s, field, NULL, value);
    TR_TRY(enter(s));
    const struct tr_model_type *type =
        tr_model_find(s->ctx.model, field->target);
    if (type)
        TR_TRY(tr_call_find_instance(&s->ctx, type, name, &node, s->err));
    if (!node.iri.len && (!type || field->names == TR_FIELD_NAMES_ANOTHER ||
                          !name_own(s, type, name, &node.iri)))
        return refuse(s, field, type, value);
    *out = tr_json_make_text(TR_JSON_STRING, node.iri);
    return TR_OK;
}

static tr_status spell_array(struct spelling *s, const struct tr_field *field,
                             struct tr_json *array)
{
    struct tr_json *items =
        TR_NEW_ARRAY(s->call->arena, struct tr_json, array->len);
    if (!items)
        return no_memory(s->err);
    for (size_t i = 0; i < array->len; i++)
        TR_TRY(spell_value(s, field, &array->as.items[i], &items[i]));
    array->as.items = items;
    return TR_OK;
}

static tr_status spell_member(struct spelling *s, struct tr_json_member *member)
{
    const struct tr_shape *shape = s->call->cap->input_shape;
    const struct tr_field *field =
        tr_shape_find(shape, tr_json_text(&member->key));
    const struct tr_json value = member->value;
    if (!field || field->kind != TR_FIELD_REF || !field->target.len)
        return TR_OK;
    return tr_field_is_array(field) && value.kind == TR_JSON_ARRAY
               ? spell_array(s, field, &member->value)
               : spell_value(s, field, &value, &member->value);
}

tr_status tr_call_spell_out(struct tr_call *call, const struct tr_json *args,
                            struct tr_field_errors *errors,
                            const struct tr_json **out, struct tr_err *err)
{
    struct spelling s = {.call = call, .errors = errors, .err = err};
    struct tr_json_member *members;
    tr_status status = TR_OK;
    size_t count = 0;
    *out = args;
    if (!tr_json_is(args, TR_JSON_OBJECT) || !call->cap->input_shape)
        return TR_OK;
    members = TR_NEW_ARRAY(call->arena, struct tr_json_member, args->len);
    if (!members)
        return no_memory(err);
    for (size_t i = 0; status == TR_OK && i < args->len; i++) {
        members[count] = args->as.members[i];
        if (members[count].value.kind != TR_JSON_NULL)
            status = spell_member(&s, &members[count++]);
    }
    if (s.has_entered)
        tr_graph_kg_leave(s.kg);
    TR_TRY(status);
    *out = tr_call_object(call, members, count);
    return *out ? TR_OK : no_memory(err);
}
