#include "access/authority.h"

/* As much of a wrong name as a message shows. */
#define SHOWN ((size_t)64)

static tr_status parse_one(tr_str name, unsigned *out, struct tr_err *err)
{
    enum tr_scope scope;
    if (!name.len)
        return tr_fail(err, TR_E_INVALID,
                       "a scope is empty: runtime, builder or dev");
    if (!tr_scope_find(name, &scope))
        return tr_fail(err, TR_E_INVALID,
                       "unknown scope '%.*s': runtime, builder or dev",
                       (int)(name.len < SHOWN ? name.len : SHOWN), name.ptr);
    *out |= scope;
    return TR_OK;
}

tr_status tr_access_scopes_parse(tr_str text, unsigned *out, struct tr_err *err)
{
    unsigned scopes = 0;
    tr_str name;
    while (tr_str_cut(text, ',', &name, &text))
        TR_TRY(parse_one(tr_str_trim(name), &scopes, err));
    TR_TRY(parse_one(tr_str_trim(text), &scopes, err));
    *out = scopes;
    return TR_OK;
}

void tr_access_scopes_write(struct tr_buf *out, unsigned scopes,
                            const char *between)
{
    bool is_first = true;
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++) {
        if (!(scopes & tr_scopes_sorted[i]))
            continue;
        tr_buf_putf(out, "%s%s", is_first ? "" : between,
                    tr_scope_name(tr_scopes_sorted[i]));
        is_first = false;
    }
}
