/*
 * graph/bare.h - which predicates are bare, for tr_graph_value_set_load.
 */
#ifndef TR_GRAPH_BARE_H
#define TR_GRAPH_BARE_H

#include "graph/value_set.h"

/* Adds them to a set that is being read. */
TR_NODISCARD tr_status tr_graph_bare_read(struct tr_graph_value_set *set,
                                          struct tr_db *db, struct tr_err *err);

#endif
