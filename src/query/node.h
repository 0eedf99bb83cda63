/*
 * query/node.h - one node of the graph, as JSON and as JSON-LD.
 *
 * Ids are those of the ctx's graph. Results live in the ctx's arena.
 */
#ifndef TR_QUERY_NODE_H
#define TR_QUERY_NODE_H

#include "graph/node.h"
#include "json/json.h"
#include "json/writer.h"

/*
 * All of it: {"id", "_type", "_version"} and its fields, in the order of their
 * declaration; an array for a field that may have many, also for one that has
 * several values although it may not. A ref with `by` is followed by the key of
 * what it names, as "account_domain". Other predicates are not shown. A node of
 * no declared type has its predicates as keys, each with an array.
 */
TR_NODISCARD tr_status
tr_query_node_read_id(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                      struct tr_json *out, bool *found, struct tr_err *err);

/* The same; but nothing is found when it does not have the class of `type`. */
TR_NODISCARD tr_status
tr_query_node_read_as(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                      const struct tr_model_type *type, struct tr_json *out,
                      bool *found, struct tr_err *err);
TR_NODISCARD tr_status tr_query_node_read(const struct tr_graph_read_ctx *ctx,
                                          tr_str iri, struct tr_json *out,
                                          bool *found, struct tr_err *err);

/* {"id", "_type", "_version", "label"}: what a list shows; the last three only
 * where it has them. */
TR_NODISCARD tr_status tr_query_node_brief(const struct tr_graph_read_ctx *ctx,
                                           tr_rdf_id id, struct tr_json *out,
                                           struct tr_err *err);

/*
 * One node as JSON-LD, with every statement about it.
 *
 *     {"@id": "trails://demo/Task/1", "@type": "trails://demo/Task",
 *      "trails://demo/Task#title": "Write",
 *      "trails://demo/Task#share": {"@value": "5.0E-1", "@type": "...double"}}
 *
 * Keys are absolute IRIs, so there is no context. Declared fields come first,
 * in their order, those with many values as arrays; then other predicates, each
 * an array. What is said in a named graph stands in "@included", as that graph.
 * Expanded, it gives exactly the statements that the ctx has.
 */

/* What became of a node. */
struct tr_query_node_shown {
    bool found;
    const struct tr_model_type *type; /* that it is shown as, or NULL */
    bool fits; /* that type; false: it has to be read and looked at */
};

/*
 * Writes a node that is an instance of `type` (NULL: any), with the fields of
 * the type it is shown as (tr_graph_node_type); another node is not found, and
 * nothing is written.
 */
TR_NODISCARD tr_status tr_query_node_write_ld(
    const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
    const struct tr_model_type *type, struct tr_json_writer *out,
    struct tr_query_node_shown *shown, struct tr_err *err);

#endif
