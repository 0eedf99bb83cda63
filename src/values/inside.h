/*
 * values/inside.h - what those share who read indexes by value.
 */
#ifndef TR_VALUES_INSIDE_H
#define TR_VALUES_INSIDE_H

#include "graph/value_set.h"
#include "values/index.h"

/*
 * The keys of a range: from `low` on, below `high`. Backward those without a
 * value, from `absent` on, come behind the others; else `absent` is `high`.
 */
struct tr_values_bounds {
    struct tr_key low;
    struct tr_key absent;
    struct tr_key high;
    bool is_inexact;
};

/* range.c: makes a key greater than all that have these bytes at their
 * beginning. */
void tr_values_follow(struct tr_key *key);

/* range.c */
TR_NODISCARD tr_status tr_values_bounds_make(
    const struct tr_graph_read_ctx *ctx, const struct tr_graph_value_def *def,
    const struct tr_values_range *range, struct tr_values_bounds *out,
    struct tr_err *err);

/* Whether a model wants a field's predicate to be bare. */
struct tr_field;
struct tr_model;
bool tr_values_is_bare(const struct tr_model *model,
                       const struct tr_field *field);

/* What bare.c works on. */
struct tr_values_baring {
    struct tr_db *db;
    struct tr_graph_terms *terms;
    const struct tr_model *model;
    const struct tr_graph_value_set *set; /* as the store has it */
    bool is_dry;
};

/* Makes the predicates bare that the model wants so, and no others; counts
 * those that got rows and those that lost them. */
TR_NODISCARD tr_status tr_values_bare(const struct tr_values_baring *asked,
                                      size_t *filled, size_t *bared,
                                      struct tr_err *err);

#endif
