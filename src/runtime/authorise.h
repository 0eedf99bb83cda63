/*
 * runtime/authorise.h - whether the caller has the scope that a call needs.
 *
 * The question is asked right before a capability runs, for every caller.
 */
#ifndef TR_RUNTIME_AUTHORISE_H
#define TR_RUNTIME_AUTHORISE_H

#include "base/scope.h"
#include "runtime/call.h"

/*
 * Whether the caller of a capability has a scope, of its descriptor or of one
 * of its preconditions. TR_OK, or a refusal: TR_E_UNAUTHENTICATED with {tool,
 * required_scope}, TR_E_SCOPE with {tool, required_scope, caller_scopes}
 * (contract C1).
 */
TR_NODISCARD tr_status tr_call_authorise(const struct tr_call *call,
                                         enum tr_scope scope,
                                         struct tr_call_outcome *refusal);

#endif
