/*
 * rdf/node_writer.h - what the writers that group by subject have in common:
 * the graphs of a dataset, their subjects, and the rows of one.
 */
#ifndef TR_RDF_NODE_WRITER_H
#define TR_RDF_NODE_WRITER_H

#include "base/arena.h"
#include "rdf/graph.h"
#include "rdf/iri.h"
#include "rdf/writer.h"

/* Ids as bits. */
struct tr_rdf_id_set {
    uint64_t *words;
    tr_rdf_id bound;
};

struct tr_rdf_node_writer {
    const struct tr_rdf_graph *graph;
    const struct tr_rdf_output *output;
    struct tr_arena arena;
    struct tr_buf text;
    struct tr_err *err;
    struct tr_rdf_id_set graphs;   /* names of graphs; the default graph too */
    struct tr_rdf_id_set subjects; /* that were met in the graph at hand */
    struct tr_rdf_id_set written;  /* blank nodes whose rows are written */
    struct tr_rdf_prefixes prefixes; /* those that are in use */
    tr_rdf_id type;                  /* rdf:type and the parts of lists */
    tr_rdf_id first;
    tr_rdf_id rest;
    tr_rdf_id nil;
    bool is_started; /* there is text before */
};

/* The rows of one subject in one graph: types first, then by predicate. */
struct tr_rdf_node_rows {
    tr_rdf_ids *items;
    size_t count;
};

/* Finds the graphs. After a failure there is nothing to release. */
TR_NODISCARD tr_status tr_rdf_node_writer_init(
    struct tr_rdf_node_writer *writer, const struct tr_rdf_graph *graph,
    const struct tr_rdf_output *output, struct tr_err *err);
void tr_rdf_node_writer_done(struct tr_rdf_node_writer *writer);

static inline bool tr_rdf_id_set_has(const struct tr_rdf_id_set *set,
                                     tr_rdf_id id)
{
    return set->words[id / 64] >> id % 64 & 1;
}

static inline void tr_rdf_id_set_add(struct tr_rdf_id_set *set, tr_rdf_id id)
{
    set->words[id / 64] |= (uint64_t)1 << id % 64;
}

void tr_rdf_id_set_clear(struct tr_rdf_id_set *set);

/* Calls `visit` for each subject of a graph. */
typedef tr_status tr_rdf_subject_fn(struct tr_rdf_node_writer *writer,
                                    tr_rdf_id subject, tr_rdf_id graph);
TR_NODISCARD tr_status
tr_rdf_node_writer_each(struct tr_rdf_node_writer *writer, tr_rdf_id graph,
                        tr_rdf_subject_fn *visit);

/* The rows of a subject; the caller releases them with free(out->items). */
TR_NODISCARD tr_status
tr_rdf_node_writer_rows(struct tr_rdf_node_writer *writer, tr_rdf_id subject,
                        tr_rdf_id graph, struct tr_rdf_node_rows *out);

#endif
