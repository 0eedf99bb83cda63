/*
 * The completion that a field has by itself: what its values can be.
 */
#include "cap/cap.h"
#include "fields/field.h"
#include "fields/value.h"
#include "json/build.h"
#include "runtime/call.h"

static tr_str arg_of(const struct tr_call *call, const char *name)
{
    return tr_json_text(tr_json_find(call->args, tr_str_from(name)));
}

static tr_status offer(const struct tr_call *call, const struct tr_json **out,
                       struct tr_err *err)
{
    const struct tr_field *field =
        tr_shape_find(call->input, arg_of(call, "argument"));
    tr_str typed = arg_of(call, "value");
    size_t count = 0;
    size_t kept = 0;
    const struct tr_json *choices =
        field ? tr_field_value_choices(field, &count) : NULL;
    struct tr_json *list = TR_NEW(call->arena, struct tr_json);
    struct tr_json *items = TR_NEW_ARRAY(call->arena, struct tr_json, count);
    for (size_t i = 0; items && i < count; i++) {
        tr_str text = tr_json_text(&choices[i]);
        if (tr_str_starts(text, typed))
            items[kept++] = tr_json_make_text(TR_JSON_STRING, text);
    }
    if (!list || !items || !tr_json_make_array(call->arena, items, kept, list))
        return tr_fail(err, TR_E_NOMEM, "no memory for completions");
    *out = list;
    return TR_OK;
}

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    outcome.status = offer(call, &outcome.value, &outcome.err);
    tr_call_finish(call, &outcome);
}

const struct tr_cap_handler tr_call_offer = {.run = run};
