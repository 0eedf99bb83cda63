/*
 * graph/feed.h - the change feed: what has changed, in the order it landed.
 *
 * A table, so that every process can read what another has done: each remembers
 * the last number it has seen. Old rows are trimmed; who finds that rows are
 * missing has to think that anything may have changed.
 */
#ifndef TR_GRAPH_FEED_H
#define TR_GRAPH_FEED_H

#include "graph/land.h"

struct tr_graph_reader;

enum tr_graph_feed_kind {
    TR_GRAPH_FEED_CREATED = TR_GRAPH_NODE_CREATED,
    TR_GRAPH_FEED_UPDATED = TR_GRAPH_NODE_UPDATED,
    TR_GRAPH_FEED_DELETED = TR_GRAPH_NODE_DELETED,
    TR_GRAPH_FEED_MANY, /* of a whole type; without a subject */
};

struct tr_graph_feed_row {
    int64_t seq;
    tr_rdf_id subject; /* TR_RDF_ID_NONE for many */
    tr_rdf_id type;    /* of the class it is shown as, or TR_RDF_ID_NONE */
    enum tr_graph_feed_kind kind;
};

/* Adds a row, in a transaction that writes. */
TR_NODISCARD tr_status tr_graph_feed_add(struct tr_db *db,
                                         const struct tr_graph_feed_row *row,
                                         struct tr_err *err);

/* Removes what is older than TR_LIMIT_FEED_ROWS rows. */
TR_NODISCARD tr_status tr_graph_feed_trim(struct tr_db *db, struct tr_err *err);

/* The number of the newest row; 0 when there has been none. */
TR_NODISCARD tr_status tr_graph_feed_last(struct tr_db *db, int64_t *out,
                                          struct tr_err *err);

/*
 * Calls `visit` for the rows after number `*seen`, oldest first, and moves
 * `*seen`. `*has_gap` says that rows were trimmed before they were seen.
 */
typedef tr_status tr_graph_feed_fn(void *context,
                                   const struct tr_graph_feed_row *row,
                                   struct tr_err *err);
TR_NODISCARD tr_status tr_graph_feed_read(struct tr_db *db, int64_t *seen,
                                          bool *has_gap,
                                          tr_graph_feed_fn *visit,
                                          void *context, struct tr_err *err);

#endif
