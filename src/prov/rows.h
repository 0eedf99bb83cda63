/*
 * prov/rows.h - walks over stored activities; for this folder only.
 */
#ifndef TR_PROV_ROWS_H
#define TR_PROV_ROWS_H

#include "prov/pack.h"

struct tr_db;
struct tr_db_stmt;

struct tr_prov_rows {
    struct tr_db *db;
    struct tr_db_stmt *stmt; /* NULL after the last row */
    struct tr_prov_room room;
    char what[TR_PROV_WHAT_MAX];
    char who[TR_PROV_WHO_MAX];
};

/* Walks over all, those that wrote before those that did not, the oldest of
 * each first. */
TR_NODISCARD tr_status tr_prov_rows_all(struct tr_prov_rows *rows,
                                        struct tr_db *db, struct tr_err *err);

/* Walks back from before an id, which has 16 bytes, the newest first. */
TR_NODISCARD tr_status tr_prov_rows_before(struct tr_prov_rows *rows,
                                           struct tr_db *db, tr_str id,
                                           struct tr_err *err);

/* Finds the row of one id. */
TR_NODISCARD tr_status tr_prov_rows_one(struct tr_prov_rows *rows,
                                        struct tr_db *db, tr_str id,
                                        struct tr_err *err);

/* The next row; `*has` is false at the end. */
TR_NODISCARD tr_status tr_prov_rows_next(struct tr_prov_rows *rows, bool *has,
                                         struct tr_err *err);

/* The current row: its id, which lives until the next; the numbers of its
 * principal and of what ran; all of it. */
tr_str tr_prov_rows_id(const struct tr_prov_rows *rows);
int64_t tr_prov_rows_who(const struct tr_prov_rows *rows);
int64_t tr_prov_rows_what(const struct tr_prov_rows *rows);
TR_NODISCARD tr_status tr_prov_rows_get(struct tr_prov_rows *rows,
                                        struct tr_prov_activity *out,
                                        struct tr_err *err);

/* The number that rows have for `what` or `who`; 0 when none has. */
TR_NODISCARD tr_status tr_prov_find_name(struct tr_db *db, tr_str key,
                                         int64_t *out, struct tr_err *err);

/* Ends a walk before its end; afterwards it does nothing. */
void tr_prov_rows_close(struct tr_prov_rows *rows);

#endif
