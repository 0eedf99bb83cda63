/*
 * graph/part.h - nodes that are parts of others: objects, and cells of lists.
 *
 * A part has no row, no version and no type of its own: all of that is its
 * owner's. It is named after its owner, or is a blank node (genid.h), and a
 * predicate that the model declares leads to it (model->part_predicates). When
 * nothing leads to it any more, it goes.
 */
#ifndef TR_GRAPH_PART_H
#define TR_GRAPH_PART_H

#include "base/map.h"
#include "model/model.h"

/* Whether what this stands for could be a part; most IRIs could not. */
bool tr_graph_part_may_be(const struct tr_model *model, tr_str iri);

/* Appends the IRI of the object in a field: trails://p/Person/1#address, or
 * with a number, from 1, trails://p/Order/1#lines.1. */
void tr_graph_part_write(struct tr_buf *out, tr_str owner, tr_str field,
                         size_t number);

/* Appends the start of the IRIs of the cells of a list; a number follows. The
 * same list has the same ones each time. */
void tr_graph_part_write_cells(struct tr_buf *out, const struct tr_model *model,
                               tr_str owner, tr_str predicate);

/* Whether a quad leads from an owner to a part. */
TR_NODISCARD tr_status tr_graph_part_leads(const struct tr_rdf_graph *graph,
                                           const struct tr_model *model,
                                           tr_rdf_ids row, bool *out,
                                           struct tr_err *err);

/* Whether a quad that was removed was the last that led to a part. */
TR_NODISCARD tr_status tr_graph_part_is_unheld(const struct tr_rdf_graph *graph,
                                               const struct tr_model *model,
                                               tr_rdf_ids removed, bool *out,
                                               struct tr_err *err);

/* Finds the nodes that parts belong to, in one state of a graph. */
struct tr_graph_part_owners {
    const struct tr_rdf_graph *graph;
    const struct tr_model *model;
    struct tr_arena *arena;
    struct tr_map known; /* by the bytes of ids */
};

/* The node that `id` is a part of, perhaps of a part of it; itself when it is
 * none. What is asked for one after the other costs one step each. */
TR_NODISCARD tr_status tr_graph_part_owner(struct tr_graph_part_owners *owners,
                                           tr_rdf_id id, tr_rdf_id *out,
                                           struct tr_err *err);

#endif
