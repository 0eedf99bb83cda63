/*
 * query/candidates.h - all that fit a filter, by the cheapest way to them; for
 * this folder only.
 *
 * A range of an index with few rows is the way to take, or several for the
 * alternatives of an `any`, which are united. Else values that are equal lead
 * (query/lead.h), then longer ranges, and at last the whole type.
 */
#ifndef TR_QUERY_CANDIDATES_H
#define TR_QUERY_CANDIDATES_H

#include "query/lead.h"
#include "query/plan.h"

/* Rows that are few. */
#define TR_QUERY_FEW ((size_t)1000)

struct tr_query_candidates {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query *query;
    const struct tr_query_filter *filter;
    struct tr_query_stretch stretch; /* without index: the lead */
    bool is_few;                     /* rows, of the stretch */
    bool leads; /* few rows, or values that are equal: it is no scan */
    const struct tr_query_cond *any; /* what the branches are of, or NULL */
    struct tr_query_candidates *branches; /* each by its own way */
    bool is_branch;
    size_t looked;
    bool is_cut; /* after too much work */
};

/* Chooses the way. */
TR_NODISCARD tr_status tr_query_candidates_choose(
    struct tr_query_candidates *candidates, struct tr_err *err);

/* Calls `visit` with every node that fits, in the order of the way, until it
 * fails or says stop. */
typedef tr_status tr_query_visit_fn(void *context, tr_rdf_id node, bool *stop,
                                    struct tr_err *err);
TR_NODISCARD tr_status tr_query_candidates_each(
    struct tr_query_candidates *candidates, size_t work,
    tr_query_visit_fn *visit, void *context, struct tr_err *err);

#endif
