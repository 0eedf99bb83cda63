/*
 * graph/join.h - statements after two IRIs have become one.
 */
#ifndef TR_GRAPH_JOIN_H
#define TR_GRAPH_JOIN_H

#include "db/db.h"
#include "rdf/graph.h"

/* What had the id `old` gets `new`. */
struct tr_graph_joined {
    tr_rdf_id old;
    tr_rdf_id new;
};

/*
 * Rewrites all statements, and rows of nodes, that have an `old` id in any
 * place; `joins` are sorted by it. At most one of the two is a node. In a
 * transaction that writes.
 */
TR_NODISCARD tr_status tr_graph_join(struct tr_db *db,
                                     const struct tr_graph_joined *joins,
                                     size_t count, struct tr_err *err);

#endif
