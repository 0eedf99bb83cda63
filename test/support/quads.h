/*
 * test/support/quads.h - random quads, and whether two graphs answer alike.
 */
#ifndef TR_TEST_SUPPORT_QUADS_H
#define TR_TEST_SUPPORT_QUADS_H

#include "rdf/graph.h"

/* The quads that a graph should have. */
struct quads {
    tr_rdf_quad items[400];
    size_t count;
};

/* A random quad, of a few terms of each kind, so that they meet. */
tr_rdf_quad quads_random(void);

/*
 * Adds a quad to the tables of a store, as a landing does for many at once;
 * `*changed` is false when it was there.
 */
struct tr_db;
TR_NODISCARD tr_status quads_insert(struct tr_db *db, tr_rdf_ids quad,
                                    bool *changed, struct tr_err *err);

/* The index of a quad; `count` when it is not there. */
size_t quads_find(const struct quads *quads, const tr_rdf_quad *quad);

/* Adds a quad; the second takes one out by its index. */
void quads_put(struct quads *quads, const tr_rdf_quad *quad);
void quads_drop(struct quads *quads, size_t at);

/* Asks the graph for patterns of every kind, and compares what it finds. */
void quads_compare(const struct quads *quads, const struct tr_rdf_graph *graph);

#endif
