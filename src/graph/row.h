/*
 * graph/row.h - what is kept of a node beside its quads.
 *
 * A row is a pure function of the quads and of what the app declares, so that a
 * write and an import come to the same row.
 */
#ifndef TR_GRAPH_ROW_H
#define TR_GRAPH_ROW_H

#include "base/arena.h"
#include "rdf/graph.h"

struct tr_model;
struct tr_model_type;

struct tr_graph_node_row {
    bool has_type;
    tr_rdf_id type; /* the class it is shown as; TR_RDF_ID_NONE without one */
    const struct tr_model_type
        *declared; /* that class, where the app declares it */
    bool has_label;
    tr_str label;
    tr_str search; /* what text search finds it by; empty: not at all */
};

/* How many types there are from a type up to its root; 0 for NULL. */
size_t tr_graph_type_depth(const struct tr_model_type *type);

/*
 * The class is the most specific type of the model, else any class: the first
 * by its IRI. The label is the least value of the type's label field, else of
 * rdfs:label. `model` may be NULL. Texts are in `arena`, ids are of `graph`.
 */
TR_NODISCARD tr_status tr_graph_row_make(const struct tr_rdf_graph *graph,
                                         const struct tr_model *model,
                                         tr_rdf_id subject,
                                         struct tr_arena *arena,
                                         struct tr_graph_node_row *out,
                                         struct tr_err *err);

#endif
