/*
 * graph/quads.h - the quads of a store, also as a struct tr_rdf_graph.
 */
#ifndef TR_GRAPH_QUADS_H
#define TR_GRAPH_QUADS_H

#include "graph/terms.h"

struct tr_db;

/* Removes a quad; `*changed` is false when it was not there. */
TR_NODISCARD tr_status tr_graph_quads_remove(struct tr_db *db, tr_rdf_ids quad,
                                             bool *changed, struct tr_err *err);

/* The graph that a connection sees, in the transaction it is in. */
struct tr_graph_stored_graph {
    struct tr_rdf_graph base;
    struct tr_db *db;
    struct tr_graph_terms *terms;
};

void tr_graph_stored_graph_init(struct tr_graph_stored_graph *graph,
                                struct tr_db *db, struct tr_graph_terms *terms);

#endif
