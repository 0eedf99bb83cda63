/*
 * shacl/reader.h - from a graph with SHACL shapes to compiled shapes.
 */
#ifndef TR_SHACL_READER_H
#define TR_SHACL_READER_H

#include "shacl/shapes.h"

/*
 * Reads every shape of `graph`, named graphs included. Fails with TR_E_INVALID
 * for an ill-formed or recursive shape (the message says which and why, and
 * `at` is its name), TR_E_UNSUPPORTED for SHACL-SPARQL, TR_E_LIMIT for shapes
 * that nest too deep. *out is owned by the caller.
 */
TR_NODISCARD tr_status tr_shapes_read(const struct tr_rdf_graph *graph,
                                      struct tr_shapes **out,
                                      struct tr_err *err);

#endif
