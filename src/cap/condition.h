/*
 * cap/condition.h - what must hold before a capability runs.
 *
 * An author writes preconditions: a kind and its parameters. What one of them
 * alone can show is checked when the capability is added, the rest when the
 * snapshot is built: types may be declared later. Then they are conditions.
 */
#ifndef TR_CAP_CONDITION_H
#define TR_CAP_CONDITION_H

#include "cap/cap.h"

struct tr_field;
struct tr_model;
struct tr_type;

enum tr_condition_kind {
    TR_NEEDS_NODE,  /* every node that an argument names is there */
    TR_NEEDS_SCOPE, /* the caller has it */
    TR_NEEDS_STATE, /* and one of its fields has one of these values */
};

/* Lives in the arena of the snapshot, as all that it points to. */
struct tr_condition {
    enum tr_condition_kind kind;
    enum tr_scope scope; /* the rest is for nodes */
    tr_str arg;          /* one text, or an array of them; may be absent */
    const struct tr_type *type;
    const struct tr_field *field;
    const struct tr_json *one_of; /* an array of scalars */
};

/* TR_E_INVALID says what is wrong with a precondition of the draft. */
TR_NODISCARD tr_status tr_precondition_check(
    const struct tr_cap *draft, const struct tr_precondition *precondition,
    struct tr_err *err);

/* Fills in `conditions` of the capability; `model` may be NULL. */
TR_NODISCARD tr_status tr_conditions_compile(struct tr_arena *arena,
                                             const struct tr_model *model,
                                             struct tr_cap *cap,
                                             struct tr_err *err);

#endif
