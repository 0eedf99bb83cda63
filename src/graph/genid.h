/*
 * graph/genid.h - blank nodes have IRIs in a store (RDF 1.1 Concepts, 3.5).
 */
#ifndef TR_GRAPH_GENID_H
#define TR_GRAPH_GENID_H

#include "rdf/term.h"

/* Appends trails://project/.well-known/genid/ ; no project is "local". */
void tr_graph_genid_start(struct tr_buf *out, tr_str project);

/* The blank node that an IRI stands for; false when the IRI was not made by
 * an import. `start` is what tr_graph_genid_start writes. */
bool tr_graph_genid_is_blank(tr_str start, const tr_rdf_term *term,
                             tr_rdf_term *out);

#endif
