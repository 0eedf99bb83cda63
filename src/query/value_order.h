/*
 * query/value_order.h - the order in which several values of a field are shown.
 *
 * Ids of literals are numbers of a connection, in whatever order it met them:
 * what is shown must not depend on that.
 */
#ifndef TR_QUERY_VALUE_ORDER_H
#define TR_QUERY_VALUE_ORDER_H

#include "graph/node.h"

/*
 * Sorts `count` ids that stand `stride` bytes apart: references by their
 * numbers, then literals by value (pack/key.h), those of one key by their text.
 */
TR_NODISCARD tr_status tr_query_sort_values(const struct tr_graph_read_ctx *ctx,
                                            tr_rdf_id *first, size_t stride,
                                            size_t count, struct tr_err *err);

#endif
