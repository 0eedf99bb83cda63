/*
 * rdf/writer.h - graphs as text, in all the syntaxes.
 *
 * Turtle and TriG are grouped by subject, with prefixes, lists and nested blank
 * nodes; JSON-LD is in expanded form with absolute IRIs. The output depends on
 * the graph alone.
 */
#ifndef TR_RDF_WRITER_H
#define TR_RDF_WRITER_H

#include "rdf/format.h"
#include "rdf/graph.h"
#include "rdf/output.h"
#include "rdf/prefixes.h"
#include "rdf/sink.h"

/*
 * Writes a whole graph. `prefixes` may be NULL; those of well-known namespaces
 * are there anyway, and only those in use are written. Fails with TR_E_INVALID
 * when the format has no named graphs and the graph does, TR_E_UNSUPPORTED for
 * a graph whose ids are not dense.
 */
TR_NODISCARD tr_status tr_rdf_write(enum tr_rdf_format format,
                                    const struct tr_graph *graph,
                                    const struct tr_prefixes *prefixes,
                                    const struct tr_rdf_output *output,
                                    struct tr_err *err);

/* Quad by quad, for N-Triples and N-Quads only: nothing is collected. */
struct tr_line_writer {
    const struct tr_rdf_output *output;
    struct tr_buf text;
    bool quads;
};

void tr_line_writer_init(struct tr_line_writer *writer, bool quads,
                         const struct tr_rdf_output *output);
void tr_line_writer_done(struct tr_line_writer *writer);

/* A sink that writes what it gets. */
struct tr_rdf_sink tr_line_writer_sink(struct tr_line_writer *writer);

/* Writes what still waits. */
TR_NODISCARD tr_status tr_line_writer_finish(struct tr_line_writer *writer,
                                             struct tr_err *err);

#endif
