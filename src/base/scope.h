/*
 * base/scope.h - what a capability asks of its caller, and a caller may have.
 *
 * Scopes are a set, not a hierarchy: each must be granted for itself.
 */
#ifndef TR_BASE_SCOPE_H
#define TR_BASE_SCOPE_H

#include "base/str.h"

/* Bits, so that a set is an unsigned. */
enum tr_scope { TR_SCOPE_RUNTIME = 1, TR_SCOPE_BUILDER = 2, TR_SCOPE_DEV = 4 };

#define TR_SCOPE_ALL                                                           \
    ((unsigned)TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER | TR_SCOPE_DEV)

/* All scopes, sorted by name. */
#define TR_SCOPE_COUNT 3
extern const enum tr_scope tr_scopes_sorted[TR_SCOPE_COUNT];

/* "runtime", ...; `scope` must be exactly one. */
const char *tr_scope_name(enum tr_scope scope);

/* Finds a scope by name; false when there is none of that name. */
bool tr_scope_find(tr_str name, enum tr_scope *out);

#endif
