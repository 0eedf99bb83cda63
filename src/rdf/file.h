/*
 * rdf/file.h - RDF documents in files; "-" is standard input.
 */
#ifndef TR_RDF_FILE_H
#define TR_RDF_FILE_H

#include "rdf/format.h"
#include "rdf/sink.h"

/* A field left zero takes the default named beside it. */
struct tr_rdf_file_opts {
    const enum tr_rdf_format *format; /* by the ending of the name */
    tr_str base; /* the file's own IRI; none for standard input */
    /* Told now and then how many bytes were read, and of how many (0: that is
     * not known); nobody. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/*
 * Reads a file to `sink`. Fails as tr_rdf_read does; with TR_E_INVALID when the
 * format is not known; with TR_E_NOT_FOUND or TR_E_IO when it cannot be read.
 */
TR_NODISCARD tr_status tr_rdf_file_read(const char *path,
                                        const struct tr_rdf_file_opts *opts,
                                        const struct tr_rdf_sink *sink,
                                        struct tr_err *err);

#endif
