/*
 * dump/dump.h - the quads of a store, written out.
 *
 * Blank nodes that an import gave IRIs (model/uri.h) are blank again. The
 * order depends on the store alone. N-Triples and N-Quads are streamed, so a
 * store of any size can be dumped; other syntaxes need all quads in memory.
 */
#ifndef TR_DUMP_DUMP_H
#define TR_DUMP_DUMP_H

#include "graph/kg.h"
#include "rdf/writer.h"

/* A field left zero takes the default named beside it. */
struct tr_dump_opts {
    enum tr_rdf_format format;
    tr_str project; /* "local" */
    tr_str graph;   /* only this one; all */
    bool prov;      /* who did what as well, in a graph of its own */
    const struct tr_rdf_prefixes *prefixes; /* may be NULL */
};

/*
 * Writes what the reader sees, between its begin and its end. When `graph` is
 * given, also a format without named graphs can hold it, as triples.
 * TR_E_NOT_FOUND when there is no such graph; else fails as writers do
 * (rdf/writer.h).
 */
TR_NODISCARD tr_status tr_dump_quads(struct tr_graph_reader *reader,
                                     const struct tr_dump_opts *opts,
                                     const struct tr_rdf_output *output,
                                     struct tr_err *err);

#endif
