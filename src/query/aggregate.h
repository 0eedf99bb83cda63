/*
 * query/aggregate.h - numbers of the instances of a type that fit a filter.
 */
#ifndef TR_QUERY_AGGREGATE_H
#define TR_QUERY_AGGREGATE_H

#include "query/query.h"

enum tr_query_measure_kind {
    TR_QUERY_SUM, /* numbers: exact for integers and decimals */
    TR_QUERY_MIN, /* whatever has an order */
    TR_QUERY_MAX,
    TR_QUERY_AVG, /* numbers: a double */
};

/* "sum", "min", "max", "avg". */
tr_str tr_query_measure_name(enum tr_query_measure_kind kind);

struct tr_query_measure {
    enum tr_query_measure_kind kind;
    tr_str field; /* with one value */
};

/* A field left zero takes the default named beside it. */
struct tr_query_aggregate {
    const struct tr_model_type *type; /* as of tr_query */
    const struct tr_json *filter;     /* as of tr_query; none */
    tr_str group; /* a field with one value; empty: all are one group */
    const struct tr_query_measure *measures; /* beside the count; none */
    size_t measure_count;                    /* TR_LIMIT_QUERY_MEASURES */
    size_t max_work;                         /* as of tr_query */
    struct tr_field_errors *errors;          /* as of tr_query */
};

struct tr_query_group {
    struct tr_json value; /* of the field; null: of nodes without one */
    uint64_t count;
    struct tr_json *measures; /* as they were asked for; null: of no value */
};

/* In the order of the values, null last; in the ctx's arena. */
struct tr_query_groups {
    struct tr_query_group *items;
    size_t count;
    bool more;     /* than TR_LIMIT_QUERY_GROUPS: these are the first */
    size_t looked; /* as of tr_query_page */
};

/*
 * Always of all that fits, never of a part: TR_E_LIMIT after too many
 * candidates. Without a group there is one, of count 0 when nothing fits. How
 * many there are by a field with an index, without a filter, is read of the
 * index. TR_E_VALIDATION, with `errors`, as of tr_query_where.
 */
TR_NODISCARD tr_status
tr_query_aggregate(const struct tr_graph_read_ctx *ctx,
                   const struct tr_query_aggregate *aggregate,
                   struct tr_query_groups *out, struct tr_err *err);

/*
 * An array of {"group"?, "count", "sum"?: {field: value}, "min"?, ...}: `group`
 * only where one is asked for, and of measures those that are.
 */
TR_NODISCARD tr_status
tr_query_groups_json(const struct tr_graph_read_ctx *ctx,
                     const struct tr_query_aggregate *aggregate,
                     const struct tr_query_groups *groups, struct tr_json *out,
                     struct tr_err *err);

#endif
