/*
 * prov/writer.h - activities into the store, on the thread that writes.
 *
 * One per writer of a store. It remembers the numbers of names, so whenever
 * something was undone, it must forget them.
 */
#ifndef TR_PROV_WRITER_H
#define TR_PROV_WRITER_H

#include "prov/activity.h"

struct tr_db;
struct tr_prov_row;
struct tr_prov_writer;

TR_NODISCARD tr_status tr_prov_writer_create(struct tr_prov_writer **out,
                                             struct tr_err *err);

/* NULL is allowed. */
void tr_prov_writer_free(struct tr_prov_writer *writer);

/*
 * After a savepoint or a transaction was undone (`undone` of db/writer.h), and
 * when the store has become another one.
 */
void tr_prov_writer_forget(struct tr_prov_writer *writer);

/*
 * Writes one activity, in a transaction that somebody else has begun and ends.
 * Those that wrote nothing go through prov/log.h, which is cheaper.
 */
TR_NODISCARD tr_status tr_prov_write(struct tr_prov_writer *writer,
                                     struct tr_db *db,
                                     const struct tr_activity *activity,
                                     struct tr_err *err);

/* As tr_prov_write, of one that wrote nothing and is packed already. Whoever
 * calls it has the rows counted by tr_prov_count_reads. */
TR_NODISCARD tr_status tr_prov_write_read(struct tr_prov_writer *writer,
                                          struct tr_db *db,
                                          const struct tr_prov_row *row,
                                          struct tr_err *err);
TR_NODISCARD tr_status tr_prov_count_reads(struct tr_db *db, int64_t more,
                                           struct tr_err *err);

#endif
