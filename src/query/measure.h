/*
 * query/measure.h - a sum, least, greatest or average of one group; for this
 * folder only.
 */
#ifndef TR_QUERY_MEASURE_H
#define TR_QUERY_MEASURE_H

#include "query/aggregate.h"
#include "query/sum.h"
#include "query/value.h"

/* Starts zeroed, with its kind and field. */
struct tr_query_measuring {
    enum tr_query_measure_kind kind;
    struct tr_query_slot slot;
    size_t count; /* of values */
    struct tr_query_value best;
    struct tr_query_sum sum; /* of what is exact */
    double number;           /* of doubles */
    double lost;             /* what it has lost (Neumaier) */
};

void tr_query_measure_begin(struct tr_query_measuring *measuring);
TR_NODISCARD tr_status tr_query_measure_node(
    const struct tr_graph_read_ctx *ctx, struct tr_query_measuring *measuring,
    tr_rdf_id node, struct tr_err *err);

/* Null when there was no value, or the result is no number. */
TR_NODISCARD tr_status tr_query_measure_end(
    const struct tr_graph_read_ctx *ctx, struct tr_query_measuring *measuring,
    struct tr_json *out, struct tr_err *err);

#endif
