/*
 * query/facts.h - what is said of nodes, in ids; for this folder only.
 *
 * Of a page it is read at once, which costs half of a statement for each node.
 * In a call that has changed something, and behind a face, each node is asked
 * for, by the ctx's graph.
 */
#ifndef TR_QUERY_FACTS_H
#define TR_QUERY_FACTS_H

#include "graph/node.h"
#include "query/shown.h"

struct tr_query_fact {
    tr_rdf_id p;
    tr_rdf_id o;
};

/* Of one node in all graphs: by predicate, each once. */
struct tr_query_facts {
    struct tr_query_fact *items;
    size_t count;
};

/* One node of a page. */
struct tr_query_said {
    struct tr_query_facts facts;
    struct tr_graph_stored_node stored;  /* without its label */
    const struct tr_model_type *some_of; /* the facts are its classes, and at
                                            least what fields of this type that
                                            are among the names have; NULL: all
                                            that is said */
};

/* All of one node. */
TR_NODISCARD tr_status tr_query_facts_read(const struct tr_graph_read_ctx *ctx,
                                           tr_rdf_id node,
                                           struct tr_query_facts *out,
                                           struct tr_err *err);

/* Of `count` nodes what some fields need; names NULL: all. */
TR_NODISCARD tr_status tr_query_said_read(const struct tr_graph_read_ctx *ctx,
                                          const tr_rdf_id *nodes, size_t count,
                                          const struct tr_query_names *names,
                                          struct tr_query_said *out,
                                          struct tr_err *err);

#endif
