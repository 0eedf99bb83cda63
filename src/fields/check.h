/*
 * fields/check.h - checks a JSON object against a shape, and finds all faults.
 *
 * Violations come in declaration order, then the order of constraints, then
 * unknown fields in the order of the object. An integer is what JSON Schema
 * calls one: 1.0 and 1e2 are integers, and arrive as 1 and 100. Lengths are
 * code points; numbers are compared exactly. Null is a value of no kind, but in
 * what callers send it means that nothing is there.
 */
#ifndef TR_FIELDS_CHECK_H
#define TR_FIELDS_CHECK_H

#include "fields/error.h"
#include "fields/field.h"

struct tr_shape_checked {
    const struct tr_json *value; /* defaults filled in; NULL when refused */
    struct tr_field_errors errors;
    bool has_names; /* of tr_shape_check_input: some ref is the end of an id */
};

/*
 * Checks `object`, which may be NULL for an empty one. TR_E_VALIDATION means
 * that `out->errors` says why; other failures are TR_E_NOMEM. The new object
 * and the errors live in `arena`, and borrow from `object` and the shape. A
 * shape with a `patch_key` is checked as by tr_shape_check_patch, and that
 * field must be there.
 */
TR_NODISCARD tr_status tr_shape_check(const struct tr_shape *shape,
                                      const struct tr_json *object,
                                      struct tr_arena *arena,
                                      struct tr_shape_checked *out,
                                      struct tr_err *err);

/*
 * The same for what a caller sends: null means absent, and a ref to a type may
 * be the end of an id, which somebody else has to look up.
 */
TR_NODISCARD tr_status tr_shape_check_input(const struct tr_shape *shape,
                                            const struct tr_json *object,
                                            struct tr_arena *arena,
                                            struct tr_shape_checked *out,
                                            struct tr_err *err);

/*
 * The same for changes to an object that is there: absent fields are left
 * alone, and null takes away what is optional.
 */
TR_NODISCARD tr_status tr_shape_check_patch(const struct tr_shape *shape,
                                            const struct tr_json *object,
                                            struct tr_arena *arena,
                                            struct tr_shape_checked *out,
                                            struct tr_err *err);

/* Checks one value against one field, as tr_shape_check does. */
TR_NODISCARD tr_status tr_field_check(const struct tr_field *field,
                                      const struct tr_json *value,
                                      struct tr_arena *arena,
                                      struct tr_field_errors *errors,
                                      struct tr_err *err);

/* Whether it is an absolute IRI as RFC 3987 has it. */
bool tr_field_is_absolute_iri(tr_str text);

#endif
