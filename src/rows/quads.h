/*
 * rows/quads.h - the quads of a store as a struct tr_rdf_graph.
 */
#ifndef TR_ROWS_QUADS_H
#define TR_ROWS_QUADS_H

#include "rows/terms.h"

struct tr_db;

/* The graph that a connection sees, in the transaction it is in. */
struct tr_rows_stored_graph {
    struct tr_rdf_graph base;
    struct tr_db *db;
    struct tr_rows_terms *terms;
};

void tr_rows_stored_graph_init(struct tr_rows_stored_graph *graph,
                               struct tr_db *db, struct tr_rows_terms *terms);

#endif
