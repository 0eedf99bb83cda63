/*
 * model/shacl_values.h - bounds, choices and the default of a SHACL property,
 * as JSON has them; for shacl_fields.c and told.c.
 */
#ifndef TR_MODEL_SHACL_VALUES_H
#define TR_MODEL_SHACL_VALUES_H

#include "fields/field.h"
#include "shacl/shapes.h"

/* The first constraint of a component, or NULL. */
const struct tr_shacl_constraint *
tr_model_find_constraint(const struct tr_shacl_shape *shape,
                         enum tr_shacl_component component);

/*
 * The four bounds of a number, those of the datatype among them. A bound of an
 * integer that is none itself becomes the integer beside it.
 */
TR_NODISCARD tr_status tr_model_read_bounds(const struct tr_shacl_shape *shape,
                                            struct tr_arena *arena,
                                            struct tr_field *field,
                                            struct tr_err *err);

/* sh:in, as far as it has values of the datatype; of texts and numbers only. */
TR_NODISCARD tr_status tr_model_read_choices(
    const struct tr_shacl_shapes *shapes, const struct tr_shacl_shape *shape,
    struct tr_arena *arena, struct tr_field *field, struct tr_err *err);

/* sh:defaultValue of a field that has one value, if the field would take it. */
TR_NODISCARD tr_status tr_model_read_default(
    const struct tr_shacl_shapes *shapes, const struct tr_shacl_shape *shape,
    struct tr_arena *arena, struct tr_field *field, struct tr_err *err);

/* Takes away a default that the field refuses. Its pattern may have come from
 * elsewhere, and not be compiled. */
TR_NODISCARD tr_status tr_model_check_default(struct tr_arena *arena,
                                              struct tr_field *field,
                                              struct tr_err *err);

#endif
