#include "server/slow.h"

#include "base/log.h"
#include "db/db.h"
#include "graph/store.h"

#include <time.h>
#include <unistd.h>

#define DAYS       30
#define DAY        86400
#define FILE_BYTES (TR_LIMIT_PATH_BYTES + 16)

/* Keeping ----------------------------------------------------------------- */

static tr_status keep_one(struct tr_db *db, const struct tr_query_scan *scan,
                          int64_t now, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db,
        "INSERT INTO slow_query VALUES (?1, ?2, ?3, ?4, ?5)"
        " ON CONFLICT DO UPDATE SET times = times + excluded.times,"
        " looked = looked + excluded.looked, at = excluded.at",
        &stmt, err));
    tr_db_bind_text(stmt, 1, tr_str_from(scan->type));
    tr_db_bind_text(stmt, 2, tr_str_from(scan->field));
    tr_db_bind_i64(stmt, 3, (int64_t)scan->times);
    tr_db_bind_i64(stmt, 4, (int64_t)scan->looked);
    tr_db_bind_i64(stmt, 5, now);
    return tr_db_stmt_run(stmt, err);
}

/* The table is as bounded as what it is made of. */
static tr_status forget(struct tr_db *db, int64_t now, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db,
        "DELETE FROM slow_query WHERE at < ?1 OR (type, field) NOT IN"
        " (SELECT type, field FROM slow_query ORDER BY looked DESC LIMIT ?2)",
        &stmt, err));
    tr_db_bind_i64(stmt, 1, now - DAYS * DAY);
    tr_db_bind_i64(stmt, 2, TR_LIMIT_QUERY_SCANS);
    return tr_db_stmt_run(stmt, err);
}

static tr_status keep_all(struct tr_db *db, const struct tr_query_scan *scans,
                          size_t count, struct tr_err *err)
{
    int64_t now = (int64_t)time(NULL);
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    for (size_t i = 0; i < count; i++)
        TR_TRY(keep_one(db, &scans[i], now, err));
    TR_TRY(forget(db, now, err));
    return tr_db_commit(db, err);
}

void tr_server_slow_keep(struct tr_query_scans *scans, const char *path)
{
    const struct tr_db_opts opts = {.busy_ms = 1000};
    struct tr_query_scan found[TR_LIMIT_QUERY_SCANS];
    size_t count = tr_query_scans_read(scans, found);
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    if (!count)
        return;
    tr_status status = tr_db_open(path, &opts, &db, &err);
    if (status == TR_OK)
        status = keep_all(db, found, count, &err);
    tr_db_close(db);
    if (status != TR_OK)
        tr_log(TR_LOG_WARN, "slow queries are not kept",
               TR_LOG_TEXT("error", tr_str_from(err.msg)));
}

/* Reading ----------------------------------------------------------------- */

static tr_status has_table(struct tr_db *db, bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db, "SELECT 1 FROM sqlite_master WHERE name = 'slow_query' LIMIT 1",
        &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status read_all(struct tr_db *db, struct tr_query_scan *out,
                          size_t *count, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    TR_TRY(has_table(db, &row, err));
    if (!row)
        return TR_OK;
    TR_TRY(tr_db_prepare(db,
                         "SELECT type, field, times, looked FROM slow_query"
                         " ORDER BY looked DESC, type, field LIMIT ?1",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, TR_LIMIT_QUERY_SCANS);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        struct tr_query_scan *scan = &out[(*count)++];
        *scan = (struct tr_query_scan){
            .times = (uint64_t)tr_db_column_i64(stmt, 2),
            .looked = (uint64_t)tr_db_column_i64(stmt, 3)};
        (void)snprintf(scan->type, sizeof(scan->type), "%.*s",
                       TR_FMT(tr_db_column_text(stmt, 0)));
        (void)snprintf(scan->field, sizeof(scan->field), "%.*s",
                       TR_FMT(tr_db_column_text(stmt, 1)));
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

tr_status tr_server_slow_read(const struct tr_server_app *app,
                              struct tr_query_scan out[TR_LIMIT_QUERY_SCANS],
                              size_t *count, struct tr_err *err)
{
    char folder[TR_LIMIT_PATH_BYTES];
    char path[FILE_BYTES];
    struct tr_db *db = NULL;
    *count = 0;
    TR_TRY(tr_server_app_store(app, folder, sizeof(folder), err));
    (void)snprintf(path, sizeof(path), "%s/graph.db", folder);
    if (access(path, F_OK) != 0)
        return TR_OK;
    const struct tr_db_opts opts = {.read_only =
                                        tr_graph_store_is_closed(folder)};
    TR_TRY(tr_db_open(path, &opts, &db, err));
    tr_status status = read_all(db, out, count, err);
    tr_db_close(db);
    return status;
}
