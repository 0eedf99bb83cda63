/*
 * graph/where.h - the instances of a type that have certain values.
 *
 * Answered from an index: the rarest of the values is walked and the others are
 * looked up, so a page costs the same in a large store. Paged by key: a page
 * starts behind a node, and names the one that it ended with.
 *
 * A value is compared as the term that we would write (shape/value_term.h).
 * What was imported in another form, "05" for 5, is not found by it.
 */
#ifndef TR_GRAPH_WHERE_H
#define TR_GRAPH_WHERE_H

#include "graph/sight.h"
#include "json/json.h"
#include "shape/field_error.h"

/* A field left zero takes the default named beside it. */
struct tr_query {
    const struct tr_type *type;   /* of the model; subtypes are included */
    const struct tr_json *filter; /* {field: value, ...}, all of them; none. For
                                     a field with many values: one of them */
    tr_str after;                 /* an IRI; from the first on */
    size_t skip;                  /* so many more before the page; none. Each
                                     costs a step, but is no work */
    size_t limit;                 /* TR_LIMIT_PAGE_DEFAULT, TR_LIMIT_PAGE at
                                     most */
    size_t max_work;              /* TR_LIMIT_QUERY_WORK candidates */
    bool with_labels;             /* those that cost nothing; none */
    struct tr_field_errors *errors; /* what is wrong with the filter; untold */
};

/* How many a page has when so many are asked for; 0 is not said. */
size_t tr_page_limit(size_t asked);

/* As much work as is asked for; 0 is not said. */
size_t tr_query_work(size_t asked);

/* Nodes, in the order of their ids; in the sight's arena. */
struct tr_page {
    tr_id *ids;
    tr_str *labels; /* NULL, or those of stored nodes that were seen on the way;
                       a NULL pointer for the others */
    size_t count;
    tr_str next; /* `after` for the next page; empty: this was the last */
    size_t skip; /* for the next page: what is still to be skipped */
};

/*
 * A page may be short, even empty, and still have a next one: when too many
 * candidates were none. TR_E_VALIDATION for a filter with unknown fields or
 * values of another kind; TR_E_NOT_FOUND for an `after` that the store has
 * never heard of.
 */
TR_NODISCARD tr_status tr_where(const struct tr_sight *sight,
                                const struct tr_query *query,
                                struct tr_page *out, struct tr_err *err);

/* Exact up to TR_LIMIT_COUNT, and for all of a type; else what was counted. */
struct tr_count {
    uint64_t count;
    bool at_least;
};

/* `after` and `limit` do not matter here. */
TR_NODISCARD tr_status tr_where_count(const struct tr_sight *sight,
                                      const struct tr_query *query,
                                      struct tr_count *out, struct tr_err *err);

/* TR_E_LIMIT when none was found among too many candidates. */
TR_NODISCARD tr_status tr_where_exists(const struct tr_sight *sight,
                                       const struct tr_query *query, bool *out,
                                       struct tr_err *err);

#endif
