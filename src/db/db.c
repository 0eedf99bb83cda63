#include "base/log.h"
#include "db/backend.h"

/* A handler that recurses would nest savepoints without end. */
#define DEPTH_MAX 32

tr_status tr_db_open(const char *path, const struct tr_db_opts *opts,
                     struct tr_db **out, struct tr_err *err)
{
    static const struct tr_db_opts defaults = {0};
    tr_log(TR_LOG_DEBUG, "a connection to a store is opened",
           TR_LOG_TEXT("file", tr_str_from(path)));
    return tr_db_sqlite_open(path, opts ? opts : &defaults, out, err);
}

void tr_db_close(struct tr_db *db)
{
    if (!db)
        return;
    tr_db_rollback(db);
    while (db->stmts) {
        struct tr_db_stmt *next = db->stmts->next;
        db->backend->finalize(db->stmts);
        db->stmts = next;
    }
    db->backend->close(db);
}

static tr_status read_version(struct tr_db *db, size_t known, int64_t *out,
                              struct tr_err *err)
{
    TR_TRY(db->backend->version(db, out, err));
    if (*out > (int64_t)known)
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "the store was made by a newer trails: its schema is "
                       "%lld, this one knows %zu",
                       (long long)*out, known);
    return TR_OK;
}

static tr_status take_steps(struct tr_db *db, const char *const *steps,
                            size_t count, struct tr_err *err)
{
    int64_t version = 0;
    TR_TRY(read_version(db, count, &version, err));
    for (size_t i = (size_t)version; i < count; i++)
        TR_TRY(tr_db_exec(db, steps[i], err));
    return version == (int64_t)count
               ? TR_OK
               : db->backend->set_version(db, (int64_t)count, err);
}

/* The version is first read without a lock: most stores are up to date, and one
 * that cannot be written may be newer. */
tr_status tr_db_upgrade(struct tr_db *db, const char *const *steps,
                        size_t count, struct tr_err *err)
{
    int64_t version = 0;
    TR_TRY(read_version(db, count, &version, err));
    if (version == (int64_t)count)
        return TR_OK;
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    tr_status status = take_steps(db, steps, count, err);
    if (status == TR_OK)
        return tr_db_commit(db, err);
    tr_db_rollback(db);
    return status;
}

tr_status tr_db_exec(struct tr_db *db, const char *sql, struct tr_err *err)
{
    return db->backend->exec(db, sql, err);
}

/* A statement that is found moves to the front: those in use are found soon. */
static struct tr_db_stmt *find(struct tr_db *db, const char *sql)
{
    struct tr_db_stmt **link = &db->stmts;
    while (*link && ((*link)->sql != sql || (*link)->is_busy))
        link = &(*link)->next;
    struct tr_db_stmt *stmt = *link;
    if (stmt && stmt != db->stmts) {
        *link = stmt->next;
        stmt->next = db->stmts;
        db->stmts = stmt;
    }
    return stmt;
}

static tr_status add_stmt(struct tr_db *db, const char *sql,
                          struct tr_db_stmt **out, struct tr_err *err)
{
    TR_TRY(db->backend->prepare(db, sql, out, err));
    struct tr_db_stmt *stmt = *out;
    stmt->db = db;
    stmt->sql = sql;
    stmt->next = db->stmts;
    db->stmts = stmt;
    return TR_OK;
}

tr_status tr_db_prepare(struct tr_db *db, const char *sql,
                        struct tr_db_stmt **out, struct tr_err *err)
{
    *out = find(db, sql);
    if (!*out)
        TR_TRY(add_stmt(db, sql, out, err));
    (*out)->is_busy = true;
    return TR_OK;
}

void tr_db_bind_i64(struct tr_db_stmt *stmt, int at, int64_t value)
{
    stmt->db->backend->bind_i64(stmt, at, value);
}

void tr_db_bind_double(struct tr_db_stmt *stmt, int at, double value)
{
    stmt->db->backend->bind_double(stmt, at, value);
}

void tr_db_bind_text(struct tr_db_stmt *stmt, int at, tr_str value)
{
    stmt->db->backend->bind_text(stmt, at, value);
}

void tr_db_bind_blob(struct tr_db_stmt *stmt, int at, tr_str value)
{
    stmt->db->backend->bind_blob(stmt, at, value);
}

void tr_db_bind_null(struct tr_db_stmt *stmt, int at)
{
    stmt->db->backend->bind_null(stmt, at);
}

tr_status tr_db_stmt_step(struct tr_db_stmt *stmt, bool *row,
                          struct tr_err *err)
{
    tr_status status = stmt->db->backend->step(stmt, row, err);
    if (!*row)
        tr_db_stmt_reset(stmt);
    return status;
}

tr_status tr_db_stmt_run(struct tr_db_stmt *stmt, struct tr_err *err)
{
    bool row = true;
    while (row)
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    return TR_OK;
}

void tr_db_stmt_reset(struct tr_db_stmt *stmt)
{
    stmt->db->backend->reset(stmt);
    stmt->is_busy = false;
}

int64_t tr_db_column_i64(struct tr_db_stmt *stmt, int at)
{
    return stmt->db->backend->column_i64(stmt, at);
}

double tr_db_column_double(struct tr_db_stmt *stmt, int at)
{
    return stmt->db->backend->column_double(stmt, at);
}

tr_str tr_db_column_text(struct tr_db_stmt *stmt, int at)
{
    return stmt->db->backend->column_text(stmt, at);
}

tr_str tr_db_column_blob(struct tr_db_stmt *stmt, int at)
{
    return stmt->db->backend->column_blob(stmt, at);
}

/* A statement takes the rows with its first step. */
tr_status tr_db_select(struct tr_db *db, const char *sql,
                       const struct tr_db_rows *rows, struct tr_db_stmt **out,
                       bool *row, struct tr_err *err)
{
    *row = false;
    TR_TRY(db->backend->show_rows(db, rows, err));
    tr_status status = tr_db_prepare(db, sql, out, err);
    if (status == TR_OK)
        status = tr_db_stmt_step(*out, row, err);
    tr_status hidden = db->backend->show_rows(db, NULL, NULL);
    return status != TR_OK ? status : hidden;
}

tr_status tr_db_insert(struct tr_db *db, const char *sql,
                       const struct tr_db_rows *rows, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    return tr_db_select(db, sql, rows, &stmt, &row, err);
}

tr_status tr_db_each_word(struct tr_db *db, tr_str text,
                          const struct tr_db_word_sink *sink,
                          struct tr_err *err)
{
    return db->backend->each_word(db, text, sink, err);
}

int64_t tr_db_changes(struct tr_db *db)
{
    return db->backend->changes(db);
}

int64_t tr_db_last_id(struct tr_db *db)
{
    return db->backend->last_id(db);
}

tr_status tr_db_begin(struct tr_db *db, enum tr_db_mode mode,
                      struct tr_err *err)
{
    if (db->is_open)
        return tr_fail(err, TR_E_INTERNAL, "a transaction is open already");
    TR_TRY(db->backend->begin(db, mode, err));
    db->is_open = true;
    return TR_OK;
}

/*
 * The statement stays on its row: until it is reset, SQLite keeps a read
 * transaction open, in which all other statements see the same state.
 */
tr_status tr_db_begin_with(struct tr_db *db, const char *sql, int64_t *out,
                           struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    if (db->is_open)
        return tr_fail(err, TR_E_INTERNAL, "a transaction is open already");
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return tr_fail(err, TR_E_NOT_FOUND, "the store does not know");
    *out = tr_db_column_i64(stmt, 0);
    db->is_open = true;
    db->is_held = true;
    return TR_OK;
}

static void reset_all(struct tr_db *db)
{
    for (struct tr_db_stmt *s = db->stmts; s; s = s->next) {
        if (s->is_busy)
            tr_db_stmt_reset(s);
    }
}

tr_status tr_db_commit(struct tr_db *db, struct tr_err *err)
{
    reset_all(db);
    tr_status status = tr_db_exec(db, "COMMIT", err);
    if (status != TR_OK) {
        tr_db_rollback(db);
        return status;
    }
    db->is_open = false;
    db->depth = 0;
    return TR_OK;
}

/* ROLLBACK may fail: some errors make SQLite roll back by itself. */
void tr_db_rollback(struct tr_db *db)
{
    if (!db->is_open)
        return;
    reset_all(db);
    if (!db->is_held) {
        tr_status status = tr_db_exec(db, "ROLLBACK", NULL);
        (void)status;
    }
    db->is_open = false;
    db->is_held = false;
    db->depth = 0;
}

tr_status tr_db_savepoint(struct tr_db *db, struct tr_err *err)
{
    if (db->depth == DEPTH_MAX)
        return tr_fail(err, TR_E_LIMIT, "more than %d transactions in another",
                       DEPTH_MAX);
    TR_TRY(tr_db_exec(db, "SAVEPOINT part", err));
    db->depth++;
    return TR_OK;
}

/* All savepoints have one name: SQLite takes the newest of that name. */
tr_status tr_db_keep(struct tr_db *db, struct tr_err *err)
{
    db->depth--;
    return tr_db_exec(db, "RELEASE part", err);
}

tr_status tr_db_undo(struct tr_db *db, struct tr_err *err)
{
    db->depth--;
    TR_TRY(tr_db_exec(db, "ROLLBACK TO part", err));
    return tr_db_exec(db, "RELEASE part", err);
}

tr_status tr_db_state(struct tr_db *db, int64_t *out, struct tr_err *err)
{
    return db->backend->state(db, out, err);
}

tr_status tr_db_backup(struct tr_db *db, const char *path, struct tr_err *err)
{
    return db->backend->backup(db, path, err);
}

tr_status tr_db_shrink(struct tr_db *db, struct tr_err *err)
{
    return db->backend->shrink(db, err);
}

tr_status tr_db_size(struct tr_db *db, uint64_t *out, struct tr_err *err)
{
    return db->backend->size(db, out, err);
}

tr_status tr_db_version(struct tr_db *db, int64_t *out, struct tr_err *err)
{
    return db->backend->version(db, out, err);
}

tr_status tr_db_checkpoint(struct tr_db *db, struct tr_db_log *out,
                           struct tr_err *err)
{
    return db->backend->checkpoint(db, out, err);
}

int64_t tr_db_log_pages(struct tr_db *db)
{
    return db->backend->log_pages(db);
}

tr_status tr_db_check(struct tr_db *db, struct tr_err *err)
{
    return db->backend->check(db, err);
}
