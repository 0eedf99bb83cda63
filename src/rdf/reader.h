/*
 * rdf/reader.h - RDF documents, from a stream of bytes or a file to quads in a
 * sink.
 *
 * Memory is bounded whatever the document is: terms by TR_LIMIT_RDF_TERM,
 * brackets by TR_LIMIT_NESTING. What came before an error has been handed to
 * the sink: a sink that must have all or nothing collects first. Labels of
 * blank nodes hold within one document.
 */
#ifndef TR_RDF_READER_H
#define TR_RDF_READER_H

#include "rdf/format.h"
#include "rdf/source.h"
#include "rdf/term.h"

/* Where a reader puts what it reads. */
struct tr_rdf_sink {
    void *context;

    /* One quad, borrowed for the call. Failing ends the reading. */
    tr_status (*quad)(void *context, const tr_rdf_quad *quad,
                      struct tr_err *err);

    /* A prefix that the document declares; NULL when nobody cares. */
    tr_status (*prefix)(void *context, tr_str name, tr_str iri,
                        struct tr_err *err);

    /* Gets the line on which each quad ends, before `quad` is called; NULL when
     * nobody asks. */
    uint32_t *line;
};

/*
 * Reads a whole document. Fails with TR_E_SYNTAX and the place, TR_E_LIMIT,
 * or with what the source or sink failed with. JSON-LD is what we write of it
 * (rdf/jsonld_reader.h), and is read whole.
 */
TR_NODISCARD tr_status tr_rdf_read(enum tr_rdf_format format,
                                   const struct tr_rdf_source *source,
                                   const struct tr_rdf_sink *sink,
                                   struct tr_err *err);

/* A field left zero takes the default named beside it. */
struct tr_rdf_file_opts {
    const enum tr_rdf_format *format; /* by the ending of the name */
    tr_str base; /* the file's own IRI; none for standard input */
    /* Called after each read with the number of bytes so far, and the size of
     * the file (0 when it has none); NULL: not called. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/*
 * Reads a file to `sink`; the path "-" is standard input. Fails as tr_rdf_read
 * does; with TR_E_INVALID when neither `opts` nor the ending names the format;
 * with TR_E_NOT_FOUND or TR_E_IO when the file cannot be read.
 */
TR_NODISCARD tr_status tr_rdf_file_read(const char *path,
                                        const struct tr_rdf_file_opts *opts,
                                        const struct tr_rdf_sink *sink,
                                        struct tr_err *err);

#endif
