/*
 * graph/search.h - nodes by the words of their text.
 *
 * What fields with `search` say, as it has landed: changes of the call itself
 * are not found, but what it has deleted is left out.
 */
#ifndef TR_GRAPH_SEARCH_H
#define TR_GRAPH_SEARCH_H

#include "graph/where.h"

/* A field left zero takes the default named beside it. */
struct tr_search {
    tr_str text;                /* all words must be there; the last one may be
                                   the start of one. No word finds nothing */
    const struct tr_type *type; /* any */
    size_t limit;               /* as of tr_query */
    size_t max_work; /* TR_LIMIT_QUERY_WORK matches of another type */
};

/*
 * The best matches first (bm25); `next` is not set, `*more` tells whether there
 * are others. Every text is words and nothing but words: there is no syntax.
 * TR_E_LIMIT when it is longer than TR_LIMIT_SEARCH_BYTES, and when too
 * many matches are of another type.
 */
TR_NODISCARD tr_status tr_search(const struct tr_sight *sight,
                                 const struct tr_search *search,
                                 struct tr_page *out, bool *more,
                                 struct tr_err *err);

#endif
