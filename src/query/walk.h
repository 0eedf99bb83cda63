/*
 * query/walk.h - the subjects that have a value, in the order of their ids.
 *
 * Each comes once, from all graphs, with the changes of the call merged in, and
 * only when the call may see it. New nodes have the greatest ids, before and
 * after they land. Whatever the store holds, to reach a subject costs a few
 * rows and a look-up at most, and as much for each that may not be seen.
 */
#ifndef TR_QUERY_WALK_H
#define TR_QUERY_WALK_H

#include "graph/node.h"

/* A predicate and a value that nodes may have. */
struct tr_query_pair {
    tr_rdf_id p;
    tr_rdf_id o;
};

/* What a walk gives after the last subject: it is greater than all. */
#define TR_QUERY_WALK_END TR_RDF_ID_ANY

/* What a walk goes along. */
enum tr_query_walk_kind {
    TR_QUERY_WALK_INDEX,
    /* The index and the rows of nodes, for tr_query_walk_class and
     * tr_query_walk_label: a step costs about twice as much. */
    TR_QUERY_WALK_ROWS,
    /* For a class, in a call that has changed nothing: the rows of all nodes as
     * long as most have the class, since that is cheaper than an index and a
     * look at each row. Then it turns to the index, and has no rows any more.
     */
    TR_QUERY_WALK_NODES,
};

/* The caller's storage; open, reach, close. */
struct tr_query_walk {
    const struct tr_graph_read_ctx *ctx;
    struct tr_query_pair pair;
    enum tr_query_walk_kind kind;
    size_t given;            /* so far, by nodes */
    size_t strangers;        /* nodes whose row says another class */
    size_t patience;         /* rows that are stepped over before it seeks */
    size_t looks;            /* at nodes, in a row, instead of a seek */
    size_t rows;             /* read so far, of the index or of nodes */
    struct tr_db_stmt *stmt; /* NULL before the first row and after the last */
    tr_rdf_id stored;        /* the current one; TR_RDF_ID_NONE before the first
                                reach, TR_QUERY_WALK_END at the end */
    tr_rdf_id *added;        /* by this call, sorted */
    size_t added_count;
    size_t added_at;
};

/* Asks the store nothing yet. */
struct tr_query_walk tr_query_walk_open(const struct tr_graph_read_ctx *ctx,
                                        struct tr_query_pair pair,
                                        enum tr_query_walk_kind kind);

/* The first subject that is `from` or greater, or TR_QUERY_WALK_END. A walk
 * never goes back: `from` must not be less than what was given last. */
TR_NODISCARD tr_status tr_query_walk_reach(struct tr_query_walk *walk,
                                           tr_rdf_id from, tr_rdf_id *out,
                                           struct tr_err *err);

/* The same from a node on that another walk has given. TR_RDF_ID_NONE: it is
 * not that node, and which one is next was not looked for. */
TR_NODISCARD tr_status tr_query_walk_meet(struct tr_query_walk *walk,
                                          tr_rdf_id node, tr_rdf_id *out,
                                          struct tr_err *err);
void tr_query_walk_close(struct tr_query_walk *walk);

/*
 * What the row says of a node that was given last: a class that it has, or
 * TR_RDF_ID_NONE, and its label, which lives until the next reach. False when
 * there is no row to ask: the call has changed the node, the walk stands
 * elsewhere, or it reads no rows.
 */
bool tr_query_walk_class(const struct tr_query_walk *walk, tr_rdf_id node,
                         tr_rdf_id *out);
bool tr_query_walk_label(const struct tr_query_walk *walk, tr_rdf_id node,
                         tr_str *out);

#endif
