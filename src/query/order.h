/*
 * query/order.h - pages in the order of a field; for this folder only.
 *
 * Along an index that has the order, or, when there is none, by sorting all
 * matches, of which there may be so many. A page begins behind the value and
 * the node where the one before it ended, so that each costs the same.
 */
#ifndef TR_QUERY_ORDER_H
#define TR_QUERY_ORDER_H

#include "query/lead.h"

TR_NODISCARD tr_status tr_query_where_ordered(
    const struct tr_graph_read_ctx *ctx, const struct tr_query *query,
    size_t limit, struct tr_query_page *out, struct tr_err *err);

/* Whether there are the fields that will be shown; fails as tr_query_where. */
TR_NODISCARD tr_status tr_query_check_shown(const struct tr_graph_read_ctx *ctx,
                                            const struct tr_query *query,
                                            struct tr_err *err);

/* The node behind which a page begins; TR_E_NOT_FOUND when it never was. */
TR_NODISCARD tr_status tr_query_after(const struct tr_graph_read_ctx *ctx,
                                      tr_str iri, tr_rdf_id *out,
                                      struct tr_err *err);

/* The IRI of a node, in the ctx's arena. */
TR_NODISCARD tr_status tr_query_name(const struct tr_graph_read_ctx *ctx,
                                     tr_rdf_id id, tr_str *out,
                                     struct tr_err *err);

#endif
