#include "access/authority.h"

enum tr_access_verdict
tr_access_decide(const struct tr_access_authority *authority,
                 enum tr_scope required, bool is_production)
{
    if (!authority->is_authenticated && required != TR_SCOPE_RUNTIME)
        return TR_ACCESS_UNAUTHENTICATED;
    if (required == TR_SCOPE_DEV && is_production)
        return TR_ACCESS_SCOPE_DENIED;
    return authority->scopes & required ? TR_ACCESS_ALLOWED
                                        : TR_ACCESS_SCOPE_DENIED;
}

unsigned tr_access_decide_all(const struct tr_access_authority *authority,
                              bool is_production)
{
    unsigned allowed = 0;
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++) {
        enum tr_scope scope = tr_scopes_sorted[i];
        if (tr_access_decide(authority, scope, is_production) ==
            TR_ACCESS_ALLOWED)
            allowed |= scope;
    }
    return allowed;
}
