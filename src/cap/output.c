#include "cap/output.h"

#include "cap/cap.h"

static tr_status check_page(const struct tr_cap *cap,
                            const struct tr_json *value, struct tr_arena *arena,
                            struct tr_checked *out, struct tr_err *err)
{
    const struct tr_json *items = tr_json_find(value, TR_STR("items"));
    if (!tr_json_is(items, TR_JSON_ARRAY))
        return tr_fail(err, TR_E_INTERNAL, "the output has no items");
    for (size_t i = 0; i < items->len; i++)
        TR_TRY(tr_shape_check(cap->output_shape, &items->as.items[i], arena,
                              out, err));
    return TR_OK;
}

tr_status tr_cap_check_output(const struct tr_cap *cap,
                              const struct tr_json *value,
                              struct tr_arena *arena, struct tr_checked *out,
                              struct tr_err *err)
{
    *out = (struct tr_checked){0};
    if (!cap->output_shape)
        return TR_OK;
    if (!value)
        return tr_fail(err, TR_E_INTERNAL,
                       "the output does not fit: there is none");
    return cap->output_is_page
               ? check_page(cap, value, arena, out, err)
               : tr_shape_check(cap->output_shape, value, arena, out, err);
}
