/*
 * graph/race.h - why changes were refused: somebody else was first.
 *
 * What two calls can be at odds about has a key, the same in every process: a
 * node; the names beside one that was free; the fields of a type that are
 * unique together; a counter. A call that is run again waits for the turn of
 * the keys that it failed on (runtime/race_queue.h).
 */
#ifndef TR_GRAPH_RACE_H
#define TR_GRAPH_RACE_H

#include "base/limits.h"
#include "graph/change.h"

struct tr_db;
struct tr_graph_kg;
struct tr_shape_unique;

struct tr_graph_rival {
    uint64_t key;
    int64_t version; /* that a node should have had; 0: any */
};

struct tr_graph_race {
    size_t count; /* 0: nobody was first */
    struct tr_graph_rival rivals[TR_LIMIT_RIVALS];
};

/* Each key once, as many as there is room for. */
void tr_graph_race_add(struct tr_graph_race *race, uint64_t key,
                       int64_t version);

uint64_t tr_graph_key_expect(const struct tr_graph_expect *expect);
uint64_t tr_graph_key_unique(tr_str class_iri,
                             const struct tr_shape_unique *unique);
uint64_t tr_graph_key_counter(tr_str name);

/*
 * Whether a node has changed after a row of the feed, or may have: of what was
 * imported, and of rows that are gone, nobody knows.
 */
TR_NODISCARD tr_status tr_graph_changed_since(struct tr_db *db, int64_t since,
                                              tr_rdf_id node, bool *out,
                                              struct tr_err *err);

/* An expectation was refused at once: notes it if somebody else has changed
 * the node since the call began. */
void tr_graph_kg_note_race(struct tr_graph_kg *kg, tr_rdf_id node,
                           const struct tr_graph_expect *broken,
                           const struct tr_err *why);

#endif
