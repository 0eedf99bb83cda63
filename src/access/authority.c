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
