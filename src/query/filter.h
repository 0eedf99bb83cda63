/*
 * query/filter.h - a filter of query.h as pairs of ids.
 */
#ifndef TR_QUERY_FILTER_H
#define TR_QUERY_FILTER_H

#include "query/query.h"
#include "query/walk.h"

/* What a node must have: the values of the filter, then its class. */
struct tr_query_filter {
    struct tr_query_pair *pairs;
    size_t count;
    bool is_empty; /* the store lacks a term of a pair: no node can match */
};

/* Fails as tr_query_where. */
TR_NODISCARD tr_status tr_query_filter_compile(
    const struct tr_graph_read_ctx *ctx, const struct tr_query *query,
    struct tr_query_filter *out, struct tr_err *err);

#endif
