/*
 * query/plan.h - what of a filter and an order an index answers; for this
 * folder only.
 *
 * An index answers when its first fields have to be equal to one value each,
 * and the next one is what is ordered by, or what a range is asked of. The one
 * with most fields is taken.
 */
#ifndef TR_QUERY_PLAN_H
#define TR_QUERY_PLAN_H

#include "query/filter.h"
#include "values/index.h"

/* The field of an order. */
struct tr_query_order {
    struct tr_query_slot slot; /* no field: none is asked for */
    bool descending;
};

/* Part of an index. */
struct tr_query_stretch {
    const struct tr_values_index *index; /* NULL: none answers */
    struct tr_values_range range;
    const struct tr_query_cond *equal[TR_LIMIT_INDEX_FIELDS];
    const struct tr_query_cond *cond; /* that `range.want` is of, or NULL */
    bool is_exact_type;               /* it has no instances of other types */
    bool has_all; /* of `cond`, when the range is not inexact */
};

/* Reads `query->order`; TR_E_VALIDATION, as tr_query_where. */
TR_NODISCARD tr_status tr_query_order_read(const struct tr_graph_read_ctx *ctx,
                                           const struct tr_query *query,
                                           struct tr_query_order *out,
                                           struct tr_err *err);

/* An index whose order is that of `order`, behind fields that are equal. */
TR_NODISCARD tr_status tr_query_stretch_along(
    const struct tr_graph_read_ctx *ctx, const struct tr_query *query,
    const struct tr_query_filter *filter, const struct tr_query_order *order,
    struct tr_query_stretch *out, struct tr_err *err);

/* An index of a range that the filter asks for, whatever its order. */
TR_NODISCARD tr_status tr_query_stretch_within(
    const struct tr_graph_read_ctx *ctx, const struct tr_query *query,
    const struct tr_query_filter *filter, struct tr_query_stretch *out,
    struct tr_err *err);

/* Whether a node that a stretch has found fits the whole filter. */
TR_NODISCARD tr_status tr_query_stretch_fits(
    const struct tr_graph_read_ctx *ctx, const struct tr_query_filter *filter,
    const struct tr_query_stretch *stretch, tr_rdf_id node, bool *out,
    struct tr_err *err);

/* A field of which an index would help; NULL: there is none. */
struct tr_query_missing {
    const struct tr_model_type *type; /* the query's, or that behind a ref */
    const struct tr_field *field;
};

/* That of the order, else the first one with an order and without an index that
 * the filter asks for: of the node itself, if there is such a one. */
struct tr_query_missing
tr_query_missing_index(const struct tr_query *query,
                       const struct tr_query_filter *filter,
                       const struct tr_query_order *order);

/* Notes that a query has looked at many nodes for want of that. */
void tr_query_note_slow(const struct tr_graph_read_ctx *ctx,
                        struct tr_query_missing missing, size_t looked);

/* "index = true for the field due", and of which type, where it is not that of
 * the query; in the arena. */
TR_NODISCARD tr_status tr_query_index_to_declare(
    struct tr_arena *arena, const struct tr_query *query,
    struct tr_query_missing missing, tr_str *out, struct tr_err *err);

#endif
