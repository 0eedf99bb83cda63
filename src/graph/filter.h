/*
 * graph/filter.h - a filter of query.h as pairs of ids.
 */
#ifndef TR_GRAPH_FILTER_H
#define TR_GRAPH_FILTER_H

#include "graph/query.h"
#include "graph/walk.h"

/* What a node must have: the values of the filter, then its class. */
struct tr_graph_filter {
    struct tr_graph_pair *pairs;
    size_t count;
    bool is_empty; /* the store lacks a term of a pair: no node can match */
};

/* Fails as tr_graph_where. */
TR_NODISCARD tr_status tr_graph_filter_compile(
    const struct tr_graph_read_ctx *ctx, const struct tr_graph_query *query,
    struct tr_graph_filter *out, struct tr_err *err);

#endif
