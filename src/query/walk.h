/*
 * query/walk.h - the subjects that have a value, one after the other.
 *
 * They come in the order of their ids, each once, from all graphs, with the
 * changes of the call merged in. New nodes have the greatest ids, before and
 * after they land. A step costs the same however many there are.
 */
#ifndef TR_QUERY_WALK_H
#define TR_QUERY_WALK_H

#include "graph/node.h"

/* A predicate and a value that nodes may have. */
struct tr_query_pair {
    tr_rdf_id p;
    tr_rdf_id o;
};

/* The caller's storage; open, next, close. */
struct tr_query_walk {
    const struct tr_graph_read_ctx *ctx;
    struct tr_query_pair pair;
    bool has_rows; /* of nodes: tr_query_walk_class and tr_query_walk_label */
    bool is_by_nodes;        /* goes through all nodes, not through an index */
    size_t given;            /* so far, by nodes */
    size_t strangers;        /* nodes whose row says another class */
    bool is_given;           /* `stored` was given out already */
    struct tr_db_stmt *stmt; /* NULL at the end of what is stored */
    tr_rdf_id stored;        /* the current one; TR_RDF_ID_NONE at the end */
    tr_rdf_id *added;        /* by this call, sorted */
    size_t added_count;
    size_t added_at;
};

/* Starts behind `after`; TR_RDF_ID_NONE is before all. */
TR_NODISCARD tr_status tr_query_walk_open(struct tr_query_walk *walk,
                                          const struct tr_graph_read_ctx *ctx,
                                          struct tr_query_pair pair,
                                          tr_rdf_id after, struct tr_err *err);

/* The same, with the rows of nodes: a step costs about twice as much. */
TR_NODISCARD tr_status tr_query_walk_open_rows(
    struct tr_query_walk *walk, const struct tr_graph_read_ctx *ctx,
    struct tr_query_pair pair, tr_rdf_id after, struct tr_err *err);

/*
 * The same for a class, in a call that has changed nothing. It goes through the
 * rows of all nodes as long as most of them have the class, since that is
 * cheaper than an index and a look at each row; then it turns to the index, and
 * there are no rows any more.
 */
TR_NODISCARD tr_status tr_query_walk_open_class(
    struct tr_query_walk *walk, const struct tr_graph_read_ctx *ctx,
    struct tr_query_pair pair, tr_rdf_id after, struct tr_err *err);

/* TR_RDF_ID_NONE at the end. */
TR_NODISCARD tr_status tr_query_walk_next(struct tr_query_walk *walk,
                                          tr_rdf_id *out, struct tr_err *err);
void tr_query_walk_close(struct tr_query_walk *walk);

/*
 * What the row says of the node that was given last: a class that it has, or
 * TR_RDF_ID_NONE, and its label, which lives until the next step. False when
 * there is no row to ask: the call has changed the node, or no rows are read.
 */
bool tr_query_walk_class(const struct tr_query_walk *walk, tr_rdf_id *out);
bool tr_query_walk_label(const struct tr_query_walk *walk, tr_str *out);

/* How many are stored behind `after`, counted up to `max`. */
TR_NODISCARD tr_status tr_query_walk_estimate(
    const struct tr_graph_read_ctx *ctx, struct tr_query_pair pair,
    tr_rdf_id after, size_t max, size_t *out, struct tr_err *err);

#endif
