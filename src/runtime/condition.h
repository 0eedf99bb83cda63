/*
 * runtime/condition.h - decides the preconditions of a capability.
 *
 * About nodes as the call sees them now. What it then writes lands only if
 * those nodes are still what they were, so nothing can come in between.
 */
#ifndef TR_RUNTIME_CONDITION_H
#define TR_RUNTIME_CONDITION_H

#include "runtime/call.h"

/*
 * With checked arguments. TR_E_PRECONDITION, with data {"precondition": as it
 * was written, "value": the node it is about, "found": its state}, also for the
 * caller's scope TR_E_UNAUTHENTICATED and TR_E_SCOPE; `refusal` says it.
 */
TR_NODISCARD tr_status tr_conditions_decide(struct tr_call *call,
                                            struct tr_outcome *refusal);

#endif
