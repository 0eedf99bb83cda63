/*
 * db/backend.h - what a database must be able to do to stand behind db.h.
 *
 * The functions of db.h are thin: they keep the statements and the depth of
 * savepoints, and pass the rest on.
 */
#ifndef TR_DB_BACKEND_H
#define TR_DB_BACKEND_H

#include "db/db.h"

/* A backend's own structs begin with these. */
struct tr_db {
    const struct tr_db_backend *backend;
    struct tr_db_stmt *stmts; /* all that were prepared */
    unsigned depth;           /* of savepoints */
    bool is_open;             /* a transaction was begun */
    bool is_held; /* that, by a statement alone (tr_db_begin_with) */
};

struct tr_db_stmt {
    struct tr_db *db;
    const char *sql; /* a literal: the statement is found by its address */
    bool is_busy;    /* from its prepare to its reset */
    struct tr_db_stmt *next;
};

struct tr_db_backend {
    void (*close)(struct tr_db *db);
    tr_status (*exec)(struct tr_db *db, const char *sql, struct tr_err *err);
    tr_status (*prepare)(struct tr_db *db, const char *sql,
                         struct tr_db_stmt **out, struct tr_err *err);
    void (*finalize)(struct tr_db_stmt *stmt);
    void (*bind_i64)(struct tr_db_stmt *stmt, int at, int64_t value);
    void (*bind_double)(struct tr_db_stmt *stmt, int at, double value);
    void (*bind_text)(struct tr_db_stmt *stmt, int at, tr_str value);
    void (*bind_blob)(struct tr_db_stmt *stmt, int at, tr_str value);
    void (*bind_null)(struct tr_db_stmt *stmt, int at);
    tr_status (*step)(struct tr_db_stmt *stmt, bool *row, struct tr_err *err);
    void (*reset)(struct tr_db_stmt *stmt);
    int64_t (*column_i64)(struct tr_db_stmt *stmt, int at);
    double (*column_double)(struct tr_db_stmt *stmt, int at);
    tr_str (*column_text)(struct tr_db_stmt *stmt, int at);
    tr_str (*column_blob)(struct tr_db_stmt *stmt, int at);
    /* To statements that begin from now on, as tr_rows; NULL: none. */
    tr_status (*show_rows)(struct tr_db *db, const struct tr_db_rows *rows,
                           struct tr_err *err);
    tr_status (*each_word)(struct tr_db *db, tr_str text,
                           const struct tr_db_word_sink *sink,
                           struct tr_err *err);
    int64_t (*changes)(struct tr_db *db);
    int64_t (*last_id)(struct tr_db *db);
    tr_status (*begin)(struct tr_db *db, enum tr_db_mode mode,
                       struct tr_err *err);
    /* The number of schema steps that were taken. */
    tr_status (*version)(struct tr_db *db, int64_t *out, struct tr_err *err);
    tr_status (*set_version)(struct tr_db *db, int64_t version,
                             struct tr_err *err);
    tr_status (*state)(struct tr_db *db, int64_t *out, struct tr_err *err);
    tr_status (*backup)(struct tr_db *db, const char *path, struct tr_err *err);
    tr_status (*size)(struct tr_db *db, uint64_t *out, struct tr_err *err);
    tr_status (*shrink)(struct tr_db *db, struct tr_err *err);
    tr_status (*checkpoint)(struct tr_db *db, struct tr_db_log *out,
                            struct tr_err *err);
    int64_t (*log_pages)(struct tr_db *db);
    tr_status (*check)(struct tr_db *db, struct tr_err *err);
};

TR_NODISCARD tr_status tr_db_sqlite_open(const char *path,
                                         const struct tr_db_opts *opts,
                                         struct tr_db **out,
                                         struct tr_err *err);

#endif
