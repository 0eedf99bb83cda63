/*
 * graph/node_ld.h - one node as JSON-LD, with every statement about it.
 *
 *     {"@id": "trails://demo/Task/1", "@type": "trails://demo/Task",
 *      "trails://demo/Task#title": "Write",
 *      "trails://demo/Task#share": {"@value": "5.0E-1", "@type": "...double"}}
 *
 * Keys are absolute IRIs, so there is no context. Declared fields come first,
 * in their order, those with many values as arrays; then other predicates, each
 * an array. What is said in a named graph stands in "@included", as that graph.
 * Expanded, it gives exactly the statements that the sight has.
 */
#ifndef TR_GRAPH_NODE_LD_H
#define TR_GRAPH_NODE_LD_H

#include "graph/sight.h"
#include "json/writer.h"

/*
 * Writes a node that is an instance of `type` (NULL: any), with the fields of
 * the type it is shown as (graph/node.h); for another *found is false, and
 * nothing written. The id is one of the sight's graph.
 */
TR_NODISCARD tr_status tr_node_write_ld(const struct tr_sight *sight, tr_id id,
                                        const struct tr_type *type,
                                        struct tr_json_writer *out, bool *found,
                                        struct tr_err *err);

#endif
