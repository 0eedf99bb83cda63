/*
 * rdf/jsonld_reader.h - JSON-LD as we write it: expanded, with absolute IRIs.
 *
 * A document is a node object, or an array of them. Keys are absolute IRIs, or
 * @id, @type, @graph, @included, @value, @language, @list and @set. Nothing is
 * fetched, and there are no contexts: a document that has one is refused. It is
 * read whole, up to TR_LIMIT_JSON_BYTES.
 */
#ifndef TR_RDF_JSONLD_READER_H
#define TR_RDF_JSONLD_READER_H

#include "rdf/reader.h"
#include "rdf/source.h"

/* As tr_rdf_read, which is its only caller. */
TR_NODISCARD tr_status tr_rdf_jsonld_read(const struct tr_rdf_source *source,
                                          const struct tr_rdf_sink *sink,
                                          struct tr_err *err);

#endif
