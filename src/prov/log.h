/*
 * prov/log.h - the activities of one loop that wrote nothing.
 *
 * They are gathered, packed, and written together at most 100 ms after the
 * first. No function here waits or fails: when the store does not take them,
 * the oldest are dropped beyond a bound, counted, and reported.
 */
#ifndef TR_PROV_LOG_H
#define TR_PROV_LOG_H

#include "base/err.h"
#include "prov/measure.h"
#include "prov/writer.h"

struct tr_db;

/* How long they stay. A field left zero takes the default named beside it. */
struct tr_prov_keep {
    int64_t read_days; /* TR_LIMIT_PROV_READ_DAYS */
    int64_t read_rows; /* TR_LIMIT_PROV_READ_ROWS */
};

/*
 * Removes the oldest that are too many or too old at `now_us`, but at most
 * `max_rows`; in a transaction that writes.
 */
TR_NODISCARD tr_status tr_prov_trim(struct tr_db *db,
                                    const struct tr_prov_keep *keep,
                                    int64_t now_us, int64_t max_rows,
                                    struct tr_err *err);

/* How many are stored. */
TR_NODISCARD tr_status tr_prov_reads(struct tr_db *db, int64_t *out,
                                     struct tr_err *err);

struct tr_loop;
struct tr_db_writer;
struct tr_prov_log;

/* A field left zero takes the default named beside it. */
struct tr_prov_log_opts {
    struct tr_loop *loop;
    struct tr_db_writer *writer;  /* outlives the log */
    struct tr_prov_writer *names; /* used on the writer's thread; must forget
                                     when a transaction is undone */
    struct tr_prov_keep keep;
    uint64_t delay_ms; /* 100 */
    size_t max_bytes;  /* TR_LIMIT_PROV_WAITING */
    /* Called on the loop when activities begin to be lost, and not again until
     * some could be written. `err` says why. */
    void (*losing)(void *data, const struct tr_err *err);
    void *data;
};

TR_NODISCARD tr_status tr_prov_log_create(const struct tr_prov_log_opts *opts,
                                          struct tr_prov_log **out,
                                          struct tr_err *err);

/* Copies it. On the loop. */
void tr_prov_log_add(struct tr_prov_log *log,
                     const struct tr_prov_activity *activity);

/*
 * Counts what a call came to, also one whose activity is written elsewhere. It
 * is added to the store with the next activities, or within a second. On the
 * loop.
 */
void tr_prov_log_measure(struct tr_prov_log *log,
                         const struct tr_prov_actual *actual);

/* Somebody who waits for the log; the caller's, until `done`. */
struct tr_prov_log_wait {
    void (*done)(struct tr_prov_log_wait *wait);
    struct tr_prov_log_wait *next; /* the log's */
};

/*
 * Writes what was added so far at once, and calls `done` on the loop when that
 * is on the disk, perhaps before this returns; or when the store did not take
 * it, since nobody can wait for a store that fails: the log tries again.
 */
void tr_prov_log_settle(struct tr_prov_log *log, struct tr_prov_log_wait *wait);

/* How many were lost so far. From any thread. */
uint64_t tr_prov_log_lost(const struct tr_prov_log *log);

/*
 * For a loop that is to end: writes what waits at once. What the store does not
 * take within some seconds is lost, so that nothing holds up the loop.
 */
void tr_prov_log_hurry(struct tr_prov_log *log);

/*
 * Hurries, and when all is written or lost frees the log and calls `done`,
 * perhaps before this returns.
 */
void tr_prov_log_close(struct tr_prov_log *log, void (*done)(void *data),
                       void *data);

#endif
