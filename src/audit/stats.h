/*
 * audit/stats.h - how much there is in a store.
 */
#ifndef TR_AUDIT_STATS_H
#define TR_AUDIT_STATS_H

#include "base/vec.h"
#include "graph/kg.h"

/* How many nodes a type has, or quads a graph. */
struct tr_audit_stat {
    tr_str iri; /* "" for the default graph */
    uint64_t count;
};

/* How much there is in a store. */
struct tr_audit_stats {
    uint64_t quads;
    uint64_t terms;
    uint64_t nodes;
    uint64_t activities;
    uint64_t changes; /* rows of the feed */
    uint64_t last_change;
    uint64_t bytes;                      /* of the file */
    TR_VEC(struct tr_audit_stat) types;  /* most nodes first */
    TR_VEC(struct tr_audit_stat) graphs; /* most quads first */
};

/* What can be counted at once, however large the store is. */
struct tr_audit_glance {
    uint64_t quads;  /* counted up to TR_LIMIT_GLANCE, as the others */
    uint64_t graphs; /* among those that were counted */
    uint64_t activities;
    bool is_exact;
};

/* Between the reader's begin and its end. */
TR_NODISCARD tr_status tr_audit_stats_glance(struct tr_graph_reader *reader,
                                             struct tr_audit_glance *out,
                                             struct tr_err *err);

/* Counts what the reader sees, between its begin and its end. */
TR_NODISCARD tr_status tr_audit_stats_read(struct tr_graph_reader *reader,
                                           struct tr_arena *arena,
                                           struct tr_audit_stats *out,
                                           struct tr_err *err);

#endif
