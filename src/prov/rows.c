#include "prov/rows.h"

#include "base/buf.h"
#include "db/db.h"

enum { ID, WHAT, WHO, MORE, WROTE };

tr_status tr_prov_rows_all(struct tr_prov_rows *rows, struct tr_db *db,
                           struct tr_err *err)
{
    rows->db = db;
    return tr_db_prepare(db,
                         "SELECT id, what, who, more, 1 FROM activity UNION ALL"
                         " SELECT id, what, who, more, 0 FROM activity_read",
                         &rows->stmt, err);
}

tr_status tr_prov_rows_before(struct tr_prov_rows *rows, struct tr_db *db,
                              tr_str id, struct tr_err *err)
{
    rows->db = db;
    /* Both tables are in the order of ids: SQLite merges them without sorting.
     */
    TR_TRY(tr_db_prepare(
        db,
        "SELECT id, what, who, more, 1 FROM activity WHERE id < ?1 UNION ALL"
        " SELECT id, what, who, more, 0 FROM activity_read WHERE id < ?1"
        " ORDER BY id DESC",
        &rows->stmt, err));
    tr_db_bind_blob(rows->stmt, 1, id);
    return TR_OK;
}

tr_status tr_prov_rows_one(struct tr_prov_rows *rows, struct tr_db *db,
                           tr_str id, struct tr_err *err)
{
    rows->db = db;
    TR_TRY(tr_db_prepare(
        db,
        "SELECT id, what, who, more, 1 FROM activity WHERE id = ?1 UNION ALL"
        " SELECT id, what, who, more, 0 FROM activity_read WHERE id = ?1",
        &rows->stmt, err));
    tr_db_bind_blob(rows->stmt, 1, id);
    return TR_OK;
}

tr_status tr_prov_rows_next(struct tr_prov_rows *rows, bool *has,
                            struct tr_err *err)
{
    tr_status status = tr_db_stmt_step(rows->stmt, has, err);
    if (status != TR_OK || !*has)
        rows->stmt = NULL;
    return status;
}

tr_str tr_prov_rows_id(const struct tr_prov_rows *rows)
{
    return tr_db_column_blob(rows->stmt, ID);
}

int64_t tr_prov_rows_who(const struct tr_prov_rows *rows)
{
    return tr_db_column_i64(rows->stmt, WHO);
}

int64_t tr_prov_rows_what(const struct tr_prov_rows *rows)
{
    return tr_db_column_i64(rows->stmt, WHAT);
}

/* The name that a number stands for; empty when there is none, or too long. */
static tr_status read_name(struct tr_db *db, int64_t number, struct tr_buf *out,
                           struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "SELECT key FROM prov_name WHERE id = ?1", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, number);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    tr_buf_put(out, tr_db_column_blob(stmt, 0));
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_prov_rows_get(struct tr_prov_rows *rows,
                           struct tr_prov_activity *out, struct tr_err *err)
{
    struct tr_buf what;
    struct tr_buf who;
    tr_buf_init_fixed(&what, rows->what, sizeof(rows->what));
    tr_buf_init_fixed(&who, rows->who, sizeof(rows->who));
    TR_TRY(read_name(rows->db, tr_db_column_i64(rows->stmt, WHAT), &what, err));
    TR_TRY(read_name(rows->db, tr_db_column_i64(rows->stmt, WHO), &who, err));
    const struct tr_prov_row row = {
        .id = tr_prov_rows_id(rows),
        .what = tr_buf_str(&what),
        .who = tr_buf_str(&who),
        .more = tr_db_column_blob(rows->stmt, MORE),
    };
    TR_TRY(tr_prov_unpack(&row, out, &rows->room, err));
    out->wrote = tr_db_column_i64(rows->stmt, WROTE);
    return TR_OK;
}

tr_status tr_prov_find_name(struct tr_db *db, tr_str key, int64_t *out,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "SELECT id FROM prov_name WHERE key = ?1", &stmt,
                         err));
    tr_db_bind_blob(stmt, 1, key);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

void tr_prov_rows_close(struct tr_prov_rows *rows)
{
    if (rows->stmt)
        tr_db_stmt_reset(rows->stmt);
    rows->stmt = NULL;
}
