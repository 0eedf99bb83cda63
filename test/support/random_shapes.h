/*
 * test/support/random_shapes.h - SHACL shapes about a few nodes, by chance.
 *
 * Nodes are http://e/n0 and so on, predicates http://e/p0, classes http://e/C0.
 */
#ifndef TR_TEST_SUPPORT_RANDOM_SHAPES_H
#define TR_TEST_SUPPORT_RANDOM_SHAPES_H

#include "base/buf.h"
#include "rdf/memory_graph.h"

enum { RANDOM_NODES = 6, RANDOM_PREDICATES = 3, RANDOM_CLASSES = 3 };

/* Appends one to three shapes with targets, as Turtle. */
void random_shapes_write(struct tr_buf *out);

/* Reads Turtle into a graph, and indexes it. */
void random_shapes_read(tr_str text, struct tr_rdf_memory_graph *graph);

#endif
