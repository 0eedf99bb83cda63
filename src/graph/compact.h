/*
 * graph/compact.h - a store without what nobody names any more.
 *
 * Terms that no quad, node, row of the feed or activity has are removed, the
 * text index is made anew, kept results (prov/idempotency_store.h) go, and the
 * file is written anew without gaps: what was deleted is in none of the store's
 * files afterwards. Ids are never given out again. Beside others who have the
 * store open.
 */
#ifndef TR_GRAPH_COMPACT_H
#define TR_GRAPH_COMPACT_H

#include "db/db.h"

struct tr_compacted {
    uint64_t terms; /* that there were */
    uint64_t removed;
};

/*
 * TR_E_UNAVAILABLE when others write, or read one state, for too long: terms
 * may be removed by then, and it can be done again.
 */
TR_NODISCARD tr_status tr_compact(const char *path,
                                  const struct tr_db_opts *opts,
                                  struct tr_compacted *out, struct tr_err *err);

#endif
