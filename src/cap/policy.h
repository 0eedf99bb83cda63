/*
 * cap/policy.h - what decides whether a call may go on.
 *
 * A capability names policies in `policy_required`; all of them have to allow a
 * call. The handler of one gets the principal, the capability and the
 * arguments; it ends with TR_OK when it allows the call.
 */
#ifndef TR_CAP_POLICY_H
#define TR_CAP_POLICY_H

#include "cap/cap.h"

struct tr_policy {
    tr_str name; /* as an id, and colons */
    tr_str description;
    struct tr_handler handler;
};

struct tr_registry_builder;
struct tr_snapshot;

/* As the others of cap/registry.h. */
TR_NODISCARD tr_status
tr_registry_add_policy(struct tr_registry_builder *builder,
                       const struct tr_policy *draft, struct tr_err *err);

/* Fills in `policies` of the capability; TR_E_INVALID when one is not there. */
TR_NODISCARD tr_status tr_policies_find(struct tr_snapshot *snapshot,
                                        struct tr_cap *cap, struct tr_err *err);

#endif
