/*
 * db/writer.h - the one thread of a process that writes to its store.
 *
 * Writes that wait together share one transaction and one sync of the disk
 * (group commit): each runs in a savepoint of its own, so one that fails fails
 * alone. Savepoints cost; a write that decides before it writes does without
 * (is_deferred). `done` comes after the commit.
 */
#ifndef TR_DB_WRITER_H
#define TR_DB_WRITER_H

#include "db/db.h"
#include "loop/loop.h"

struct tr_db_write;
struct tr_db_writer;

/*
 * The caller's struct; from tr_db_writer_submit to `done` it belongs to the
 * writer. The loop must be held until then.
 */
struct tr_db_write {
    /* On the writer's thread, inside a transaction. A failure undoes it. */
    tr_status (*run)(struct tr_db_write *write, struct tr_db *db,
                     struct tr_err *err);
    /* On the loop, once, after the commit or a failure: see `status`, `err`. */
    void (*done)(struct tr_db_write *write);
    void *data; /* the caller's */
    struct tr_loop *loop;
    bool is_deferred; /* `run` only decides; `settle` writes (below) */
    tr_status status;
    struct tr_err err;
    struct tr_loop_parcel parcel;
    struct tr_db_write *next;
};

/* A field left zero takes the default named beside it. */
struct tr_db_writer_opts {
    const char *path;
    struct tr_db_opts db;
    /* Each of these may be NULL. `opened` is called before the thread starts,
     * the others on the thread. */
    tr_status (*opened)(void *data, struct tr_db *db, struct tr_err *err);
    /* First in each transaction. */
    tr_status (*begun)(void *data, struct tr_db *db, struct tr_err *err);
    /* Writes what deferred writes have decided, before any other write runs,
     * and last in a transaction. A failure undoes the whole transaction. */
    tr_status (*settle)(void *data, struct tr_db *db, struct tr_err *err);
    /* After a commit, before any `done`. */
    void (*committed)(void *data);
    /* When a whole transaction was undone; not for a write that fails alone. */
    void (*undone)(void *data);
    void *data;
    size_t max_waiting; /* TR_LIMIT_WRITES_WAITING */
    size_t max_group;   /* TR_LIMIT_WRITES_GROUP: that share a commit */
};

/*
 * Opens its own connection and starts the thread, which from then on is the
 * only one to use it.
 */
TR_NODISCARD tr_status tr_db_writer_create(const struct tr_db_writer_opts *opts,
                                           struct tr_db_writer **out,
                                           struct tr_err *err);

/* TR_E_UNAVAILABLE when too many wait; then `done` is not called. */
TR_NODISCARD tr_status tr_db_writer_submit(struct tr_db_writer *writer,
                                           struct tr_db_write *write,
                                           struct tr_err *err);

/* How many writes wait now. From any thread. */
size_t tr_db_writer_waiting(struct tr_db_writer *writer);

/* Does what waits, then ends the thread. NULL is allowed. */
void tr_db_writer_free(struct tr_db_writer *writer);

#endif
