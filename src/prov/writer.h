/*
 * prov/writer.h - activities into the store, on the thread that writes.
 *
 * A store's writer has one. It remembers the numbers of names, and must forget
 * them when a transaction was undone.
 */
#ifndef TR_PROV_WRITER_H
#define TR_PROV_WRITER_H

#include "prov/activity.h"

/*
 * The tables, as a step of the store's schema.
 *
 * activity       those that wrote, by id: they sort by the time they began
 * activity_read  those that did not; the oldest are deleted (prov/log.h)
 * prov_name      what rows have as numbers: kind, version and name of what ran,
 *                and names of principals (prov/pack.h); none is deleted
 * prov_state     1: the key of digests; 2: how many rows activity_read has
 * kept           results of calls with an idempotency key
 *                (prov/idempotency_store.h), and journals of calls that wait
 *                (prov/journal_store.h)
 */

/* The first step, and what was added later. */
#define TR_PROV_SCHEMA                                                         \
    "CREATE TABLE activity (id BLOB PRIMARY KEY, what INTEGER NOT NULL,"       \
    " who INTEGER NOT NULL, more BLOB NOT NULL) WITHOUT ROWID;"                \
    "CREATE TABLE activity_read (id BLOB PRIMARY KEY, what INTEGER NOT NULL,"  \
    " who INTEGER NOT NULL, more BLOB NOT NULL) WITHOUT ROWID;"                \
    "CREATE TABLE prov_name (id INTEGER PRIMARY KEY,"                          \
    " key BLOB NOT NULL UNIQUE);"                                              \
    "CREATE TABLE prov_state (key INTEGER PRIMARY KEY, value NOT NULL);"       \
    "INSERT INTO prov_state VALUES (2, 0);"

#define TR_PROV_SCHEMA_KEPT                                                    \
    "CREATE TABLE kept (id BLOB PRIMARY KEY, args BLOB NOT NULL,"              \
    " result BLOB NOT NULL, expires INTEGER NOT NULL);"                        \
    "CREATE INDEX kept_expires ON kept (expires);"

struct tr_db;
struct tr_prov_writer;

TR_NODISCARD tr_status tr_prov_writer_create(struct tr_prov_writer **out,
                                             struct tr_err *err);

/* NULL is allowed. */
void tr_prov_writer_free(struct tr_prov_writer *writer);

/*
 * To be called after a transaction was undone (`undone` of db/writer.h), by a
 * write that fails alone, and when a backup was restored.
 */
void tr_prov_writer_forget(struct tr_prov_writer *writer);

/*
 * Writes one activity, in a transaction that somebody else has begun and ends.
 * Those that wrote nothing go through prov/log.h, which is cheaper.
 */
TR_NODISCARD tr_status tr_prov_write(struct tr_prov_writer *writer,
                                     struct tr_db *db,
                                     const struct tr_prov_activity *activity,
                                     struct tr_err *err);

/*
 * For prov/log.h: writes packed activities that wrote nothing, one behind the
 * other in `packed`, and counts them.
 */
TR_NODISCARD tr_status tr_prov_write_reads(struct tr_prov_writer *writer,
                                           struct tr_db *db,
                                           const unsigned char *packed,
                                           size_t len, struct tr_err *err);

/* Adds to the stored number of rows of activity_read. */
TR_NODISCARD tr_status tr_prov_count_reads(struct tr_db *db, int64_t more,
                                           struct tr_err *err);

#endif
