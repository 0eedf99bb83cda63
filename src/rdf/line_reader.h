/*
 * rdf/line_reader.h - N-Triples and N-Quads, a line at a time.
 */
#ifndef TR_RDF_LINE_READER_H
#define TR_RDF_LINE_READER_H

#include "rdf/reader.h"
#include "rdf/source.h"

/* As tr_rdf_read, which is its only caller; `quads` for N-Quads. */
TR_NODISCARD tr_status tr_rdf_line_read(bool quads,
                                        const struct tr_rdf_source *source,
                                        const struct tr_rdf_sink *sink,
                                        struct tr_err *err);

#endif
