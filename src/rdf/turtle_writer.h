/*
 * rdf/turtle_writer.h - Turtle and TriG for people to read.
 */
#ifndef TR_RDF_TURTLE_WRITER_H
#define TR_RDF_TURTLE_WRITER_H

#include "rdf/node_writer.h"

/* As tr_rdf_write, which is its only caller. */
TR_NODISCARD tr_status tr_rdf_turtle_write(
    const struct tr_rdf_graph *graph, const struct tr_rdf_prefixes *prefixes,
    const struct tr_rdf_output *output, struct tr_err *err);

#endif
