/*
 * rdf/output.h - where a writer's text goes, piece by piece.
 */
#ifndef TR_RDF_OUTPUT_H
#define TR_RDF_OUTPUT_H

#include "base/buf.h"

struct tr_rdf_output {
    void *context;

    /* Takes all of `bytes`, or fails. */
    tr_status (*write)(void *context, tr_str bytes, struct tr_err *err);
};

/* Appends to `buf`. */
struct tr_rdf_output tr_rdf_output_buf(struct tr_buf *buf);

/* Writes to the file descriptor `*fd`, which stays the caller's. */
struct tr_rdf_output tr_rdf_output_fd(int *fd);

/* Hands on what is in `text` and empties it. Small amounts may wait. */
TR_NODISCARD tr_status tr_rdf_output_flush(const struct tr_rdf_output *output,
                                           struct tr_buf *text, bool all,
                                           struct tr_err *err);

#endif
