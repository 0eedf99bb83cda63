/*
 * graph/traverse.h - from a node along a path, to nodes.
 *
 * Breadth first; each node once, in the order in which it is first reached.
 * Literals are no nodes and are passed by.
 */
#ifndef TR_GRAPH_TRAVERSE_H
#define TR_GRAPH_TRAVERSE_H

#include "graph/where.h"

/* A step: "owner", the other way "^owner"; instead of a field also a predicate,
 * "ex:knows" or an absolute IRI. */
struct tr_step {
    tr_str path;
    size_t min; /* times; with max 0 both are 1 */
    size_t max;
};

/* A field left zero takes the default named beside it. */
struct tr_route {
    const struct tr_step *steps;
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
TR_NODISCARD tr_status tr_traverse(const struct tr_sight *sight, tr_id from,
                                   const struct tr_route *route,
                                   struct tr_page *out, bool *more,
                                   struct tr_err *err);

#endif
