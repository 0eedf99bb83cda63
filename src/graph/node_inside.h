/*
 * graph/node_inside.h - for the files that read nodes: rows and types.
 */
#ifndef TR_GRAPH_NODE_INSIDE_H
#define TR_GRAPH_NODE_INSIDE_H

#include "graph/read_ctx.h"

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

/* The type with most ancestors of the classes offered so far. Starts zeroed. */
struct tr_graph_best_type {
    const struct tr_model_type *type;
    size_t depth;
};

TR_NODISCARD tr_status tr_graph_best_type_offer(
    const struct tr_graph_read_ctx *ctx, struct tr_graph_best_type *best,
    tr_rdf_id class, struct tr_err *err);

#endif
