/*
 * rdf/memory_graph.h - a dataset in memory, indexed for tr_rdf_graph.
 *
 * Add quads, then index, then read through tr_rdf_memory_graph_view. More may
 * be added later: they are not found before the next tr_rdf_memory_graph_index,
 * which must not run while somebody reads. At all other times any number of
 * threads may read. Ids are dense and stay valid as long as the graph.
 */
#ifndef TR_RDF_MEMORY_GRAPH_H
#define TR_RDF_MEMORY_GRAPH_H

#include "rdf/graph.h"
#include "rdf/reader.h"

struct tr_rdf_memory_graph;

/* `max_table_bytes` bounds each of its tables; 0 is TR_LIMIT_GRAPH_TABLE. */
TR_NODISCARD tr_status tr_rdf_memory_graph_create(
    size_t max_table_bytes, struct tr_rdf_memory_graph **out,
    struct tr_err *err);

/* NULL is allowed. */
void tr_rdf_memory_graph_free(struct tr_rdf_memory_graph *graph);

/* The text of the terms is copied. Adding a quad again changes nothing. */
TR_NODISCARD tr_status
tr_rdf_memory_graph_add(struct tr_rdf_memory_graph *graph,
                        const tr_rdf_quad *quad, struct tr_err *err);

/* A triple of the default graph. */
TR_NODISCARD tr_status tr_rdf_memory_graph_add_triple(
    struct tr_rdf_memory_graph *graph, tr_rdf_term subject,
    const char *predicate, tr_rdf_term object, struct tr_err *err);

/*
 * Starts a new document: a blank node label that follows is another node than
 * the same label before. The first document needs no call.
 */
void tr_rdf_memory_graph_next_document(struct tr_rdf_memory_graph *graph);

/* A sink that adds what a reader reads; borrows the graph. */
struct tr_rdf_sink tr_rdf_memory_graph_sink(struct tr_rdf_memory_graph *graph);

/* Sorts. Everything that was added can be found from here on. */
TR_NODISCARD tr_status tr_rdf_memory_graph_index(
    struct tr_rdf_memory_graph *graph, struct tr_err *err);

/* The read interface; borrowed. The graph must be indexed to be asked. */
const struct tr_rdf_graph *
tr_rdf_memory_graph_view(const struct tr_rdf_memory_graph *graph);

/* Distinct quads, as of the last index. */
size_t tr_rdf_memory_graph_count(const struct tr_rdf_memory_graph *graph);

#endif
