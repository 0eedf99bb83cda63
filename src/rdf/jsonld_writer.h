/*
 * rdf/jsonld_writer.h - JSON-LD 1.1 in expanded form, with absolute IRIs.
 */
#ifndef TR_RDF_JSONLD_WRITER_H
#define TR_RDF_JSONLD_WRITER_H

#include "json/writer.h"
#include "rdf/node_writer.h"

/* As tr_rdf_write, which is its only caller. */
TR_NODISCARD tr_status tr_rdf_jsonld_write(const struct tr_rdf_graph *graph,
                                           const struct tr_rdf_output *output,
                                           struct tr_err *err);

#endif
