/*
 * rdf/serd_reader.h - Turtle and TriG, by serd, which nothing else calls.
 */
#ifndef TR_RDF_SERD_READER_H
#define TR_RDF_SERD_READER_H

#include "rdf/reader.h"
#include "rdf/source.h"

/* As tr_rdf_read, which is its only caller; `graphs` for TriG. */
TR_NODISCARD tr_status tr_rdf_serd_read(bool graphs,
                                        const struct tr_rdf_source *source,
                                        const struct tr_rdf_sink *sink,
                                        struct tr_err *err);

#endif
