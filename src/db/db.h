/*
 * db/db.h - one connection to a store, in SQL.
 *
 * A connection belongs to one thread at a time. SQL comes from literals in the
 * source alone, values are bound; a statement is kept by its connection and
 * found again by the address of its text. Rows are a cursor: step, read, step.
 * What is bound or read as text is borrowed until the next step or reset.
 *
 * A backend is a table of functions (db/backend.h); SQLite is one.
 */
#ifndef TR_DB_DB_H
#define TR_DB_DB_H

#include "base/err.h"
#include "base/limits.h"

struct tr_db;
struct tr_db_stmt;

/* A field left zero takes the default named beside it. */
struct tr_db_opts {
    bool read_only;     /* the store must be there */
    bool no_sync;       /* for a store that may be lost */
    unsigned busy_ms;   /* 10000: how long to wait for other processes */
    size_t cache_bytes; /* 8 MiB of pages */
    bool keeps_log;     /* commits leave the log to db/checkpoint.h */
    const char *vfs;    /* the system's: how SQLite reaches files, for tests */
};

/*
 * Opens the file, and makes it unless `read_only` is set: readable by its owner
 * alone. `opts` may be NULL.
 */
TR_NODISCARD tr_status tr_db_open(const char *path,
                                  const struct tr_db_opts *opts,
                                  struct tr_db **out, struct tr_err *err);

/* Rolls back what was begun. NULL is allowed. */
void tr_db_close(struct tr_db *db);

/*
 * Brings the schema up to date, in one transaction: `steps` are SQL, the first
 * for an empty store. TR_E_UNSUPPORTED when the store has taken more steps, as
 * a newer program leaves it.
 */
TR_NODISCARD tr_status tr_db_upgrade(struct tr_db *db, const char *const *steps,
                                     size_t count, struct tr_err *err);

/* Runs statements that return nothing. */
TR_NODISCARD tr_status tr_db_exec(struct tr_db *db, const char *sql,
                                  struct tr_err *err);

/*
 * A statement without bindings, the caller's until it was stepped to its end or
 * reset; the same text may be in use several times. Owned by `db`.
 */
TR_NODISCARD tr_status tr_db_prepare(struct tr_db *db, const char *sql,
                                     struct tr_db_stmt **out,
                                     struct tr_err *err);

/* Parameters count from 1. A bind that fails makes the next step fail. */
void tr_db_bind_i64(struct tr_db_stmt *stmt, int at, int64_t value);
void tr_db_bind_double(struct tr_db_stmt *stmt, int at, double value);
void tr_db_bind_text(struct tr_db_stmt *stmt, int at, tr_str value);
void tr_db_bind_blob(struct tr_db_stmt *stmt, int at, tr_str value);
void tr_db_bind_null(struct tr_db_stmt *stmt, int at);

/* Steps to the next row; `*row` is false at the end, which also resets. */
TR_NODISCARD tr_status tr_db_stmt_step(struct tr_db_stmt *stmt, bool *row,
                                       struct tr_err *err);

/* Steps to the end, for statements without rows. */
TR_NODISCARD tr_status tr_db_stmt_run(struct tr_db_stmt *stmt,
                                      struct tr_err *err);

/* Gives up the rows that are left; bindings are forgotten. */
void tr_db_stmt_reset(struct tr_db_stmt *stmt);

/* Columns count from 0. */
int64_t tr_db_column_i64(struct tr_db_stmt *stmt, int at);
double tr_db_column_double(struct tr_db_stmt *stmt, int at);
tr_str tr_db_column_text(struct tr_db_stmt *stmt, int at);
tr_str tr_db_column_blob(struct tr_db_stmt *stmt, int at);

/* Integers of a row of tr_rows. */
#define TR_DB_COLUMNS 4

/* Many rows at once: `columns` integers each, and perhaps a blob. */
struct tr_db_rows {
    const int64_t *values;
    size_t columns; /* at most TR_DB_COLUMNS */
    size_t count;
    /* The blob of a row, valid until the next call; NULL: they have none. */
    tr_str (*blob)(void *context, size_t row);
    void *context;
};

/*
 * Runs an INSERT that selects from the table tr_rows: c0, c1, c2, c3 and blob.
 * Much quicker than row by row, most of all when they come in the table's
 * order. With OR FAIL or OR IGNORE SQLite keeps no journal of the statement.
 */
TR_NODISCARD tr_status tr_db_insert(struct tr_db *db, const char *sql,
                                    const struct tr_db_rows *rows,
                                    struct tr_err *err);

/*
 * The same for a SELECT, up to its first row: what is said of many keys costs
 * half of a statement for each of them. It goes on with tr_db_stmt_step, and
 * `rows` must be there until its end, or its reset.
 */
TR_NODISCARD tr_status tr_db_select(struct tr_db *db, const char *sql,
                                    const struct tr_db_rows *rows,
                                    struct tr_db_stmt **out, bool *row,
                                    struct tr_err *err);

/* What an FTS5 index has to say after `tokenize =` for tr_db_each_word to find
 * the words that it has. */
#define TR_DB_WORDS_TOKENIZER "unicode61"
#define TR_DB_WORDS_OPTION    "remove_diacritics"
#define TR_DB_WORDS_VALUE     "2"
#define TR_DB_WORDS                                                            \
    TR_DB_WORDS_TOKENIZER " " TR_DB_WORDS_OPTION " " TR_DB_WORDS_VALUE

/* Gets words, each valid during the call alone; false: no more of them. */
struct tr_db_word_sink {
    bool (*take)(void *context, tr_str word);
    void *context;
};

/* The words of a text in their order, as an index of TR_DB_WORDS has them. */
TR_NODISCARD tr_status tr_db_each_word(struct tr_db *db, tr_str text,
                                       const struct tr_db_word_sink *sink,
                                       struct tr_err *err);

/* Rows that the last insert, update or delete changed. */
int64_t tr_db_changes(struct tr_db *db);

/* The id of the last row that was inserted here. */
int64_t tr_db_last_id(struct tr_db *db);

enum tr_db_mode {
    TR_DB_READ, /* sees one state of the store until it ends */
    TR_DB_WRITE /* the only one that writes, in all processes */
};

/* TR_E_UNAVAILABLE when another process writes for too long. */
TR_NODISCARD tr_status tr_db_begin(struct tr_db *db, enum tr_db_mode mode,
                                   struct tr_err *err);

/*
 * Begins a transaction that reads, with a SELECT of one integer; tr_db_rollback
 * ends it. Cheaper than BEGIN, SELECT and ROLLBACK, for what is done often.
 * TR_E_NOT_FOUND when there is no row; then nothing was begun.
 */
TR_NODISCARD tr_status tr_db_begin_with(struct tr_db *db, const char *sql,
                                        int64_t *out, struct tr_err *err);

/* When it fails, nothing of the transaction has happened. */
TR_NODISCARD tr_status tr_db_commit(struct tr_db *db, struct tr_err *err);
void tr_db_rollback(struct tr_db *db);

/*
 * A part of a transaction that can be undone alone; parts nest. Each ends with
 * tr_db_keep or tr_db_undo.
 */
TR_NODISCARD tr_status tr_db_savepoint(struct tr_db *db, struct tr_err *err);
TR_NODISCARD tr_status tr_db_keep(struct tr_db *db, struct tr_err *err);
TR_NODISCARD tr_status tr_db_undo(struct tr_db *db, struct tr_err *err);

/*
 * In a transaction that reads: a number that stays the same, for this
 * connection, as long as nobody else has committed anything.
 */
TR_NODISCARD tr_status tr_db_state(struct tr_db *db, int64_t *out,
                                   struct tr_err *err);

/* Copies the whole store to a new file while others read and write it. */
TR_NODISCARD tr_status tr_db_backup(struct tr_db *db, const char *path,
                                    struct tr_err *err);

/*
 * Writes the file anew without gaps, so that nothing that was deleted is left
 * in any file of the store. TR_E_UNAVAILABLE while another process still reads
 * an old state.
 */
TR_NODISCARD tr_status tr_db_shrink(struct tr_db *db, struct tr_err *err);

/* Bytes of the store, in the state that a transaction sees. */
TR_NODISCARD tr_status tr_db_size(struct tr_db *db, uint64_t *out,
                                  struct tr_err *err);

/* How many schema steps were taken (tr_db_upgrade). */
TR_NODISCARD tr_status tr_db_version(struct tr_db *db, int64_t *out,
                                     struct tr_err *err);

/* The log, in pages: how long it is, and what of it is in the store too. */
struct tr_db_log {
    int64_t pages;
    int64_t moved;
};

/* Moves pages from the log into the store, but none that a reader needs. */
TR_NODISCARD tr_status tr_db_checkpoint(struct tr_db *db, struct tr_db_log *out,
                                        struct tr_err *err);

/* How long the log was after the last commit; only where `keeps_log` is set. */
int64_t tr_db_log_pages(struct tr_db *db);

/* Checks every page: TR_OK, or what is broken. */
TR_NODISCARD tr_status tr_db_check(struct tr_db *db, struct tr_err *err);

/*
 * A file beside a store, for one piece of work. While it is open its folder has
 * a shared lock, which ends with the process, however that ends.
 */
struct tr_db_scratch {
    char path[TR_LIMIT_PATH_BYTES]; /* where to make it */
    int folder;
};

TR_NODISCARD tr_status tr_db_scratch_open(struct tr_db_scratch *scratch,
                                          const char *store,
                                          struct tr_err *err);

/* Removes it, and what SQLite has put beside it. */
void tr_db_scratch_close(struct tr_db_scratch *scratch);

/* Removes those that processes have left which were killed. */
void tr_db_scratch_sweep(const char *store);

#endif
