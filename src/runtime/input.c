/*
 * The stage that checks arguments, and fills in defaults.
 */
#include "cap/cap.h"
#include "fields/check.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"
#include "schema/verbatim.h"

/* A capability without an input takes no arguments. */
static tr_status check(const struct tr_call *call, struct tr_shape_checked *out,
                       struct tr_err *err)
{
    static const struct tr_shape no_fields = {0};
    const struct tr_cap *cap = call->cap;
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
