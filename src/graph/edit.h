/*
 * graph/edit.h - from what is asked of a node to operations on terms.
 */
#ifndef TR_GRAPH_EDIT_H
#define TR_GRAPH_EDIT_H

#include "fields/check.h"
#include "graph/kg.h"

/* Adds an operation; the object is spelt as the store has it. */
TR_NODISCARD tr_status tr_graph_kg_put_op(struct tr_graph_kg *kg,
                                          enum tr_graph_op_kind kind,
                                          const tr_rdf_quad *quad,
                                          struct tr_err *err);

/* The same in the default graph; an empty predicate, and an object that is
 * NULL, are left out. */
TR_NODISCARD tr_status tr_graph_kg_add_op(struct tr_graph_kg *kg,
                                          enum tr_graph_op_kind kind,
                                          tr_str subject, tr_str predicate,
                                          const tr_rdf_term *object,
                                          struct tr_err *err);

/* The IRI of a new node that says this; the fields have been checked, and
 * `type` may be NULL. */
TR_NODISCARD tr_status tr_graph_kg_name(struct tr_graph_kg *kg,
                                        const struct tr_model_type *type,
                                        const struct tr_json *fields,
                                        tr_str *out, struct tr_err *err);

/* The node that an IRI is a part of (part.h); "" when it is none. */
TR_NODISCARD tr_status tr_graph_kg_owner_of(struct tr_graph_kg *kg, tr_str iri,
                                            tr_str *out, struct tr_err *err);

/* Says of a node what the members of an object say, with the objects and lists
 * that are in it. They have been checked. */
TR_NODISCARD tr_status tr_graph_kg_add_fields(struct tr_graph_kg *kg,
                                              const struct tr_shape *shape,
                                              tr_str subject,
                                              const struct tr_json *fields,
                                              struct tr_err *err);

#endif
