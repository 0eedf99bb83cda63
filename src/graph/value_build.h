/*
 * graph/value_build.h - indexes by value are built, inside a transaction that
 * writes. Who has none calls what upkeep.h offers.
 */
#ifndef TR_GRAPH_VALUE_BUILD_H
#define TR_GRAPH_VALUE_BUILD_H

#include "graph/upkeep.h"
#include "graph/value_set.h"

struct tr_model;

/* Drops what the model does not declare, and builds what is missing. */
TR_NODISCARD tr_status
tr_graph_values_build(struct tr_db *db, struct tr_graph_terms *terms,
                      const struct tr_graph_indexing *asked,
                      struct tr_graph_indexed *out, struct tr_err *err);

/* Makes all rows anew: values have changed everywhere. */
TR_NODISCARD tr_status tr_graph_values_rebuild(struct tr_db *db,
                                               struct tr_graph_terms *terms,
                                               struct tr_err *err);

#endif
