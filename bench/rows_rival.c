/*
 * bench/rows_rival.c - MCP Toolbox for Databases over a plain table of the same
 * records, with an index on its key and one on each two fields that are asked
 * for together.
 */
#include "rows.h"

#include <sqlite3.h>

#include <unistd.h>

#define TOOLBOX                                                                \
    "bench/js/node_modules/@toolbox-sdk/server-linux-x64/bin/toolbox"
#define INSTALL "scripts/deps rival >/dev/null"
#define TOOLS   "bench/rows_rival.yaml"
#define TABLE   "build/bench-rows-" TR_BENCH_GENERATION "-toolbox.db"

static const char table_sql[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
    "CREATE TABLE record (id TEXT PRIMARY KEY, title TEXT, stream TEXT,"
    " connection TEXT, batch TEXT, reference TEXT, note TEXT, share REAL,"
    " rank INTEGER, at TEXT); BEGIN";
static const char insert_sql[] =
    "INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
    " CAST(?8 AS REAL), ?9, ?10)";
static const char index_sql[] =
    "CREATE INDEX by_stream ON record (stream, connection);"
    "CREATE INDEX by_batch ON record (batch, connection); COMMIT; ANALYZE";

static bool insert(sqlite3_stmt *stmt, size_t i)
{
    struct tr_bench_record one;
    tr_bench_record(i, &one);
    const char *const texts[] = {
        one.id,        one.title, one.stream, one.connection, one.batch,
        one.reference, one.note,  one.share,  NULL,           one.at};
    for (int at = 0; at < (int)TR_LEN(texts); at++) {
        if (texts[at])
            (void)sqlite3_bind_text(stmt, at + 1, texts[at], -1, SQLITE_STATIC);
        else
            (void)sqlite3_bind_int64(stmt, at + 1, (int64_t)one.rank);
    }
    return sqlite3_step(stmt) == SQLITE_DONE &&
           sqlite3_reset(stmt) == SQLITE_OK;
}

static bool fill(sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    bool good =
        sqlite3_exec(db, table_sql, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, insert_sql, -1, &stmt, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < TR_BENCH_RECORDS; i++)
        good = insert(stmt, i);
    (void)sqlite3_finalize(stmt);
    return good && sqlite3_exec(db, index_sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* Under another name until it is whole. */
static bool make_table(void)
{
    static const char part[] = TABLE "-part";
    sqlite3 *db = NULL;
    if (access(TABLE, R_OK) == 0)
        return true;
    (void)unlink(part);
    bool good = sqlite3_open(part, &db) == SQLITE_OK && fill(db);
    return sqlite3_close(db) == SQLITE_OK && good && rename(part, TABLE) == 0;
}

/* With its own address, as it does not tell which port the system gave it. */
static bool start(struct tr_bench_server *out)
{
    char port[16];
    const char *const argv[] = {TOOLBOX,  "--config", TOOLS,
                                "--port", port,       "--disable-version-check",
                                NULL};
    out->port = tr_bench_free_port();
    (void)snprintf(port, sizeof(port), "%u", out->port);
    (void)setenv("TRAILS_BENCH_RECORDS", TABLE, 1);
    bool started = tr_bench_silent_start(argv, out);
    int fd = started ? tr_bench_connect(out) : -1;
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

bool tr_bench_toolbox_start(struct tr_bench_server *out, char *why, size_t size)
{
    const char *reason = NULL;
    if (!tr_bench_run(INSTALL))
        reason = "npm cannot install it";
    else if (access(TOOLBOX, X_OK) != 0)
        reason = "it is not installed";
    else if (!make_table())
        reason = "its table cannot be made";
    else if (!start(out))
        reason = "it does not listen";
    (void)snprintf(why, size, "%s", reason ? reason : "");
    return !reason;
}
