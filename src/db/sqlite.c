#include "base/buf.h"
#include "base/limits.h"
#include "base/time.h"
#include "db/backend.h"
#include "db/files.h"
#include "db/sqlite_rows.h"
#include "db/sqlite_words.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define BUSY_MS      10000
#define SHORT_WAITS  10 /* of a millisecond, before longer ones */
#define LONG_WAIT_MS 5
#define CACHE_BYTES  TR_MIB(8)

struct sqlite {
    struct tr_db base;
    sqlite3 *handle;
    const struct tr_db_rows *rows; /* that tr_rows shows who begins */
    bool has_rows;                 /* their table was registered */
    struct tr_db_sqlite_words words;
    int64_t log_pages; /* after the last commit */
    uint64_t busy_ns;  /* how long to wait for other processes */
    uint64_t busy_until_ns;
    uint64_t
        end_ns; /* of all waits of one piece of work; 0: each has its own */
    struct tr_db_files files;
};

struct statement {
    struct tr_db_stmt base;
    sqlite3_stmt *handle;
    int bind_rc; /* the first bind that failed */
};

static sqlite3 *handle_of(struct tr_db *db)
{
    return ((struct sqlite *)(void *)db)->handle;
}

static struct statement *inside(struct tr_db_stmt *stmt)
{
    return (struct statement *)(void *)stmt;
}

/* Codes that a caller can do something about get a status of their own. */
static tr_status status_of(int rc)
{
    switch (rc & 0xFF) {
    case SQLITE_NOMEM:
        return TR_E_NOMEM;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return TR_E_UNAVAILABLE;
    case SQLITE_CONSTRAINT:
        return TR_E_CONFLICT;
    case SQLITE_INTERRUPT:
        return TR_E_CANCELLED;
    case SQLITE_TOOBIG:
        return TR_E_LIMIT;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return TR_E_IO;
    default:
        return TR_E_INTERNAL;
    }
}

static tr_status fail(sqlite3 *handle, int rc, struct tr_err *err)
{
    switch (rc & 0xFF) {
    case SQLITE_BUSY:
        return tr_fail(err, TR_E_UNAVAILABLE,
                       "another process is writing to the store: try again");
    case SQLITE_FULL:
        return tr_fail(err, TR_E_IO, "the disk is full");
    case SQLITE_NOTADB:
        return tr_fail(err, TR_E_IO, "the file is not a store");
    case SQLITE_CORRUPT:
        return tr_fail(err, TR_E_IO, "the store is damaged: %s",
                       sqlite3_errmsg(handle));
    default:
        return tr_fail(err, status_of(rc), "the store: %s",
                       handle ? sqlite3_errmsg(handle) : sqlite3_errstr(rc));
    }
}

static void close_db(struct tr_db *db)
{
    tr_db_sqlite_words_done(&((struct sqlite *)(void *)db)->words);
    (void)sqlite3_close(handle_of(db));
    tr_db_files_done(&((struct sqlite *)(void *)db)->files);
    free(db);
}

static tr_status exec(struct tr_db *db, const char *sql, struct tr_err *err)
{
    int rc = sqlite3_exec(handle_of(db), sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? TR_OK : fail(handle_of(db), rc, err);
}

static tr_status prepare(struct tr_db *db, const char *sql,
                         struct tr_db_stmt **out, struct tr_err *err)
{
    struct statement *stmt = calloc(1, sizeof(*stmt));
    if (!stmt)
        return tr_fail(err, TR_E_NOMEM, "no memory for a statement");
    int rc = sqlite3_prepare_v3(handle_of(db), sql, -1,
                                SQLITE_PREPARE_PERSISTENT, &stmt->handle, NULL);
    if (rc != SQLITE_OK) {
        free(stmt);
        return fail(handle_of(db), rc, err);
    }
    *out = &stmt->base;
    return TR_OK;
}

static void finalize(struct tr_db_stmt *stmt)
{
    (void)sqlite3_finalize(inside(stmt)->handle);
    free(stmt);
}

static void note_bind(struct tr_db_stmt *stmt, int rc)
{
    if (rc != SQLITE_OK && inside(stmt)->bind_rc == SQLITE_OK)
        inside(stmt)->bind_rc = rc;
}

static void bind_i64(struct tr_db_stmt *stmt, int at, int64_t value)
{
    note_bind(stmt, sqlite3_bind_int64(inside(stmt)->handle, at, value));
}

static void bind_double(struct tr_db_stmt *stmt, int at, double value)
{
    note_bind(stmt, sqlite3_bind_double(inside(stmt)->handle, at, value));
}

/* A NULL pointer would bind NULL, which an empty text is not. */
static void bind_text(struct tr_db_stmt *stmt, int at, tr_str value)
{
    note_bind(stmt, sqlite3_bind_text64(inside(stmt)->handle, at,
                                        value.ptr ? value.ptr : "", value.len,
                                        SQLITE_STATIC, SQLITE_UTF8));
}

static void bind_blob(struct tr_db_stmt *stmt, int at, tr_str value)
{
    note_bind(stmt, sqlite3_bind_blob64(inside(stmt)->handle, at,
                                        value.ptr ? value.ptr : "", value.len,
                                        SQLITE_STATIC));
}

static void bind_null(struct tr_db_stmt *stmt, int at)
{
    note_bind(stmt, sqlite3_bind_null(inside(stmt)->handle, at));
}

static void reset(struct tr_db_stmt *stmt)
{
    struct statement *s = inside(stmt);
    (void)sqlite3_reset(s->handle);
    (void)sqlite3_clear_bindings(s->handle);
    s->bind_rc = SQLITE_OK;
}

static tr_status step(struct tr_db_stmt *stmt, bool *row, struct tr_err *err)
{
    struct statement *s = inside(stmt);
    *row = false;
    int rc = s->bind_rc ? s->bind_rc : sqlite3_step(s->handle);
    if (rc == SQLITE_ROW) {
        *row = true;
        return TR_OK;
    }
    return rc == SQLITE_DONE ? TR_OK : fail(handle_of(stmt->db), rc, err);
}

static int64_t column_i64(struct tr_db_stmt *stmt, int at)
{
    return sqlite3_column_int64(inside(stmt)->handle, at);
}

static double column_double(struct tr_db_stmt *stmt, int at)
{
    return sqlite3_column_double(inside(stmt)->handle, at);
}

static tr_str column_text(struct tr_db_stmt *stmt, int at)
{
    const unsigned char *text = sqlite3_column_text(inside(stmt)->handle, at);
    int len = sqlite3_column_bytes(inside(stmt)->handle, at);
    return (tr_str){(const char *)text, (size_t)len};
}

static tr_str column_blob(struct tr_db_stmt *stmt, int at)
{
    const void *bytes = sqlite3_column_blob(inside(stmt)->handle, at);
    int len = sqlite3_column_bytes(inside(stmt)->handle, at);
    return (tr_str){bytes, (size_t)len};
}

static tr_status show_rows(struct tr_db *db, const struct tr_db_rows *rows,
                           struct tr_err *err)
{
    struct sqlite *sqlite = (struct sqlite *)(void *)db;
    if (!sqlite->has_rows) {
        int rc = tr_db_sqlite_rows_register(sqlite->handle, &sqlite->rows);
        if (rc != SQLITE_OK)
            return fail(sqlite->handle, rc, err);
        sqlite->has_rows = true;
    }
    sqlite->rows = rows;
    return TR_OK;
}

static tr_status each_word(struct tr_db *db, tr_str text,
                           const struct tr_db_word_sink *sink,
                           struct tr_err *err)
{
    struct sqlite *sqlite = (struct sqlite *)(void *)db;
    int rc =
        tr_db_sqlite_words_each(&sqlite->words, sqlite->handle, text, sink);
    return rc == SQLITE_OK ? TR_OK : fail(sqlite->handle, rc, err);
}

static int64_t changes(struct tr_db *db)
{
    return sqlite3_changes64(handle_of(db));
}

static int64_t last_id(struct tr_db *db)
{
    return sqlite3_last_insert_rowid(handle_of(db));
}

/* The first write of a new store finds all files open, and notes them. */
static tr_status begin(struct tr_db *db, enum tr_db_mode mode,
                       struct tr_err *err)
{
    struct tr_db_files *files = &((struct sqlite *)(void *)db)->files;
    if (mode != TR_DB_WRITE)
        return exec(db, "BEGIN", err);
    TR_TRY(tr_db_files_check(files, err));
    TR_TRY(exec(db, "BEGIN IMMEDIATE", err));
    tr_db_files_note(files);
    return TR_OK;
}

static tr_status read_i64(struct tr_db *db, const char *sql, int64_t *out,
                          struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status version(struct tr_db *db, int64_t *out, struct tr_err *err)
{
    return read_i64(db, "PRAGMA user_version", out, err);
}

/* A pragma takes no parameters; the number comes from no user. */
static tr_status set_version(struct tr_db *db, int64_t version,
                             struct tr_err *err)
{
    char sql[64];
    (void)snprintf(sql, sizeof(sql), "PRAGMA user_version = %lld",
                   (long long)version);
    return exec(db, sql, err);
}

static tr_status state(struct tr_db *db, int64_t *out, struct tr_err *err)
{
    return read_i64(db, "PRAGMA data_version", out, err);
}

static tr_status vacuum_into(struct tr_db *db, const char *path,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "VACUUM INTO ?1", &stmt, err));
    tr_db_bind_text(stmt, 1, tr_str_from(path));
    return tr_db_stmt_run(stmt, err);
}

/* query_only forbids VACUUM INTO too, though it writes to another file only. */
static tr_status copy_into(struct tr_db *db, const char *path,
                           struct tr_err *err)
{
    int64_t read_only = 0;
    TR_TRY(read_i64(db, "PRAGMA query_only", &read_only, err));
    if (!read_only)
        return vacuum_into(db, path, err);
    TR_TRY(exec(db, "PRAGMA query_only = OFF", err));
    tr_status status = vacuum_into(db, path, err);
    tr_status back = exec(db, "PRAGMA query_only = ON", err);
    return status != TR_OK ? status : back;
}

/* Made here, so that nobody else can read it; on the disk before we succeed. */
static tr_status backup(struct tr_db *db, const char *path, struct tr_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        return tr_fail(err, TR_E_CONFLICT, "%s exists already", path);
    if (fd < 0)
        return tr_fail(err, TR_E_IO, "%s: %s", path, strerror(errno));
    tr_status status = copy_into(db, path, err);
    if (status == TR_OK && fsync(fd) != 0)
        status = tr_fail(err, TR_E_IO, "%s: %s", path, strerror(errno));
    if (status != TR_OK)
        (void)unlink(path);
    (void)close(fd);
    return status;
}

static tr_status size(struct tr_db *db, uint64_t *out, struct tr_err *err)
{
    int64_t pages = 0;
    int64_t bytes = 0;
    TR_TRY(read_i64(db, "PRAGMA page_count", &pages, err));
    TR_TRY(read_i64(db, "PRAGMA page_size", &bytes, err));
    *out = (uint64_t)(pages * bytes);
    return TR_OK;
}

/*
 * SQLite's own busy handler sleeps longer and longer, up to a tenth of a
 * second: it would hardly ever meet a moment between two commits of a process
 * that writes all the time.
 */
static int wait_for_others(void *data, int tries)
{
    struct sqlite *db = data;
    uint64_t now_ns = tr_time_ticks_ns();
    if (tries == 0)
        db->busy_until_ns = db->end_ns ? db->end_ns : now_ns + db->busy_ns;
    if (now_ns >= db->busy_until_ns)
        return 0;
    (void)sqlite3_sleep(tries < SHORT_WAITS ? 1 : LONG_WAIT_MS);
    return 1;
}

/*
 * Who makes a checkpoint at this moment makes SQLite give up at once, and a
 * process whose log has become long does so all the time: we try again.
 */
static tr_status truncate_log(struct sqlite *db, struct tr_err *err)
{
    int rc;
    do {
        rc = sqlite3_wal_checkpoint_v2(db->handle, "main",
                                       SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    } while ((rc & 0xFF) == SQLITE_BUSY && wait_for_others(db, 1));
    if ((rc & 0xFF) == SQLITE_BUSY)
        return tr_fail(err, TR_E_UNAVAILABLE,
                       "another process still reads an old state of the "
                       "store");
    return rc == SQLITE_OK ? TR_OK : fail(db->handle, rc, err);
}

/*
 * VACUUM writes a copy of the whole store: that belongs in a file, not in
 * memory, and temp_store stays so for this connection. The old pages are in the
 * log until it is truncated, which others may delay: until one end in all.
 */
static tr_status shrink(struct tr_db *base, struct tr_err *err)
{
    struct sqlite *db = (struct sqlite *)(void *)base;
    TR_TRY(exec(base, "PRAGMA temp_store = FILE", err));
    TR_TRY(exec(base, "VACUUM", err));
    db->end_ns = db->busy_until_ns = tr_time_ticks_ns() + db->busy_ns;
    tr_status status = truncate_log(db, err);
    db->end_ns = 0;
    return status;
}

static tr_status checkpoint(struct tr_db *db, struct tr_db_log *out,
                            struct tr_err *err)
{
    int pages = 0;
    int moved = 0;
    int rc = sqlite3_wal_checkpoint_v2(
        handle_of(db), "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &moved);
    if (rc != SQLITE_OK)
        return fail(handle_of(db), rc, err);
    *out = (struct tr_db_log){pages, moved};
    return TR_OK;
}

static int64_t log_pages(struct tr_db *db)
{
    return ((struct sqlite *)(void *)db)->log_pages;
}

/* Replaces SQLite's own hook, which makes a checkpoint now and then. */
static int on_commit(void *data, sqlite3 *handle, const char *name, int pages)
{
    struct sqlite *db = data;
    (void)handle;
    (void)name;
    db->log_pages = pages;
    return SQLITE_OK;
}

static tr_status check(struct tr_db *db, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "PRAGMA integrity_check(1)", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    tr_str text = row ? tr_db_column_text(stmt, 0) : TR_STR("no answer");
    tr_status status = TR_OK;
    if (!tr_str_eq(text, TR_STR("ok")))
        status = tr_fail(err, TR_E_IO, "the store is damaged: %.*s",
                         (int)(text.len < 160 ? text.len : 160), text.ptr);
    tr_db_stmt_reset(stmt);
    return status;
}

static const struct tr_db_backend backend = {
    .close = close_db,
    .exec = exec,
    .prepare = prepare,
    .finalize = finalize,
    .bind_i64 = bind_i64,
    .bind_double = bind_double,
    .bind_text = bind_text,
    .bind_blob = bind_blob,
    .bind_null = bind_null,
    .step = step,
    .reset = reset,
    .column_i64 = column_i64,
    .column_double = column_double,
    .column_text = column_text,
    .column_blob = column_blob,
    .show_rows = show_rows,
    .each_word = each_word,
    .changes = changes,
    .last_id = last_id,
    .begin = begin,
    .version = version,
    .set_version = set_version,
    .state = state,
    .backup = backup,
    .size = size,
    .shrink = shrink,
    .checkpoint = checkpoint,
    .log_pages = log_pages,
    .check = check,
};

/*
 * SQLite gives its other files the permissions of this one. A file that is
 * there must not be opened: closing it again would take away the locks that
 * this process has on it, and others would think that nobody uses it.
 */
static tr_status make_file(const char *path, struct tr_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        return TR_OK;
    if (fd < 0)
        return tr_fail(err, TR_E_IO, "%s: %s", path, strerror(errno));
    (void)close(fd);
    return TR_OK;
}

/*
 * A new file is changed to WAL under a lock. Of two processes that do so at the
 * same time SQLite lets one wait and refuses the other at once, as each holds
 * what the other needs; the refused one tries again, and mostly finds it done.
 */
static tr_status use_log(struct sqlite *db, struct tr_err *err)
{
    int tries = 0;
    int rc;
    do {
        rc = sqlite3_exec(db->handle, "PRAGMA journal_mode = WAL", NULL, NULL,
                          NULL);
    } while ((rc & 0xFF) == SQLITE_BUSY && wait_for_others(db, tries++));
    return rc == SQLITE_OK ? TR_OK : fail(db->handle, rc, err);
}

/* Readers leave journal_mode alone: whoever made the store has set WAL. */
static tr_status configure(struct sqlite *db, const struct tr_db_opts *opts,
                           struct tr_err *err)
{
    char sql[128];
    size_t cache = opts->cache_bytes ? opts->cache_bytes : CACHE_BYTES;
    db->busy_ns = (opts->busy_ms ? opts->busy_ms : BUSY_MS) * UINT64_C(1000000);
    (void)sqlite3_busy_handler(db->handle, wait_for_others, db);
    (void)sqlite3_extended_result_codes(db->handle, 1);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
                            NULL);
    (void)snprintf(sql, sizeof(sql), "PRAGMA cache_size = -%zu", cache / 1024);
    TR_TRY(exec(&db->base, sql, err));
    TR_TRY(exec(&db->base,
                "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;"
                "PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON;",
                err));
    if (opts->read_only)
        return exec(&db->base, "PRAGMA query_only = ON", err);
    TR_TRY(use_log(db, err));
    if (opts->keeps_log)
        (void)sqlite3_wal_hook(db->handle, on_commit, db);
    return exec(&db->base,
                opts->no_sync ? "PRAGMA synchronous = OFF"
                              : "PRAGMA synchronous = FULL",
                err);
}

/*
 * Counting memory takes a lock that all connections share, for each allocation:
 * threads would wait for each other. SQLite takes the setting only before its
 * first connection; later calls fail, when it was made already.
 */
static void count_no_memory(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/*
 * Without a folder that can be written SQLite could make no log, and refuses; a
 * store that cannot change needs none. In a URI, some bytes have a meaning.
 */
static int open_fixed(struct sqlite *db, const char *path, int flags)
{
    char name[3 * TR_LIMIT_PATH_BYTES + 64];
    struct tr_buf uri;
    tr_buf_init_fixed(&uri, name, sizeof(name));
    tr_buf_put(&uri, TR_STR("file:"));
    for (const char *c = path; *c; c++) {
        if (strchr("?#%", *c))
            tr_buf_putf(&uri, "%%%02X", (unsigned)(unsigned char)*c);
        else
            tr_buf_putc(&uri, *c);
    }
    tr_buf_put(&uri, TR_STR("?immutable=1"));
    tr_buf_putc(&uri, '\0');
    return uri.failed ? SQLITE_CANTOPEN
                      : sqlite3_open_v2(name, &db->handle,
                                        flags | SQLITE_OPEN_URI, NULL);
}

tr_status tr_db_sqlite_open(const char *path, const struct tr_db_opts *opts,
                            struct tr_db **out, struct tr_err *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    bool is_fixed = false;
    if (!opts->read_only)
        TR_TRY(make_file(path, err));
    else if (!opts->vfs)
        TR_TRY(tr_db_files_are_fixed(path, &is_fixed, err));
    count_no_memory();
    struct sqlite *db = calloc(1, sizeof(*db));
    if (!db)
        return tr_fail(err, TR_E_NOMEM, "no memory for a connection");
    db->base.backend = &backend;
    int rc = is_fixed ? open_fixed(db, path, SQLITE_OPEN_READONLY)
                      : sqlite3_open_v2(path, &db->handle, flags, opts->vfs);
    tr_status status =
        rc == SQLITE_OK ? configure(db, opts, err) : fail(db->handle, rc, err);
    if (status == TR_OK && !opts->read_only && !opts->vfs)
        status = tr_db_files_init(&db->files, path, err);
    tr_db_files_note(&db->files);
    if (status != TR_OK) {
        tr_err_prefix(err, "%s", path);
        tr_db_close(&db->base);
        return status;
    }
    *out = &db->base;
    return TR_OK;
}
