/*
 * model/fill.h - what the fields of types say, beside their shapes, of nodes
 * that come as statements: new ones get the defaults of fields that they do not
 * have, and documents are held against their schema.
 */
#ifndef TR_MODEL_FILL_H
#define TR_MODEL_FILL_H

#include "model/model.h"

/* Borrows all of it. `put` is called when the graph is no longer read, and may
 * add to it. */
struct tr_model_filling {
    const struct tr_model *model;
    const struct tr_rdf_graph *graph;
    bool only_checks; /* nothing is filled in */
    void *context;
    tr_status (*is_old)(void *context, const tr_rdf_term *node, bool *out,
                        struct tr_err *err);
    tr_status (*put)(void *context, const tr_rdf_quad *quad,
                     struct tr_err *err);
};

/* Whether there is anything that could be filled in, or checked. */
bool tr_model_has_filling(const struct tr_model *model);

/* Of one node; and of all in the graph that name their type there. Fails with
 * TR_E_VALIDATION, and the node in the message, for a wrong document. */
TR_NODISCARD tr_status tr_model_fill_node(const struct tr_model_filling *how,
                                          tr_rdf_id node, struct tr_err *err);
TR_NODISCARD tr_status tr_model_fill_all(const struct tr_model_filling *how,
                                         struct tr_err *err);

#endif
