/*
 * test/support/isomorphism.h - whether two datasets differ in the labels of
 * blank nodes only (RDF 1.1 Concepts, section 3.6).
 *
 * For tests and comparisons of small graphs: with many blank nodes that look
 * alike it may take long, and then gives up with TR_E_LIMIT.
 */
#ifndef TR_TEST_SUPPORT_ISOMORPHISM_H
#define TR_TEST_SUPPORT_ISOMORPHISM_H

#include "rdf/graph.h"

TR_NODISCARD tr_status graph_isomorphic(const struct tr_rdf_graph *a,
                                        const struct tr_rdf_graph *b, bool *out,
                                        struct tr_err *err);

#endif
