/*
 * query/value.h - values of fields by what they mean, in an order.
 *
 * Equal is what is the same value however it is spelt: one instant at two
 * offsets, 1 and 1.0. The order is total: numbers and times by value, texts by
 * their code points, nodes by their ids, false before true.
 */
#ifndef TR_QUERY_VALUE_H
#define TR_QUERY_VALUE_H

#include "graph/node.h"
#include "keys/key.h"
#include "rdf/xsd.h"

/* Borrows the text of its term. */
struct tr_query_value {
    tr_rdf_id id; /* of its term; TR_RDF_ID_NONE: not known */
    bool is_iri;
    tr_rdf_xsd_value xsd; /* of an IRI only the term */
};

/* A field, and its predicate: TR_RDF_ID_NONE where nobody has a value. */
struct tr_query_slot {
    const struct tr_field *field;
    tr_rdf_id p;
    bool is_bare; /* the store cannot find nodes by its values */
};

/* Whether the same value is always the same term, so that an id says it. */
bool tr_query_value_has_one_id(const struct tr_field *field);

/* False when a term is no value of the field's kind. */
bool tr_query_value_of(const struct tr_field *field, const tr_rdf_term *term,
                       struct tr_query_value *out);

/* Below, equal or above zero as `a` is below, equal to or above `b`. */
int tr_query_value_cmp(const struct tr_query_value *a,
                       const struct tr_query_value *b);

/* Whether it is between others of its kind: what is no number, or so large that
 * it cannot be calculated with, is in no range, as in an index it stands beside
 * all others (keys/key.h). */
bool tr_query_value_has_place(const struct tr_query_value *value);

/*
 * The value of a field that a node has; of several the least. False when it has
 * none. Its text lives as long as the job, or in the ctx's arena.
 */
TR_NODISCARD tr_status tr_query_value_read(const struct tr_graph_read_ctx *ctx,
                                           tr_rdf_id node,
                                           struct tr_query_slot slot,
                                           bool *found,
                                           struct tr_query_value *out,
                                           struct tr_err *err);

/* The key by which a node stands in an order, as an index has it (keys/key.h):
 * of all its values, whatever their kinds, the least; in an ascending part. */
struct tr_query_key {
    struct tr_key key;
    bool is_there;    /* else the key says that there is none */
    tr_rdf_term term; /* whose text lives as that of a value */
};

TR_NODISCARD tr_status tr_query_key_read(const struct tr_graph_read_ctx *ctx,
                                         tr_rdf_id node,
                                         struct tr_query_slot slot,
                                         struct tr_query_key *out,
                                         struct tr_err *err);

#endif
