/*
 * query/query.h - nodes and quads by what is said of them: by the values of
 * fields, by type, by the words of a text, along a path, by a pattern.
 *
 * Results live in the arena of the ctx.
 */
#ifndef TR_QUERY_QUERY_H
#define TR_QUERY_QUERY_H

#include "fields/error.h"
#include "fields/forms.h"
#include "json/json.h"
#include "json/writer.h"
#include "query/node.h"

/*
 * The instances of a type that fit a filter, in an order.
 *
 * A filter is an object. A member is the name of a field and what its value has
 * to be: a value, to be equal to (for a field with many values: one of them);
 * or an object of the forms that its kind has (fields/forms.h), all of which
 * hold. "owner.email" is a field of what a ref refers to. All members hold;
 * `any`, unless the type has a field of that name, is an array of filters, one
 * of which holds. Values are equal that are the same value, as one instant at
 * two offsets is.
 *
 * Indexes answer: the nodes with each of the values are walked together
 * (query/merge.h), so that a page costs what the rarest value costs, and the
 * same in a large store; an index by value (decision 0033) is walked from the
 * place where the page begins. What no index answers is looked at node by node,
 * within bounds. Paging is by key: a page starts behind a node, and names the
 * one it ended with.
 */

/* A field left zero takes the default named beside it. */
struct tr_query {
    const struct tr_model_type *type; /* of the model; subtypes are included */
    const struct tr_json *filter;     /* {field: value, ...}; none */
    const struct tr_json *also;       /* another that must hold, too; none */
    bool is_callers; /* these come from who may see the type: they do not reach
                        to others with guards that it has not */
    tr_str order; /* a field with one value, or "-" and one: descending. Nodes
                     with the same value, or at the end without one, are in the
                     order of their ids. Empty: all are */
    tr_str after; /* an IRI, with `order` what `next` was; from the first on */
    size_t skip;  /* matches before the page; none. Each costs a step, but is
                     no work. Without `order` alone */
    size_t limit; /* TR_LIMIT_PAGE_DEFAULT, TR_LIMIT_PAGE at
                     most */
    size_t max_work;     /* TR_LIMIT_QUERY_WORK candidates */
    bool with_labels;    /* those that the walk meets anyway; none */
    const tr_str *shown; /* fields that will be shown of it, which the type or
                            one below it must have; none */
    size_t shown_count;
    struct tr_field_errors *errors; /* gets what is wrong with the filter; or
                                       NULL */
};

/* How many a page has when `asked` are wanted; 0 means the default. */
size_t tr_query_page_limit(size_t asked);

/* How much work a query may do; 0 means the default. */
size_t tr_query_work(size_t asked);

/* Nodes, in the order of the query; in the ctx's arena. */
struct tr_query_page {
    tr_rdf_id *ids;
    tr_str *labels; /* NULL, or those of stored nodes that were seen on the way;
                       a NULL pointer for the others */
    size_t count;
    tr_str next;     /* `after` for the next page; empty: this was the last */
    size_t skip;     /* for the next page: what is still to be skipped */
    size_t looked;   /* candidates that were looked at, for warnings */
    bool is_partial; /* of a search: it has not looked at all candidates */
};

/*
 * A page may be short, even empty, and still have a next one: when too many
 * candidates did not match. TR_E_VALIDATION, with `errors`, for a filter with
 * unknown fields, forms that a field does not have or values of another kind,
 * for an order that is none, and for one without an index when it would sort
 * more than TR_LIMIT_QUERY_SORTED matches, or look at more than `max_work`
 * candidates for them; TR_E_NOT_FOUND for an `after` that the store has never
 * heard of, and TR_E_INVALID for one that is not of such an order.
 *
 * Nodes that are written, changed or deleted between two pages do not disturb
 * the others: one whose value has changed may come again, or not at all.
 */
TR_NODISCARD tr_status tr_query_where(const struct tr_graph_read_ctx *ctx,
                                      const struct tr_query *query,
                                      struct tr_query_page *out,
                                      struct tr_err *err);

/* What `next` would be of a page that ended with this node. */
TR_NODISCARD tr_status tr_query_next_after(const struct tr_graph_read_ctx *ctx,
                                           const struct tr_query *query,
                                           tr_rdf_id node, tr_str *out,
                                           struct tr_err *err);

/* Without a filter, in a call that has changed nothing, a count is exact. */
struct tr_query_count {
    uint64_t count;
    bool at_least; /* it ended at TR_LIMIT_COUNT, or after too much work */
};

/* Counts the matches; `after` and `limit` do not matter here. */
TR_NODISCARD tr_status tr_query_where_count(const struct tr_graph_read_ctx *ctx,
                                            const struct tr_query *query,
                                            struct tr_query_count *out,
                                            struct tr_err *err);

/*
 * How the query would be answered: what leads to candidates, which conditions
 * each of them is asked, whether matches are sorted, and which index to declare
 * where something scans. *out is {"leads", "index"?, "checks", "sorts",
 * "scans", "declare"?}. Fails as tr_query_where.
 */
TR_NODISCARD tr_status tr_query_explain(const struct tr_graph_read_ctx *ctx,
                                        const struct tr_query *query,
                                        struct tr_json *out,
                                        struct tr_err *err);

/* Whether there is a match; TR_E_LIMIT after too many candidates without. */
TR_NODISCARD tr_status tr_query_where_exists(
    const struct tr_graph_read_ctx *ctx, const struct tr_query *query,
    bool *out, struct tr_err *err);

/* The instances of a type, and pages of nodes as JSON. */

/* A page of all instances of a type; as tr_query_where. */
TR_NODISCARD tr_status tr_query_list_type(const struct tr_graph_read_ctx *ctx,
                                          const struct tr_model_type *type,
                                          tr_str after, size_t limit,
                                          struct tr_query_page *out,
                                          struct tr_err *err);

/* An array with {"id", "_type", "_version", "label"} of each. */
TR_NODISCARD tr_status tr_query_page_brief(const struct tr_graph_read_ctx *ctx,
                                           const struct tr_query_page *page,
                                           struct tr_json *out,
                                           struct tr_err *err);

/* Writes an array with {"iri", "label"} of each; a node without a label has
 * the last segment of its IRI for one. */
TR_NODISCARD tr_status tr_query_page_write_labels(
    const struct tr_graph_read_ctx *ctx, const struct tr_query_page *page,
    struct tr_json_writer *out, struct tr_err *err);

/* An array with each node as tr_query_node_read has it. */
TR_NODISCARD tr_status tr_query_page_nodes(const struct tr_graph_read_ctx *ctx,
                                           const struct tr_query_page *page,
                                           struct tr_json *out,
                                           struct tr_err *err);

/* The same with some of the fields alone: {"id", "_type", "_version"} and those
 * of them that a node has, a ref with its key. Names that no field has are
 * passed by. */
TR_NODISCARD tr_status tr_query_page_fields(const struct tr_graph_read_ctx *ctx,
                                            const struct tr_query_page *page,
                                            const tr_str *names, size_t count,
                                            struct tr_json *out,
                                            struct tr_err *err);

/* Instances of a type by how their IRIs begin, or their keys. */

struct tr_query_prefix {
    const struct tr_model_type *type;
    tr_str text;
    size_t limit;
    const struct tr_field *key; /* a text (tr_model_key_of); NULL: the IRI */
};

/*
 * Finds at most `limit` of those that have landed, in the order of what begins;
 * *more tells whether there are others. After many terms that are no instances
 * it looks no further. `next` of the page is not set.
 */
TR_NODISCARD tr_status tr_query_prefix_find(
    const struct tr_graph_read_ctx *ctx, const struct tr_query_prefix *prefix,
    struct tr_query_page *out, bool *more, struct tr_err *err);

/*
 * Nodes by the words of their text.
 *
 * The index has the fields with `search`, as they have landed: changes of the
 * call itself are not found, but nodes that it has deleted are left out.
 */

/* A field left zero takes the default named beside it. */
struct tr_query_search {
    tr_str text; /* all words must be there; the last one may be
                    the start of one. No word finds nothing */
    const struct tr_model_type *type; /* any */
    const struct tr_json *filter;   /* as of tr_query; only with a type. None */
    struct tr_field_errors *errors; /* as of tr_query */
    size_t limit;                   /* as of tr_query */
    size_t max_work;                /* TR_LIMIT_SEARCH_NODES candidates */
};

/*
 * The best matches first (query/search_text.h); `next` is not set, `*more`
 * tells whether there are others, or may be. Every text is words and nothing
 * but words: there is no syntax. TR_E_INVALID when it is longer than
 * TR_LIMIT_SEARCH_BYTES or has more than TR_LIMIT_SEARCH_WORDS.
 *
 * The nodes with the rarest word are candidates, and the texts of these are
 * looked at. When there are too many, `is_partial` says that the page is what
 * was found so far.
 */
TR_NODISCARD tr_status tr_query_search(const struct tr_graph_read_ctx *ctx,
                                       const struct tr_query_search *search,
                                       struct tr_query_page *out, bool *more,
                                       struct tr_err *err);

/*
 * From a node along a path, to nodes.
 *
 * Breadth first; each node once, in the order in which it is first reached.
 * Literals are no nodes and are passed by.
 */

/* A step: "owner", the other way "^owner"; instead of a field also a predicate,
 * "ex:knows" or an absolute IRI. */
struct tr_query_step {
    tr_str path;
    size_t min; /* times; with max 0 both are 1 */
    size_t max;
};

/* A field left zero takes the default named beside it. */
struct tr_query_route {
    const struct tr_query_step *steps;
    size_t count;
    size_t limit;    /* as of tr_query */
    size_t max_work; /* TR_LIMIT_QUERY_WORK statements */
};

/*
 * The nodes at the end of the path; `next` is not set, `*more` tells whether
 * the limit has left some out. TR_E_VALIDATION for a step that names no field
 * of any type and no predicate, and for one with min above max; TR_E_LIMIT for
 * more than TR_LIMIT_TRAVERSE_DEPTH steps, repetitions counted, or more
 * statements on the way than it may look at.
 */
TR_NODISCARD tr_status tr_query_traverse(const struct tr_graph_read_ctx *ctx,
                                         tr_rdf_id from,
                                         const struct tr_query_route *route,
                                         struct tr_query_page *out, bool *more,
                                         struct tr_err *err);

/* Quads by a pattern, as terms. */

/* A field left zero takes the default named beside it. */
struct tr_query_match {
    const tr_rdf_term *subject; /* anything */
    const tr_rdf_term *predicate;
    const tr_rdf_term *object;
    const tr_rdf_term
        *graph;      /* any graph; TR_RDF_TERM_NONE is the default graph */
    size_t limit;    /* TR_LIMIT_PAGE_DEFAULT, TR_LIMIT_PAGE at most */
    size_t max_work; /* TR_LIMIT_QUERY_WORK quads */
};

/* In the ctx's arena, in no order that could be relied on. */
struct tr_query_matches {
    tr_rdf_quad *items;
    size_t count;
    bool more; /* the limit has left some out */
};

/* TR_E_LIMIT when too many quads have to be looked at: a pattern that no index
 * answers, such as a graph or a literal alone, works in a small store only. */
TR_NODISCARD tr_status tr_query_match_quads(const struct tr_graph_read_ctx *ctx,
                                            const struct tr_query_match *match,
                                            struct tr_query_matches *out,
                                            struct tr_err *err);

#endif
