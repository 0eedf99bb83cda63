#include "base/scope.h"

const enum tr_scope tr_scopes_sorted[TR_SCOPE_COUNT] = {
    TR_SCOPE_BUILDER, TR_SCOPE_DEV, TR_SCOPE_RUNTIME};

const char *tr_scope_name(enum tr_scope scope)
{
    switch (scope) {
    case TR_SCOPE_BUILDER:
        return "builder";
    case TR_SCOPE_DEV:
        return "dev";
    default:
        return "runtime";
    }
}

bool tr_scope_find(tr_str name, enum tr_scope *out)
{
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++) {
        if (tr_str_eq(name, tr_str_from(tr_scope_name(tr_scopes_sorted[i])))) {
            *out = tr_scopes_sorted[i];
            return true;
        }
    }
    return false;
}
