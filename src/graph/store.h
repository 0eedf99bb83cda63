/*
 * graph/store.h - a store: its folder, readers, writer and change feed.
 *
 * A process opens one per folder, and any thread may use it. Other processes
 * may have it open too: SQLite's lock decides between writers, and a counter in
 * a shared mapping, raised after each commit, tells everybody that something
 * has changed. What it was stands in the feed.
 */
#ifndef TR_GRAPH_STORE_H
#define TR_GRAPH_STORE_H

#include "db/writer.h"
#include "graph/land.h"
#include "graph/reader.h"

struct tr_graph_store;

/* A field left zero takes the default named beside it. */
struct tr_graph_store_opts {
    const char *folder;   /* made when it is not there; ":memory:" is a folder
                             of its own, which goes with the process */
    struct tr_db_opts db; /* of all connections; with `read_only` the store
                             must be there, and only has readers */
    size_t max_group;     /* TR_LIMIT_WRITES_GROUP */
    tr_str project;       /* that it is claimed for, as below; "": for none */
    struct tr_graph_owner *owner; /* gets what a claim says; NULL: nobody */
    int64_t declared; /* 0: nothing; else tr_graph_store_fits tells of it */
    /* On the writer's thread after each commit; may be NULL. */
    void (*committed)(void *data);
    void *data;
};

/* TR_E_UNSUPPORTED for a store that a newer version has made. */
TR_NODISCARD tr_status
tr_graph_store_open(const struct tr_graph_store_opts *opts,
                    struct tr_graph_store **out, struct tr_err *err);

/* Whether the store in a folder, or the folder, cannot be written: on a mount
 * that is read-only, say; root may write wherever it is not. */
bool tr_graph_store_is_closed(const char *folder);

/*
 * Makes the store that of a project (graph/upkeep.h), before it has readers;
 * with a connection of its own, which the claim when it is opened does without.
 * From then on it serves nobody else: when it is renamed or another's backup is
 * restored into it, reads and writes fail with TR_E_UNAVAILABLE.
 */
struct tr_graph_owner;
TR_NODISCARD tr_status tr_graph_store_claim(struct tr_graph_store *store,
                                            tr_str name,
                                            struct tr_graph_owner *out,
                                            struct tr_err *err);

/* Whether it fitted what was declared (graph/upkeep.h) when it was opened. */
bool tr_graph_store_fits(const struct tr_graph_store *store);

/* Lands what waits. Readers must be gone. NULL is allowed. */
void tr_graph_store_close(struct tr_graph_store *store);

/* Whether it was opened for reading alone. */
bool tr_graph_store_is_read_only(const struct tr_graph_store *store);

/* The file that connections open. */
const char *tr_graph_store_path(const struct tr_graph_store *store);

/* A reader for the calling thread. */
TR_NODISCARD tr_status tr_graph_store_reader(struct tr_graph_store *store,
                                             struct tr_graph_reader **out,
                                             struct tr_err *err);

/* The same for the calls of a loop: they share transactions. */
TR_NODISCARD tr_status tr_graph_store_loop_reader(struct tr_graph_store *store,
                                                  struct tr_loop *loop,
                                                  struct tr_graph_reader **out,
                                                  struct tr_err *err);

/* For what is written beside the graph, in tables of its own. */
struct tr_db_writer *tr_graph_store_writer(struct tr_graph_store *store);

/*
 * A changeset on its way to the writer. The caller's struct, as a struct
 * tr_db_write is: `write.done` and `write.loop` are the caller's to set, and
 * until `done` everything that `landing` points to belongs to the writer.
 */
struct tr_graph_store_write {
    struct tr_db_write write; /* first: what `done` gets */
    struct tr_graph_landing landing;
    /* Called before the changes are judged, when what was written before them
     * in the transaction can be read; may be NULL, and only reads. A failure
     * fails this one alone. */
    tr_status (*admit)(struct tr_graph_store_write *write, struct tr_db *db,
                       struct tr_err *err);
    /* Called in the same transaction, when the changes are written; may be
     * NULL. A failure fails all that share the transaction. */
    tr_status (*landed)(struct tr_graph_store_write *write, struct tr_db *db,
                        struct tr_err *err);
    /* Called when the changes are refused because others were first, before
     * anything else is looked at; may be NULL. */
    void (*raced)(struct tr_graph_store_write *write);
    struct tr_graph_store *store;
    struct tr_graph_store_write *next; /* the store's */
};

/* TR_E_UNAVAILABLE when too many wait; then `done` is not called. */
TR_NODISCARD tr_status tr_graph_store_submit(struct tr_graph_store *store,
                                             struct tr_graph_store_write *write,
                                             struct tr_err *err);

/* What writes activities, for whoever runs on the writer's thread. */
struct tr_prov_writer *tr_graph_store_prov(struct tr_graph_store *store);

/* The key of its digests. */
const struct tr_prov_key *
tr_graph_store_prov_key(const struct tr_graph_store *store);

/* The counter that grows with every commit of every process. */
uint64_t tr_graph_store_generation(const struct tr_graph_store *store);

/* For a commit that did not go through the writer: after it, and before it is
 * reported. */
void tr_graph_store_raise_generation(struct tr_graph_store *store);

/* A file that all processes with the store have open; bytes from the eighth on
 * are free to be locked. */
int tr_graph_store_shared_file(const struct tr_graph_store *store);

/*
 * The feed is a table of what has changed, in the order it landed, so that
 * every process can read what another has done: each remembers the last number
 * it has seen. Old rows are trimmed; who finds that rows are missing has to
 * assume that anything may have changed.
 */

enum tr_graph_feed_kind {
    TR_GRAPH_FEED_CREATED = TR_GRAPH_NODE_CREATED,
    TR_GRAPH_FEED_UPDATED = TR_GRAPH_NODE_UPDATED,
    TR_GRAPH_FEED_DELETED = TR_GRAPH_NODE_DELETED,
    TR_GRAPH_FEED_MANY, /* nodes of a type; there is no subject */
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
