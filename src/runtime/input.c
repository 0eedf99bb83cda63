/*
 * The stage that checks arguments, and fills in defaults.
 */
#include "cap/cap.h"
#include "fields/check.h"
#include "json/build.h"
#include "runtime/names.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"
#include "schema/verbatim.h"

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

/* A capability without an input takes no arguments. */
static tr_status check_shape(struct tr_call *call, struct tr_shape_checked *out,
                             struct tr_err *err)
{
    static const struct tr_shape no_fields = {0};
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

enum tr_call_passage tr_call_stage_input(struct tr_call *call,
                                         struct tr_call_outcome *refusal)
{
    struct tr_shape_checked checked = {0};
    refusal->status = call->cap->input_schema
                          ? check_schema(call, &checked, &refusal->err)
                          : check_shape(call, &checked, &refusal->err);
    if (refusal->status == TR_OK) {
        call->args = checked.value;
        return TR_CALL_PASSED;
    }
    if (refusal->status == TR_E_VALIDATION)
        refusal->data = tr_call_fields(call, &checked.errors);
    return TR_CALL_REFUSED;
}
