/*
 * graph/reader.h - one thread's connection for reading a store.
 *
 * A read job is bracketed by begin and end: it sees one state of the store, and
 * never goes back to its loop in between. Terms that were read are remembered
 * over jobs; the store's epoch tells when ids have come to mean something else
 * (a compaction, a restored backup, another name).
 *
 * The jobs of one turn of a loop share a transaction, unless somebody commits
 * between them: a job sees all that was reported as written before it began.
 */
#ifndef TR_GRAPH_READER_H
#define TR_GRAPH_READER_H

#include "db/db.h"
#include "graph/generation.h"
#include "graph/quads.h"
#include "graph/value_set.h"
#include "loop/timer.h"

struct tr_graph_reader {
    struct tr_db *db;
    struct tr_graph_terms *terms;
    struct tr_graph_stored_graph stored;
    struct tr_graph_value_set values; /* the indexes that there are */
    int64_t epoch;        /* of the store, when `terms` was filled */
    const char *owner;    /* whose the store must be; NULL or "": anybody's */
    struct tr_loop *loop; /* whose turns share a transaction, or NULL */
    const struct tr_graph_generation *generation;
    uint64_t seen;            /* the generation before the transaction began */
    bool is_kept;             /* a transaction is open between two jobs */
    struct tr_loop_tick tick; /* ends it */
};

/* Opens a connection of its own to the store at `path` (graph/store.h). */
TR_NODISCARD tr_status tr_graph_reader_create(const char *path,
                                              const struct tr_db_opts *opts,
                                              struct tr_graph_reader **out,
                                              struct tr_err *err);

/* Has jobs of one turn share a transaction; `generation` must outlive it. */
void tr_graph_reader_share(struct tr_graph_reader *reader, struct tr_loop *loop,
                           const struct tr_graph_generation *generation);

/* NULL is allowed. */
void tr_graph_reader_free(struct tr_graph_reader *reader);

TR_NODISCARD tr_status tr_graph_reader_begin(struct tr_graph_reader *reader,
                                             struct tr_err *err);
void tr_graph_reader_end(struct tr_graph_reader *reader);

/* In a long job, now and then: forgets terms when they are many. Their texts
 * are not used any more then. */
void tr_graph_reader_trim(struct tr_graph_reader *reader);

/* The IRI of a node, for a struct tr_prov_resolver whose data is the reader.
 * One that is gone keeps it as long as an activity names it; "" after that. */
TR_NODISCARD tr_status tr_graph_reader_iri(void *reader, uint64_t id,
                                           tr_str *iri, struct tr_err *err);

/* The epoch of the store, in the transaction that `db` is in. */
TR_NODISCARD tr_status tr_graph_epoch_read(struct tr_db *db, int64_t *out,
                                           struct tr_err *err);

/* Once this is committed, all connections forget the ids they remember. */
TR_NODISCARD tr_status tr_graph_epoch_raise(struct tr_db *db,
                                            struct tr_err *err);

#endif
