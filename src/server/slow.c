#include "server/slow.h"

#include "base/log.h"
#include "db/db.h"
#include "graph/store.h"
#include "server/app.h"
#include "server/doctor.h"

#include <time.h>

#define DAYS     30
#define DAY      86400
#define EVERY_MS 1000

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

/* In a transaction: adds them to those of before, of 30 days. */
static tr_status keep_taken(const struct tr_server_slow *slow, struct tr_db *db,
                            struct tr_err *err)
{
    int64_t now = (int64_t)time(NULL);
    for (size_t i = 0; i < slow->count; i++)
        TR_TRY(keep_one(db, &slow->taken[i], now, err));
    return forget(db, now, err);
}

static void log_failure(const struct tr_err *err)
{
    tr_log(TR_LOG_WARN, "slow queries are not kept",
           TR_LOG_TEXT("error", tr_str_from(err->msg)));
}

static void give_back(struct tr_server_slow *slow, const struct tr_err *err)
{
    tr_query_scans_give_back(slow->scans, slow->taken, slow->count);
    log_failure(err);
}

/* On the writer's thread. */
static tr_status run(struct tr_db_write *write, struct tr_db *db,
                     struct tr_err *err)
{
    return keep_taken(write->data, db, err);
}

static void written(struct tr_db_write *write)
{
    struct tr_server_slow *slow = write->data;
    slow->is_writing = false;
    if (write->status != TR_OK)
        give_back(slow, &write->err);
    tr_loop_release(slow->loop);
}

/* What comes while it is written waits for the next time. */
static void hand_over(void *data)
{
    struct tr_server_slow *slow = data;
    struct tr_err err = {0};
    if (slow->is_writing)
        return;
    slow->count = tr_query_scans_take(slow->scans, slow->taken);
    if (!slow->count)
        return;
    slow->write = (struct tr_db_write){
        .run = run, .done = written, .data = slow, .loop = slow->loop};
    if (tr_db_writer_submit(tr_graph_store_writer(slow->store), &slow->write,
                            &err) != TR_OK) {
        give_back(slow, &err);
        return;
    }
    slow->is_writing = true;
    tr_loop_hold(slow->loop);
}

void tr_server_slow_start(struct tr_server_slow *slow)
{
    tr_loop_timer_init(&slow->timer, slow->loop, hand_over, slow);
    if (tr_graph_store_writer(slow->store))
        tr_loop_timer_start(&slow->timer, EVERY_MS, EVERY_MS);
}

void tr_server_slow_stop(struct tr_server_slow *slow)
{
    if (slow->loop)
        tr_loop_timer_stop(&slow->timer);
}

static tr_status keep_rest(struct tr_server_slow *slow, struct tr_err *err)
{
    const struct tr_db_opts opts = {.busy_ms = 1000};
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(tr_graph_store_path(slow->store), &opts, &db, err));
    tr_status status = tr_db_begin(db, TR_DB_WRITE, err);
    if (status == TR_OK)
        status = keep_taken(slow, db, err);
    if (status == TR_OK)
        status = tr_db_commit(db, err);
    tr_db_close(db);
    return status;
}

void tr_server_slow_close(struct tr_server_slow *slow)
{
    struct tr_err err = {0};
    if (!slow->scans || !tr_graph_store_writer(slow->store))
        return;
    slow->count = tr_query_scans_take(slow->scans, slow->taken);
    if (slow->count && keep_rest(slow, &err) != TR_OK)
        log_failure(&err);
}

/* Reading ----------------------------------------------------------------- */

static tr_status read_all(struct tr_db *db, struct tr_query_scan *out,
                          size_t *count, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    TR_TRY(tr_server_app_has_table(db, TR_STR("slow_query"), &row, err));
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
    struct tr_db *db = NULL;
    *count = 0;
    TR_TRY(tr_server_app_peek(app, &db, err));
    tr_status status = db ? read_all(db, out, count, err) : TR_OK;
    tr_db_close(db);
    return status;
}
