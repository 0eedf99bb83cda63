/*
 * graph/node.h - one node of the graph: whether it is there, and what it is.
 *
 * Ids are those of the ctx's graph. Results live in the ctx's arena.
 */
#ifndef TR_GRAPH_NODE_H
#define TR_GRAPH_NODE_H

#include "graph/read_ctx.h"
#include "rdf/term.h"

/* The id of an IRI; TR_RDF_ID_NONE when the store has never heard of it. */
TR_NODISCARD tr_status tr_graph_node_find(const struct tr_graph_read_ctx *ctx,
                                          tr_str iri, tr_rdf_id *out,
                                          struct tr_err *err);

/* Whether a quad has it as its subject, or it was made as a node. */
TR_NODISCARD tr_status tr_graph_node_exists(const struct tr_graph_read_ctx *ctx,
                                            tr_rdf_id id, bool *out,
                                            struct tr_err *err);

/*
 * The type of the model that it is shown as: the one with most ancestors, of
 * several the first by its IRI. NULL when it has no type of the model.
 */
TR_NODISCARD tr_status tr_graph_node_type(const struct tr_graph_read_ctx *ctx,
                                          tr_rdf_id id,
                                          const struct tr_model_type **out,
                                          struct tr_err *err);

/* What people call it; "" when it has no label. */
TR_NODISCARD tr_status tr_graph_node_label(const struct tr_graph_read_ctx *ctx,
                                           tr_rdf_id id, tr_str *out,
                                           struct tr_err *err);

/*
 * How often it was changed: 0 for what is no node. The changes of this call
 * count as one.
 */
TR_NODISCARD tr_status
tr_graph_node_version(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                      int64_t *out, struct tr_err *err);

/* A row of the table of nodes, without the changes of this call. */
struct tr_graph_stored_node {
    bool is_there;
    tr_rdf_id type;
    int64_t version;
    tr_str label;
};

TR_NODISCARD tr_status
tr_graph_stored_node_read(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                          struct tr_graph_stored_node *out, struct tr_err *err);

/* As tr_graph_stored_node_read, without the label. */
TR_NODISCARD tr_status
tr_graph_stored_node_seen(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                          struct tr_graph_stored_node *out, struct tr_err *err);

/* The type with most ancestors of the classes offered so far. Starts zeroed. */
struct tr_graph_best_type {
    const struct tr_model_type *type;
    size_t depth;
};

TR_NODISCARD tr_status tr_graph_best_type_offer(
    const struct tr_graph_read_ctx *ctx, struct tr_graph_best_type *best,
    tr_rdf_id class, struct tr_err *err);

#endif
