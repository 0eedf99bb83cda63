/*
 * The stage that checks arguments, and fills in defaults.
 */
#include "cap/cap.h"
#include "fields/check.h"
#include "fields/value.h"
#include "json/build.h"
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

static tr_status check(const struct tr_call *call, struct tr_shape_checked *out,
                       struct tr_err *err)
{
    const struct tr_cap *cap = call->cap;
    if (!cap)
        return check_prompt(call, out, err);
    if (!cap->input_schema)
        return tr_shape_check(cap->input_shape ? cap->input_shape : &no_fields,
                              call->args, call->arena, out, err);
    out->value = call->args;
    return tr_schema_verbatim_check(cap->input_schema, call->args, call->arena,
                                    &out->errors, err);
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
