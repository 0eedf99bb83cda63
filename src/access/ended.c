#include "access/ended.h"

#include "base/limits.h"
#include "db/db.h"

static tr_str caller_of(const struct tr_access_ended *session)
{
    return (tr_str){(const char *)session->caller, sizeof(session->caller)};
}

/* Begins a statement whose first parameter is the caller. */
static tr_status prepare(struct tr_db *db, const char *sql,
                         const struct tr_access_ended *session,
                         struct tr_db_stmt **out, struct tr_err *err)
{
    TR_TRY(tr_db_prepare(db, sql, out, err));
    tr_db_bind_blob(*out, 1, caller_of(session));
    return TR_OK;
}

static void bind_session(struct tr_db_stmt *stmt,
                         const struct tr_access_ended *session)
{
    tr_db_bind_blob(
        stmt, 2, (tr_str){(const char *)session->name, sizeof(session->name)});
    tr_db_bind_i64(stmt, 3, session->made_s);
}

tr_status tr_access_ended_find(struct tr_db *db,
                               const struct tr_access_ended *session, bool *out,
                               struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(prepare(db,
                   "SELECT 1 FROM ended WHERE caller = ?1"
                   " AND (name = ?2 OR (name = x'' AND made >= ?3))",
                   session, &stmt, err));
    bind_session(stmt, session);
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Deletes more rows than are added at a time, so that they do not pile up. */
static tr_status trim(struct tr_db *db, int64_t now_s, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "DELETE FROM ended WHERE (caller, name) IN (SELECT"
                         " caller, name FROM ended WHERE made <= ?1"
                         " ORDER BY made LIMIT 4)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, now_s - TR_LIMIT_SESSION_ID_S);
    return tr_db_stmt_run(stmt, err);
}

/* The time of the row in the middle; `*is_full` when there are too many. */
static tr_status find_middle(struct tr_db *db,
                             const struct tr_access_ended *session,
                             bool *is_full, int64_t *middle_s,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(prepare(db,
                   "SELECT made FROM ended WHERE caller = ?1 AND name <> x''"
                   " AND ?2 <= (SELECT count(*) FROM ended WHERE caller = ?1)"
                   " ORDER BY made LIMIT 1 OFFSET ?2 / 2",
                   session, &stmt, err));
    tr_db_bind_i64(stmt, 2, TR_LIMIT_ENDED_SESSIONS);
    TR_TRY(tr_db_stmt_step(stmt, is_full, err));
    if (!*is_full)
        return TR_OK;
    *middle_s = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/*
 * A row without a name stands for all that the caller made until its time. It
 * goes with the older half; one that is still there says more than a new one.
 */
static tr_status make_room(struct tr_db *db,
                           const struct tr_access_ended *session,
                           struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool is_full = false;
    int64_t middle_s = 0;
    TR_TRY(find_middle(db, session, &is_full, &middle_s, err));
    if (!is_full)
        return TR_OK;
    TR_TRY(prepare(db, "DELETE FROM ended WHERE caller = ?1 AND made <= ?2",
                   session, &stmt, err));
    tr_db_bind_i64(stmt, 2, middle_s);
    TR_TRY(tr_db_stmt_run(stmt, err));
    TR_TRY(prepare(db,
                   "INSERT OR IGNORE INTO ended (caller, name, made)"
                   " VALUES (?1, x'', ?2)",
                   session, &stmt, err));
    tr_db_bind_i64(stmt, 2, middle_s);
    return tr_db_stmt_run(stmt, err);
}

tr_status tr_access_ended_put(struct tr_db *db,
                              const struct tr_access_ended *session,
                              int64_t now_s, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool has_ended = false;
    TR_TRY(trim(db, now_s, err));
    TR_TRY(tr_access_ended_find(db, session, &has_ended, err));
    if (has_ended)
        return TR_OK;
    TR_TRY(make_room(db, session, err));
    TR_TRY(prepare(db,
                   "INSERT INTO ended (caller, name, made)"
                   " VALUES (?1, ?2, ?3)",
                   session, &stmt, err));
    bind_session(stmt, session);
    return tr_db_stmt_run(stmt, err);
}
