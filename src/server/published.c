#include "server/published.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "graph/store.h"
#include "json/reader.h"
#include "json/writer.h"
#include "project/view.h"
#include "server/app.h"

/* Whether the author says its version: else this program does. */
static bool is_authors(const struct tr_cap *cap)
{
    return !cap->guard.type;
}

static tr_status write_content(const struct tr_cap *cap, struct tr_buf *out,
                               struct tr_err *err)
{
    struct tr_json_writer w;
    tr_buf_clear(out);
    tr_jw_init(&w, out);
    tr_project_put_descriptor(&w, cap);
    return tr_jw_finish(&w, err);
}

static bool is_same(const struct tr_json *left, const struct tr_json *right)
{
    const struct tr_json *const values[] = {left, right};
    struct tr_buf texts[TR_LEN(values)];
    for (size_t i = 0; i < TR_LEN(values); i++) {
        struct tr_json_writer w;
        tr_buf_init(&texts[i], TR_LIMIT_VIEW_BYTES);
        tr_jw_init(&w, &texts[i]);
        if (values[i])
            tr_jw_value(&w, values[i]);
    }
    bool same = tr_str_eq(tr_buf_str(&texts[0]), tr_buf_str(&texts[1]));
    tr_buf_done(&texts[0]);
    tr_buf_done(&texts[1]);
    return same;
}

/* The first field that is another; "" when neither says. */
static tr_str find_other(struct tr_arena *arena, tr_str before, tr_str now)
{
    const struct tr_json *left = NULL;
    const struct tr_json *right = NULL;
    if (tr_json_read(arena, before, NULL, &left, NULL) != TR_OK ||
        tr_json_read(arena, now, NULL, &right, NULL) != TR_OK)
        return TR_STR("");
    for (size_t i = 0; i < right->len; i++) {
        tr_str key = tr_json_text(&right->as.members[i].key);
        if (!is_same(tr_json_find(left, key), &right->as.members[i].value))
            return key;
    }
    return TR_STR("");
}

static tr_status refuse(const struct tr_cap *cap, tr_str before, tr_str now,
                        struct tr_err *err)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_LIMIT_VIEW_BYTES);
    tr_str field = find_other(&arena, before, now);
    (void)tr_fail(err, TR_E_CONFLICT,
                  "capability '%.*s': version %.*s was published with another "
                  "%.*s: give it a new version",
                  TR_FMT(cap->id), TR_FMT(cap->version),
                  TR_FMT(field.len ? field : TR_STR("content")));
    if (err && cap->guard.where.len)
        tr_err_prefix(err, "%.*s", TR_FMT(cap->guard.where));
    tr_arena_done(&arena);
    return TR_E_CONFLICT;
}

/* Whether the store has exactly this already; refuses what contradicts it. */
static tr_status check_one(struct tr_db *db, const struct tr_cap *cap,
                           tr_str content, bool *is_kept, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    *is_kept = false;
    TR_TRY(tr_db_prepare(db,
                         "SELECT version, content FROM published WHERE id = ?1",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, cap->id);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    tr_str before = tr_db_column_text(stmt, 1);
    tr_status status = TR_OK;
    *is_kept = tr_str_eq(before, content);
    if (!*is_kept && is_authors(cap) &&
        tr_str_eq(tr_db_column_text(stmt, 0), cap->version))
        status = refuse(cap, before, content, err);
    tr_db_stmt_reset(stmt);
    return status;
}

static tr_status keep_one(struct tr_db *db, const struct tr_cap *cap,
                          tr_str content, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "INSERT INTO published VALUES (?1, ?2, ?3)"
                         " ON CONFLICT DO UPDATE SET version = ?2,"
                         " content = ?3",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, cap->id);
    tr_db_bind_text(stmt, 2, cap->version);
    tr_db_bind_text(stmt, 3, content);
    return tr_db_stmt_run(stmt, err);
}

static tr_status visit_all(struct tr_db *db,
                           const struct tr_cap_snapshot *snapshot, bool keeps,
                           struct tr_err *err)
{
    size_t count = tr_cap_snapshot_counts(snapshot).caps;
    tr_status status = TR_OK;
    struct tr_buf content;
    tr_buf_init(&content, TR_LIMIT_VIEW_BYTES);
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        bool is_kept = false;
        status = write_content(cap, &content, err);
        if (status == TR_OK)
            status = check_one(db, cap, tr_buf_str(&content), &is_kept, err);
        if (status == TR_OK && keeps && !is_kept)
            status = keep_one(db, cap, tr_buf_str(&content), err);
    }
    tr_buf_done(&content);
    return status;
}

static bool is_development(const struct tr_server_app *app)
{
    return app->config->project.env == TR_CONFIG_ENV_DEVELOPMENT;
}

tr_status tr_server_published_keep(const struct tr_server_app *app,
                                   const struct tr_cap_snapshot *snapshot,
                                   struct tr_graph_store *store,
                                   struct tr_err *err)
{
    bool keeps = !tr_graph_store_is_read_only(store);
    const struct tr_db_opts opts = {.read_only = !keeps};
    struct tr_db *db = NULL;
    if (is_development(app))
        return TR_OK;
    TR_TRY(tr_db_open(tr_graph_store_path(store), &opts, &db, err));
    tr_status status = tr_db_begin(db, keeps ? TR_DB_WRITE : TR_DB_READ, err);
    if (status == TR_OK)
        status = visit_all(db, snapshot, keeps, err);
    if (status == TR_OK)
        status = tr_db_commit(db, err);
    tr_db_close(db);
    return status;
}

tr_status tr_server_published_check(const struct tr_server_app *app,
                                    const struct tr_cap_snapshot *snapshot,
                                    struct tr_err *err)
{
    struct tr_db *db = NULL;
    bool has_any = false;
    if (is_development(app))
        return TR_OK;
    TR_TRY(tr_server_app_peek(app, &db, err));
    tr_status status = TR_OK;
    if (db)
        status =
            tr_server_app_has_table(db, TR_STR("published"), &has_any, err);
    if (status == TR_OK && has_any)
        status = visit_all(db, snapshot, false, err);
    tr_db_close(db);
    return status;
}
