/*
 * graph/owner.h - whose a store is, for those who open, read and rename it;
 * graph/upkeep.h has what others need.
 */
#ifndef TR_GRAPH_OWNER_H
#define TR_GRAPH_OWNER_H

#include "graph/upkeep.h"

/* The keys of the IRIs of a project: from `low` on, before `high`; both have
 * `len` bytes, and `low` is what all keys begin with. */
struct tr_graph_span {
    char low[TR_GRAPH_NAME_BYTES + 16];
    char high[TR_GRAPH_NAME_BYTES + 16];
    size_t len;
};

void tr_graph_span_of(tr_str name, struct tr_graph_span *out);

/* In a transaction that writes. */
TR_NODISCARD tr_status tr_graph_owner_remember(struct tr_db *db, tr_str name,
                                               struct tr_err *err);

/* TR_E_UNAVAILABLE when the store is another project's; "" is any. */
TR_NODISCARD tr_status tr_graph_owner_check(struct tr_db *db, const char *name,
                                            struct tr_err *err);

#endif
