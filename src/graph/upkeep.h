/*
 * graph/upkeep.h - what is done with a store as a whole: whose it is, another
 * name for that, compaction, restoring a backup, and a check of unique
 * fields.
 */
#ifndef TR_GRAPH_UPKEEP_H
#define TR_GRAPH_UPKEEP_H

#include "base/vec.h"
#include "db/db.h"
#include "graph/reader.h"
#include "rdf/graph.h"

/*
 * A store belongs to one project, whose name is in its IRIs: trails://name/...
 * It remembers the name (decision 0029). One that does not, as older versions
 * have made them, is of the project whose IRIs its nodes or their classes have.
 */

#define TR_GRAPH_NAME_BYTES 64 /* with a NUL */

/* Whose a store is: "" for nobody's. Only one without a remembered name has
 * `other`, the second name that was found in it. */
struct tr_graph_owner {
    char name[TR_GRAPH_NAME_BYTES];
    char other[TR_GRAPH_NAME_BYTES];
    bool is_remembered;
};

TR_NODISCARD tr_status tr_graph_owner_read(struct tr_db *db,
                                           struct tr_graph_owner *out,
                                           struct tr_err *err);

/* The same of the store in a folder, which need not be up to date; nobody's
 * when there is none. */
TR_NODISCARD tr_status tr_graph_owner_peek(const char *folder,
                                           struct tr_graph_owner *out,
                                           struct tr_err *err);

/* Whether a store that is somebody's is not, or not alone, this project's. */
bool tr_graph_owner_is_other(const struct tr_graph_owner *owner, tr_str name);

/*
 * Makes the store remember the name, unless it is somebody else's: then
 * TR_E_CONFLICT, and `out` says whose. Where nothing can be written it only
 * looks.
 */
TR_NODISCARD tr_status tr_graph_owner_claim(struct tr_db *db, tr_str name,
                                            bool is_read_only,
                                            struct tr_graph_owner *out,
                                            struct tr_err *err);

/*
 * A store is fitted to what an app declares: spellings, indexes by value. What
 * that was is kept as a number, never 0, so that a start with the same app has
 * nothing to look through. It counts as long as the epoch is the same: who has
 * lost indexes, has other IRIs or other content raises that.
 */
TR_NODISCARD tr_status tr_graph_fit_read(struct tr_db *db, int64_t declared,
                                         bool *fits, struct tr_err *err);

/* In a transaction that writes, at whose end the store fits. */
TR_NODISCARD tr_status tr_graph_fit_note(struct tr_db *db, int64_t declared,
                                         struct tr_err *err);

/*
 * Gives the IRIs of a project another name, in one transaction: in statements,
 * kept results and all that is found by an IRI. Ids stay, and so do activities;
 * nodes that they name have their new names. An IRI that is there already is
 * joined with the renamed one, unless both are nodes.
 */
struct tr_graph_renaming {
    tr_str from; /* "": the name that the store has */
    tr_str to;
    bool is_dry; /* all of it is undone in the end */
    /* Called in the transaction, at its end; may be NULL. */
    tr_status (*landed)(void *data, struct tr_db *db, const char *from,
                        struct tr_err *err);
    void *data;
};

struct tr_graph_renamed {
    char from[TR_GRAPH_NAME_BYTES]; /* "" when there was nothing to rename */
    uint64_t iris;
    uint64_t joined; /* with an IRI that was there already */
    uint64_t results;
};

/* TR_E_CONFLICT when it cannot be told what to rename, or two nodes would
 * become one; TR_E_LIMIT when an IRI would be too long. */
TR_NODISCARD tr_status tr_graph_rename(const char *path,
                                       const struct tr_graph_renaming *renaming,
                                       struct tr_graph_renamed *out,
                                       struct tr_err *err);

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

/*
 * Imports check unique fields in the whole graph: each instance of a type is
 * looked at once, whatever their number. Small writes ask an index instead.
 */

struct tr_model;

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
