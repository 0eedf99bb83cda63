/*
 * graph/upkeep.h - what is done with a store as a whole: compaction, restoring
 * a backup, counts, values in one spelling, and a check of unique fields.
 */
#ifndef TR_GRAPH_UPKEEP_H
#define TR_GRAPH_UPKEEP_H

#include "base/vec.h"
#include "db/db.h"
#include "graph/reader.h"
#include "rdf/graph.h"

/*
 * Compaction removes terms that no quad, node, row of the feed or activity has,
 * makes the text index anew, deletes the results that wait for a repeated call
 * (prov/idempotency_store.h), and writes the file anew without gaps: what was
 * deleted is in none of the store's files afterwards. Ids are never given out
 * again. Others may have the store open meanwhile.
 */
struct tr_graph_compacted {
    uint64_t terms; /* before */
    uint64_t removed;
};

/*
 * TR_E_UNAVAILABLE when others write, or read one state, for too long: terms
 * may be removed by then, and it can be done again.
 */
TR_NODISCARD tr_status tr_graph_compact(const char *path,
                                        const struct tr_db_opts *opts,
                                        struct tr_graph_compacted *out,
                                        struct tr_err *err);

/*
 * Replaces a store's content by that of a backup, in one transaction: others
 * who have the store open see the old state or the new one. The feed goes on
 * with a gap, so its readers know that anything may have changed. `backup` is a
 * file that tr_db_backup has made; it is checked first and never written to,
 * and one of an older version is brought up to date in a copy. TR_E_UNSUPPORTED
 * for one of a newer version, TR_E_INVALID for what is no backup, TR_E_IO for a
 * damaged one.
 */
TR_NODISCARD tr_status tr_graph_restore(const char *path,
                                        const struct tr_db_opts *opts,
                                        const char *backup, struct tr_err *err);

/* How many nodes a type has, or quads a graph. */
struct tr_graph_stat {
    tr_str iri; /* "" for the default graph */
    uint64_t count;
};

/* How much there is in a store. */
struct tr_graph_stats {
    uint64_t quads;
    uint64_t terms;
    uint64_t nodes;
    uint64_t activities;
    uint64_t changes; /* rows of the feed */
    uint64_t last_change;
    uint64_t bytes;                      /* of the file */
    TR_VEC(struct tr_graph_stat) types;  /* most nodes first */
    TR_VEC(struct tr_graph_stat) graphs; /* most quads first */
};

/* What can be counted at once, however large the store is. */
struct tr_graph_glance {
    uint64_t quads;  /* counted up to TR_LIMIT_GLANCE, as the others */
    uint64_t graphs; /* among those that were counted */
    uint64_t activities;
    bool is_exact;
};

/* Between the reader's begin and its end. */
TR_NODISCARD tr_status tr_graph_stats_glance(struct tr_graph_reader *reader,
                                             struct tr_graph_glance *out,
                                             struct tr_err *err);

/* Counts what the reader sees, between its begin and its end. */
TR_NODISCARD tr_status tr_graph_stats_read(struct tr_graph_reader *reader,
                                           struct tr_arena *arena,
                                           struct tr_graph_stats *out,
                                           struct tr_err *err);

/*
 * A value of a declared field has one spelling in a store (decision 0025). What
 * is written is spelt so from the start; what a store has from before, or has
 * got before its predicate was declared, is put right when it is opened with
 * the app's model. The store keeps for which predicates and kinds that was
 * done: a predicate that is declared no more is forgotten.
 */

struct tr_model;

struct tr_graph_respelt {
    uint64_t values; /* that were spelt otherwise, in all graphs */
    char clash[256]; /* two nodes that have the same unique value now, or "" */
};

/* Whether the store has to be put right for this model. */
TR_NODISCARD tr_status tr_graph_respell_is_due(struct tr_db *db,
                                               const struct tr_model *model,
                                               bool *out, struct tr_err *err);

/*
 * Puts the store right, in one transaction, when that is due. Nodes keep their
 * versions: what they say stays the same. Values of two nodes that turn out to
 * be equal do not stop it, and are told.
 */
TR_NODISCARD tr_status tr_graph_respell(const char *path,
                                        const struct tr_db_opts *opts,
                                        const struct tr_model *model,
                                        struct tr_graph_respelt *out,
                                        struct tr_err *err);

/*
 * Imports check unique fields in the whole graph: each instance of a type is
 * looked at once, whatever their number. Small writes ask an index instead.
 */

/* Whether a node is among those that may be at fault. */
typedef bool tr_graph_unique_fn(void *context, tr_rdf_id node);

/*
 * TR_E_VALIDATION, with the nodes and the fields in the message, when two
 * instances of a type have the same values in fields that are unique together,
 * and `is_new` holds for one of them; NULL: for all. An instance that lacks one
 * of the fields is unlike all others.
 */
TR_NODISCARD tr_status tr_graph_unique_check(const struct tr_rdf_graph *graph,
                                             const struct tr_model *model,
                                             tr_graph_unique_fn *is_new,
                                             void *context, struct tr_err *err);

#endif
