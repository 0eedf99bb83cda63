/*
 * query/refuse.h - what is wrong with a query, as errors of fields; for this
 * folder only.
 */
#ifndef TR_QUERY_REFUSE_H
#define TR_QUERY_REFUSE_H

#include "query/query.h"

struct tr_query_refusing {
    struct tr_arena *arena;
    struct tr_field_errors *errors;
};

/* "<field> <says><detail>", where the detail may be NULL. */
TR_NODISCARD tr_status tr_query_refuse(const struct tr_query_refusing *r,
                                       const struct tr_field_error *error,
                                       const char *says,
                                       const struct tr_json *detail,
                                       struct tr_err *err);

/* A name that is no field of a type: the nearest one, or all of them, each
 * behind `before`. */
TR_NODISCARD tr_status tr_query_refuse_unknown(
    const struct tr_query_refusing *r, const struct tr_shape *shape,
    tr_str before, tr_str name, const struct tr_json *value,
    struct tr_err *err);

/* Forms as an array of their names. */
TR_NODISCARD tr_status tr_query_form_names(struct tr_arena *arena,
                                           unsigned forms, struct tr_json *out,
                                           struct tr_err *err);

#endif
