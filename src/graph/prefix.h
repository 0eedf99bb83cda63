/*
 * graph/prefix.h - instances of a type by how their IRIs begin.
 */
#ifndef TR_GRAPH_PREFIX_H
#define TR_GRAPH_PREFIX_H

#include "graph/where.h"

struct tr_prefix {
    const struct tr_type *type;
    tr_str text;
    size_t limit;
};

/*
 * At most so many of them, in the order of their IRIs, as far as they have
 * landed; *more tells whether there are others. After many terms that are no
 * instances it looks no further. `next` of the page is not set.
 */
TR_NODISCARD tr_status tr_prefix_find(const struct tr_sight *sight,
                                      const struct tr_prefix *prefix,
                                      struct tr_page *out, bool *more,
                                      struct tr_err *err);

#endif
