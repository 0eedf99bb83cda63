#include "access/authority.h"

bool tr_access_authority_copy(struct tr_arena *arena,
                              const struct tr_access_authority *from,
                              struct tr_access_authority *out)
{
    struct tr_access_authority copy = *from;
    if ((copy.principal.len &&
         !tr_arena_copy(arena, from->principal, &copy.principal)) ||
        (copy.token_id.len &&
         !tr_arena_copy(arena, from->token_id, &copy.token_id)))
        return false;
    *out = copy;
    return true;
}

bool tr_access_authority_same(const struct tr_access_authority *a,
                              const struct tr_access_authority *b)
{
    return a->is_authenticated == b->is_authenticated &&
           tr_str_eq(a->principal, b->principal);
}

bool tr_access_principal_is_given(tr_str name)
{
    static const tr_str beginnings[] = {TR_STR_INIT(TR_ACCESS_LOCAL),
                                        TR_STR_INIT(TR_ACCESS_TOKEN)};
    for (size_t i = 0; i < TR_LEN(beginnings); i++) {
        if (tr_str_starts(name, beginnings[i]))
            return true;
    }
    return tr_str_eq(name, TR_STR(TR_ACCESS_SUBLESS));
}
