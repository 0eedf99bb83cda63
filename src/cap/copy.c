#include "cap/copy.h"

#include "json/build.h"

void tr_cap_copy_str(struct tr_cap_copier *copier, tr_str *s)
{
    if (!copier->failed && !tr_arena_copy(copier->arena, *s, s))
        copier->failed = true;
}

void tr_cap_copy_strs(struct tr_cap_copier *copier, struct tr_cap_strs *strs)
{
    tr_str *items = TR_NEW_ARRAY(copier->arena, tr_str, strs->count);
    if (!items) {
        copier->failed = true;
        return;
    }
    for (size_t i = 0; i < strs->count; i++) {
        items[i] = strs->items[i];
        tr_cap_copy_str(copier, &items[i]);
    }
    strs->items = items;
}

void tr_cap_copy_json(struct tr_cap_copier *copier,
                      const struct tr_json **value)
{
    if (!copier->failed && *value &&
        !tr_json_copy(copier->arena, *value, value))
        copier->failed = true;
}

void tr_cap_copy_guard(struct tr_cap_copier *copier, struct tr_cap_guard *guard)
{
    tr_cap_copy_strs(copier, &guard->policy_required);
    tr_cap_copy_str(copier, &guard->where);
}

void tr_cap_copy_about(struct tr_cap_copier *copier, struct tr_cap_about *about)
{
    tr_cap_copy_str(copier, &about->name);
    tr_cap_copy_str(copier, &about->title);
    tr_cap_copy_str(copier, &about->description);
    tr_cap_copy_str(copier, &about->said_once);
    tr_cap_copy_json(copier, &about->icons);
    tr_cap_copy_json(copier, &about->meta);
    tr_cap_copy_guard(copier, &about->guard);
}

tr_status tr_cap_copy_check(const struct tr_cap_copier *copier,
                            struct tr_err *err)
{
    return copier->failed
               ? tr_fail(err, TR_E_NOMEM, "no memory for the registration")
               : TR_OK;
}
