#include "rest/deprecated.h"

#include "cap/snapshot.h"
#include "graph/store.h"
#include "rest/rest.h"
#include "runtime/env.h"

/* Keeping. -----------------------------------------------------------------*/

static bool is_deprecated(const struct tr_cap *cap)
{
    return cap && cap->version_status == TR_CAP_VERSION_DEPRECATED;
}

static bool has_any(const struct tr_cap_snapshot *snapshot)
{
    for (size_t i = 0; i < tr_cap_snapshot_counts(snapshot).caps; i++) {
        if (is_deprecated(tr_cap_snapshot_cap(snapshot, i)))
            return true;
    }
    return false;
}

static tr_status knows_any(struct tr_db *db, bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "SELECT 1 FROM deprecated LIMIT 1", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* What is known keeps its time. */
static tr_status add(struct tr_db *db, tr_str id, int64_t now_s,
                     struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db, "INSERT INTO deprecated VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        &stmt, err));
    tr_db_bind_text(stmt, 1, id);
    tr_db_bind_i64(stmt, 2, now_s);
    return tr_db_stmt_run(stmt, err);
}

static tr_status remove_one(struct tr_db *db, tr_str id, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(
        tr_db_prepare(db, "DELETE FROM deprecated WHERE id = ?1", &stmt, err));
    tr_db_bind_text(stmt, 1, id);
    return tr_db_stmt_run(stmt, err);
}

/* Whoever advises for it again, and against it later, has done so later. */
static tr_status forget(struct tr_db *db,
                        const struct tr_cap_snapshot *snapshot,
                        struct tr_err *err)
{
    bool row = true;
    while (row) {
        struct tr_db_stmt *stmt;
        char id[TR_LIMIT_NAME_BYTES];
        size_t len = 0;
        TR_TRY(tr_db_prepare(db, "SELECT id FROM deprecated", &stmt, err));
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
        while (row) {
            tr_str one = tr_db_column_text(stmt, 0);
            if (!is_deprecated(tr_cap_snapshot_find_cap(snapshot, one)) &&
                one.len < sizeof(id)) {
                memcpy(id, one.ptr, one.len);
                len = one.len;
                break;
            }
            TR_TRY(tr_db_stmt_step(stmt, &row, err));
        }
        tr_db_stmt_reset(stmt);
        if (row)
            TR_TRY(remove_one(db, (tr_str){id, len}, err));
    }
    return TR_OK;
}

tr_status tr_rest_publish(struct tr_db *db,
                          const struct tr_cap_snapshot *snapshot, int64_t now_s,
                          struct tr_err *err)
{
    bool knows = false;
    TR_TRY(knows_any(db, &knows, err));
    if (!knows && !has_any(snapshot))
        return TR_OK;
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    TR_TRY(forget(db, snapshot, err));
    for (size_t i = 0; i < tr_cap_snapshot_counts(snapshot).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        if (is_deprecated(cap))
            TR_TRY(add(db, cap->id, now_s, err));
    }
    return tr_db_commit(db, err);
}

/* Reading. -----------------------------------------------------------------*/

static tr_status find(struct tr_db *db, tr_str id, bool *found, int64_t *out)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "SELECT since FROM deprecated WHERE id = ?1",
                         &stmt, NULL));
    tr_db_bind_text(stmt, 1, id);
    TR_TRY(tr_db_stmt_step(stmt, found, NULL));
    if (*found)
        *out = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

bool tr_rest_deprecated_since(const struct tr_call_env *env, tr_str id,
                              int64_t *out)
{
    bool found = false;
    if (!env || tr_graph_reader_begin(env->reader, NULL) != TR_OK)
        return false;
    tr_status status = find(env->reader->db, id, &found, out);
    tr_graph_reader_end(env->reader);
    return status == TR_OK && found;
}
