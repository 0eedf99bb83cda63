/*
 * query/shown.h - nodes with some of their fields alone; for this folder only.
 */
#ifndef TR_QUERY_SHOWN_H
#define TR_QUERY_SHOWN_H

#include "query/node.h"

/* Names of fields. */
struct tr_query_names {
    const tr_str *items;
    size_t count;
};

/* Whether a field is among them; NULL has all. */
bool tr_query_names_have(const struct tr_query_names *names, tr_str name);

/* Whether the key that is shown beside a ref is: by its own name, or by that of
 * the ref. */
bool tr_query_names_have_key(const struct tr_query_names *names,
                             const struct tr_field *ref);

/* Nodes as tr_query_node_read has them, with the fields that are named. What
 * others only refer to is no node: it is shown as tr_query_node_brief has it.
 */
TR_NODISCARD tr_status tr_query_nodes_read(const struct tr_graph_read_ctx *ctx,
                                           const tr_rdf_id *nodes, size_t count,
                                           const struct tr_query_names *names,
                                           struct tr_json *out,
                                           struct tr_err *err);

#endif
