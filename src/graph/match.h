/*
 * graph/match.h - quads by a pattern, as terms.
 */
#ifndef TR_GRAPH_MATCH_H
#define TR_GRAPH_MATCH_H

#include "graph/sight.h"

/* A field left zero takes the default named beside it. */
struct tr_match {
    const tr_term *subject; /* anything */
    const tr_term *predicate;
    const tr_term *object;
    const tr_term *graph; /* any graph; TR_TERM_NONE is the default graph */
    size_t limit;         /* TR_LIMIT_PAGE_DEFAULT, TR_LIMIT_PAGE at most */
    size_t max_work;      /* TR_LIMIT_QUERY_WORK quads */
};

/* In the sight's arena, in no order that could be relied on. */
struct tr_matches {
    tr_quad *items;
    size_t count;
    bool more; /* than the limit */
};

/* TR_E_LIMIT when too many quads have to be looked at: what has no index,
 * such as a graph alone or a literal alone, is only found in a small store. */
TR_NODISCARD tr_status tr_match_quads(const struct tr_sight *sight,
                                      const struct tr_match *match,
                                      struct tr_matches *out,
                                      struct tr_err *err);

#endif
