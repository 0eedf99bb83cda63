/*
 * rdf/source.h - where a reader gets its text from, piece by piece.
 */
#ifndef TR_RDF_SOURCE_H
#define TR_RDF_SOURCE_H

#include "base/err.h"

struct tr_rdf_source {
    void *context;

    /* Writes up to `size` bytes to `to`; *got is 0 at the end only. */
    tr_status (*read)(void *context, char *to, size_t size, size_t *got,
                      struct tr_err *err);

    /* What relative IRIs are resolved against; empty refuses them. */
    tr_str base;
};

/* Reads `*text`, which moves on; the caller keeps it alive. */
struct tr_rdf_source tr_rdf_source_text(tr_str *text, tr_str base);

/* Reads the file descriptor `*fd`, which stays the caller's. */
struct tr_rdf_source tr_rdf_source_fd(int *fd, tr_str base);

#endif
