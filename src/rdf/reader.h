/*
 * rdf/reader.h - RDF documents, from a stream of bytes to quads in a sink.
 *
 * Memory is bounded whatever the document is: terms by TR_LIMIT_RDF_TERM,
 * brackets by TR_LIMIT_NESTING. What came before an error has been handed to
 * the sink: a sink that must have all or nothing collects first. Labels of
 * blank nodes hold within one document.
 */
#ifndef TR_RDF_READER_H
#define TR_RDF_READER_H

#include "rdf/format.h"
#include "rdf/sink.h"
#include "rdf/source.h"

/*
 * Fails with TR_E_SYNTAX and the place, TR_E_LIMIT, TR_E_UNSUPPORTED for a
 * format that is only written, or with what the source or sink failed with.
 */
TR_NODISCARD tr_status tr_rdf_read(enum tr_rdf_format format,
                                   const struct tr_rdf_source *source,
                                   const struct tr_rdf_sink *sink,
                                   struct tr_err *err);

#endif
