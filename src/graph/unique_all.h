/*
 * graph/unique_all.h - are values that must be unique, in a whole graph?
 *
 * For imports: all instances of a type are looked at once, whatever their
 * number. Small writes ask an index instead.
 */
#ifndef TR_GRAPH_UNIQUE_ALL_H
#define TR_GRAPH_UNIQUE_ALL_H

#include "rdf/graph.h"

struct tr_model;

/* Whether a node is among those that may be at fault. */
typedef bool tr_unique_fn(void *context, tr_id node);

/*
 * TR_E_VALIDATION, with the nodes and the fields in the message, when two
 * instances of a type have the same values in fields that are unique together,
 * and `is_new` says so of one of them; NULL: of all. An instance that lacks
 * one of the fields is unlike all others.
 */
TR_NODISCARD tr_status tr_unique_check(const struct tr_graph *graph,
                                       const struct tr_model *model,
                                       tr_unique_fn *is_new, void *context,
                                       struct tr_err *err);

#endif
