/*
 * rdf/writer.h - graphs as text, in all the syntaxes.
 *
 * Turtle and TriG are grouped by subject, with prefixes, lists and nested blank
 * nodes; JSON-LD is in expanded form with absolute IRIs. The output depends on
 * the graph alone.
 */
#ifndef TR_RDF_WRITER_H
#define TR_RDF_WRITER_H

#include "base/buf.h"
#include "rdf/format.h"
#include "rdf/graph.h"
#include "rdf/iri.h"
#include "rdf/reader.h"
#include "rdf/term.h"

/* Where a writer's text goes, piece by piece. */
struct tr_rdf_output {
    void *context;

    /* Takes all of `bytes`, or fails. */
    tr_status (*write)(void *context, tr_str bytes, struct tr_err *err);
};

/* Appends to `buf`. */
struct tr_rdf_output tr_rdf_output_buf(struct tr_buf *buf);

/* Writes to the file descriptor `*fd`, which stays the caller's. */
struct tr_rdf_output tr_rdf_output_fd(int *fd);

/* Hands on what is in `text` and empties it. Unless `all` is set, a small
 * amount stays there until there is more. */
TR_NODISCARD tr_status tr_rdf_output_flush(const struct tr_rdf_output *output,
                                           struct tr_buf *text, bool all,
                                           struct tr_err *err);

/*
 * Writes a whole graph. `prefixes` may be NULL; those of well-known namespaces
 * are there anyway, and only those in use are written. Fails with TR_E_INVALID
 * when the format has no named graphs and the graph does, TR_E_UNSUPPORTED for
 * a graph whose ids are not dense.
 */
TR_NODISCARD tr_status tr_rdf_write(enum tr_rdf_format format,
                                    const struct tr_rdf_graph *graph,
                                    const struct tr_rdf_prefixes *prefixes,
                                    const struct tr_rdf_output *output,
                                    struct tr_err *err);

/* Quad by quad, for N-Triples and N-Quads only: nothing is collected. */
struct tr_rdf_line_writer {
    const struct tr_rdf_output *output;
    struct tr_buf text;
    bool quads;
};

void tr_rdf_line_writer_init(struct tr_rdf_line_writer *writer, bool quads,
                             const struct tr_rdf_output *output);
void tr_rdf_line_writer_done(struct tr_rdf_line_writer *writer);

/* A sink that writes what it gets. */
struct tr_rdf_sink tr_rdf_line_writer_sink(struct tr_rdf_line_writer *writer);

/* Writes what still waits. */
TR_NODISCARD tr_status tr_rdf_line_writer_finish(
    struct tr_rdf_line_writer *writer, struct tr_err *err);

/* One term in Turtle: prefixed names, plain numbers. */
void tr_rdf_turtle_write_term(struct tr_buf *out,
                              const struct tr_rdf_prefixes *prefixes,
                              const tr_rdf_term *term);

/* Copies to `used` the prefix of `known` that `term` needs, if any. */
TR_NODISCARD tr_status tr_rdf_turtle_use_prefix(
    struct tr_rdf_prefixes *used, const struct tr_rdf_prefixes *known,
    const tr_rdf_term *term, struct tr_err *err);

/* Adds to `out` those of `given` (may be NULL), and the well-known prefixes
 * whose names are still free. */
TR_NODISCARD tr_status
tr_rdf_turtle_known_prefixes(const struct tr_rdf_prefixes *given,
                             struct tr_rdf_prefixes *out, struct tr_err *err);

#endif
