/*
 * query/named.h - nodes as people name them: by an id, by the end of one, or by
 * a unique value.
 *
 * Results live in the ctx's arena, or are what was given.
 */
#ifndef TR_QUERY_NAMED_H
#define TR_QUERY_NAMED_H

#include "graph/node.h"

/* A node that was named; id TR_RDF_ID_NONE: there is none. */
struct tr_query_named {
    tr_rdf_id id;
    tr_str iri;
    bool is_several; /* stored nodes share the value: it names none of them */
};

/* Finds an instance of a type by its IRI, or by the end of it. */
TR_NODISCARD tr_status tr_query_named_find(const struct tr_graph_read_ctx *ctx,
                                           const struct tr_model_type *type,
                                           tr_str name,
                                           struct tr_query_named *out,
                                           struct tr_err *err);

/*
 * The node of the first IRI that tr_query_named_find would look for, of
 * whatever type: for who sees its type anyway.
 */
TR_NODISCARD tr_status tr_query_named_guess(const struct tr_graph_read_ctx *ctx,
                                            const struct tr_model_type *type,
                                            tr_str name,
                                            struct tr_query_named *out,
                                            struct tr_err *err);

/*
 * As tr_query_named_find for a value of a ref, which may have `by`: an id wins
 * over a key that looks like one. Whoever imports, calls or writes a handler
 * comes through here.
 */
TR_NODISCARD tr_status tr_query_named_find_ref(
    const struct tr_graph_read_ctx *ctx, const struct tr_field *ref,
    tr_str text, struct tr_query_named *out, struct tr_err *err);

/* The value of a key (tr_model_key_of) that a node has, as it can be given;
 * empty when it has none. */
TR_NODISCARD tr_status tr_query_named_key(const struct tr_graph_read_ctx *ctx,
                                          const struct tr_field *key,
                                          tr_rdf_id node, tr_str *out,
                                          struct tr_err *err);

#endif
