/*
 * query/candidates.h - all that fit a filter, by the cheapest way to them; for
 * this folder only.
 *
 * A range of an index with few rows is the way to take, or several for the
 * alternatives of an `any`, which are united; or a few nodes that others refer
 * to, and back from these. Else values that are equal lead (query/lead.h), then
 * longer ranges, longer ways back, and at last the whole type.
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
    struct tr_query_behind *behind; /* from the other side of a ref, or NULL */
    size_t looked;
    bool is_cut; /* after too much work */
};

/* Chooses the way. */
TR_NODISCARD tr_status tr_query_candidates_choose(
    struct tr_query_candidates *candidates, struct tr_err *err);

/*
 * The way from the other side of a ref: the nodes there that fit what a
 * condition says of them, and who refers to them; or whom they refer to.
 */
struct tr_query_behind {
    const struct tr_query_cond *cond;
    struct tr_query_cond own; /* as those on the other side are asked it */
    struct tr_query_filter filter;
    struct tr_query query;
    struct tr_query_candidates candidates;
    tr_rdf_id *ids; /* on this side: once, sorted */
    size_t count;
    bool is_whole; /* these are all */
};

/* The first condition that has such a way; NULL in `c->behind`: there is none.
 */
TR_NODISCARD tr_status tr_query_behind_find(struct tr_query_candidates *c,
                                            struct tr_err *err);

/* Finds those on this side, in so many steps. */
TR_NODISCARD tr_status tr_query_behind_collect(
    const struct tr_graph_read_ctx *ctx, struct tr_query_behind *behind,
    size_t work, struct tr_err *err);

/* Whether one of these fits the rest of the filter. */
TR_NODISCARD tr_status tr_query_behind_fits(const struct tr_query_candidates *c,
                                            tr_rdf_id node, bool *out,
                                            struct tr_err *err);

/* Calls `visit` with every node that fits, in the order of the way, until it
 * fails or says stop. */
typedef tr_status tr_query_visit_fn(void *context, tr_rdf_id node, bool *stop,
                                    struct tr_err *err);
TR_NODISCARD tr_status tr_query_candidates_each(
    struct tr_query_candidates *candidates, size_t work,
    tr_query_visit_fn *visit, void *context, struct tr_err *err);

#endif
