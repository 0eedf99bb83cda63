/*
 * query/merge.h - the nodes that have some pairs of predicate and value.
 *
 * The walks of the pairs go forward together: whoever is behind goes on to
 * where another stands, and where all stand is a match (decision 0031). So it
 * costs what the rarest pair costs, and nobody has to know which one that is.
 */
#ifndef TR_QUERY_MERGE_H
#define TR_QUERY_MERGE_H

#include "query/walk.h"

/* What a node must have; the last one is its class. */
struct tr_query_pairs {
    struct tr_query_pair *items;
    size_t count;
    bool is_empty; /* the store lacks a term of a pair: no node can match */
};

/* The caller's storage; open, next, close. */
struct tr_query_merge {
    const struct tr_graph_read_ctx *ctx;
    struct tr_query_pairs pairs;
    struct tr_query_walk *walks;  /* of the pairs: the last one of the class */
    struct tr_query_walk **order; /* the one that stands farthest comes first */
    tr_rdf_id last; /* everything up to this node was given, or is no match */
    size_t work;    /* how often a walk may still be asked */
    bool is_cut;    /* `work` was used up */
};

/*
 * Begins behind `after`; TR_RDF_ID_NONE is before all. `work` is a bound on the
 * nodes that are looked at: each may be asked of every pair. At least one is.
 */
TR_NODISCARD tr_status tr_query_merge_open(struct tr_query_merge *merge,
                                           const struct tr_graph_read_ctx *ctx,
                                           const struct tr_query_pairs *pairs,
                                           tr_rdf_id after, size_t work,
                                           struct tr_err *err);

/* TR_RDF_ID_NONE at the end, and when the work was used up. */
TR_NODISCARD tr_status tr_query_merge_next(struct tr_query_merge *merge,
                                           tr_rdf_id *out, struct tr_err *err);
void tr_query_merge_close(struct tr_query_merge *merge);

/* The label of the node that was given last, until the next step; false when no
 * row was met that has it. */
bool tr_query_merge_label(const struct tr_query_merge *merge, tr_str *out);

#endif
