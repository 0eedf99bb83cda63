/*
 * The stage that checks arguments, and fills in defaults.
 */
#include "cap/cap.h"
#include "fields/check.h"
#include "fields/value.h"
#include "json/build.h"
#include "runtime/names.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"
#include "schema/verbatim.h"

/* What has no input takes no arguments. */
static const struct tr_shape no_fields = {0};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the arguments");
}

/*
 * Arguments of a prompt come as texts (2025-11-25, server/prompts). What is no
 * value of its field stays a text, which the check then refuses.
 */
static tr_status read_texts(const struct tr_call *call,
                            const struct tr_shape *shape, struct tr_json *out,
                            struct tr_err *err)
{
    size_t given = call->args ? call->args->len : 0;
    size_t count = 0;
    struct tr_json_member *members =
        TR_NEW_ARRAY(call->arena, struct tr_json_member, given);
    if (!members)
        return fail_memory(err);
    for (size_t i = 0; i < given; i++) {
        struct tr_json_member *to = &members[count];
        *to = call->args->as.members[i];
        if (to->value.kind == TR_JSON_NULL)
            continue; /* means absent */
        tr_str text = tr_json_text(&to->value);
        const struct tr_field *field =
            tr_shape_find(shape, tr_json_text(&to->key));
        struct tr_json value;
        tr_status status =
            field && to->value.kind == TR_JSON_STRING
                ? tr_field_value_read(field, text, call->arena, &value)
                : TR_E_VALIDATION;
        if (status == TR_E_NOMEM)
            return fail_memory(err);
        if (status == TR_OK)
            to->value = value;
        count++;
    }
    return tr_json_make_object(call->arena, members, count, out)
               ? TR_OK
               : fail_memory(err);
}

static tr_status check_prompt(const struct tr_call *call,
                              struct tr_shape_checked *out, struct tr_err *err)
{
    const struct tr_shape *shape = call->input ? call->input : &no_fields;
    struct tr_json *read = TR_NEW(call->arena, struct tr_json);
    if (!read)
        return fail_memory(err);
    TR_TRY(read_texts(call, shape, read, err));
    return tr_shape_check(shape, read, call->arena, out, err);
}

/* Where a field was declared; what is unknown comes last. */
static size_t place_of(const struct tr_shape *shape, tr_str name)
{
    const struct tr_field *field = tr_shape_find(shape, name);
    return field ? (size_t)(field - shape->fields) : shape->count;
}

/* Puts the last error behind those of its field, and of the fields before. */
static void put_in_order(const struct tr_shape *shape,
                         struct tr_field_errors *errors)
{
    const struct tr_field_error last = errors->items[errors->count - 1];
    size_t place = place_of(shape, last.field);
    size_t at = errors->count - 1;
    while (at > 0 && place_of(shape, errors->items[at - 1].field) > place) {
        errors->items[at] = errors->items[at - 1];
        at--;
    }
    errors->items[at] = last;
}

static tr_status spell_out(struct tr_call *call, struct tr_shape_checked *out,
                           struct tr_err *err)
{
    struct tr_field_errors missing = {0};
    TR_TRY(tr_call_spell_out(call, out->value ? out->value : call->args,
                             &missing, &out->value, err));
    for (size_t i = 0; i < missing.count; i++) {
        size_t before = out->errors.count;
        if (!tr_field_errors_add(call->arena, &out->errors, &missing.items[i]))
            return tr_fail(err, TR_E_NOMEM, "no memory for an error");
        if (out->errors.count > before)
            put_in_order(call->cap->input_shape, &out->errors);
    }
    return tr_field_errors_verdict(&out->errors, err);
}

static tr_status check_shape(struct tr_call *call, struct tr_shape_checked *out,
                             struct tr_err *err)
{
    const struct tr_shape *shape = call->cap->input_shape;
    tr_status status = tr_shape_check_input(shape ? shape : &no_fields,
                                            call->args, call->arena, out, err);
    if (!out->has_names || (status != TR_OK && status != TR_E_VALIDATION))
        return status;
    return spell_out(call, out, err);
}

static const struct tr_json *without_nulls(const struct tr_call *call)
{
    const struct tr_json *args = call->args;
    struct tr_json_member *members =
        TR_NEW_ARRAY(call->arena, struct tr_json_member, args->len);
    size_t count = 0;
    for (size_t i = 0; members && i < args->len; i++) {
        members[count] = args->as.members[i];
        count += members[count].value.kind != TR_JSON_NULL;
    }
    return members && count < args->len ? tr_call_object(call, members, count)
                                        : NULL;
}

/* A schema may allow null, and then it is a value; else it means absent. */
static tr_status check_schema(const struct tr_call *call,
                              struct tr_shape_checked *out, struct tr_err *err)
{
    const struct tr_schema_verbatim *schema = call->cap->input_schema;
    out->value = call->args;
    tr_status status = tr_schema_verbatim_check(schema, call->args, call->arena,
                                                &out->errors, err);
    if (status != TR_E_VALIDATION || !tr_json_is(call->args, TR_JSON_OBJECT))
        return status;
    const struct tr_json *rest = without_nulls(call);
    if (!rest)
        return status;
    *out = (struct tr_shape_checked){.value = rest};
    return tr_schema_verbatim_check(schema, rest, call->arena, &out->errors,
                                    err);
}

static tr_status check(struct tr_call *call, struct tr_shape_checked *out,
                       struct tr_err *err)
{
    if (!call->cap)
        return check_prompt(call, out, err);
    return call->cap->input_schema ? check_schema(call, out, err)
                                   : check_shape(call, out, err);
}

enum tr_call_passage tr_call_stage_input(struct tr_call *call,
                                         struct tr_call_outcome *refusal)
{
    struct tr_shape_checked checked = {0};
    refusal->status = check(call, &checked, &refusal->err);
    if (refusal->status == TR_OK) {
        call->args = checked.value;
        return TR_CALL_PASSED;
    }
    if (refusal->status == TR_E_VALIDATION)
        refusal->data = tr_call_fields(call, &checked.errors);
    return TR_CALL_REFUSED;
}
