/*
 * graph/filter.h - a filter of query.h as pairs of ids.
 */
#ifndef TR_GRAPH_FILTER_H
#define TR_GRAPH_FILTER_H

#include "graph/query.h"
#include "graph/walk.h"

/* What a node must have: the values of the filter, then its class. */
struct tr_filter {
    struct tr_pair *pairs;
    size_t count;
    bool is_empty; /* the store has never heard of one of them */
};

/* Fails as tr_where. */
TR_NODISCARD tr_status tr_filter_compile(const struct tr_sight *sight,
                                         const struct tr_query *query,
                                         struct tr_filter *out,
                                         struct tr_err *err);

#endif
