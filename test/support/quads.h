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
 * Adds a quad to the tables of a store, or removes it, as a landing does for
 * many at once; `*changed` is false when it was so already.
 */
struct tr_db;
struct tr_rows_terms;
TR_NODISCARD tr_status quads_change(struct tr_db *db,
                                    struct tr_rows_terms *terms,
                                    tr_rdf_ids quad, bool is_added,
                                    bool *changed, struct tr_err *err);

/* The index of a quad; `count` when it is not there. */
size_t quads_find(const struct quads *quads, const tr_rdf_quad *quad);

/* Adds a quad; the second takes one out by its index. */
void quads_put(struct quads *quads, const tr_rdf_quad *quad);
void quads_drop(struct quads *quads, size_t at);

/* Asks the graph for patterns of every kind, and compares what it finds. */
void quads_compare(const struct quads *quads, const struct tr_rdf_graph *graph);

/* Two graphs have the same quads. */
void quads_same(const struct tr_rdf_graph *a, const struct tr_rdf_graph *b);

#endif
