#include "prov/published.h"

#include "db/db.h"

tr_status tr_prov_published_read(struct tr_db *db, tr_str id,
                                 struct tr_arena *arena,
                                 struct tr_prov_published *out,
                                 struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    *out = (struct tr_prov_published){0};
    TR_TRY(tr_db_prepare(db,
                         "SELECT version, content FROM published WHERE id = ?1",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, id);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    bool is_copied =
        tr_arena_copy(arena, tr_db_column_text(stmt, 0), &out->version) &&
        tr_arena_copy(arena, tr_db_column_text(stmt, 1), &out->content);
    tr_db_stmt_reset(stmt);
    return is_copied
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for what was published");
}

tr_status tr_prov_published_write(struct tr_db *db, tr_str id,
                                  const struct tr_prov_published *published,
                                  int64_t deprecated_s, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db, "INSERT OR REPLACE INTO published VALUES (?1, ?2, ?3, ?4)", &stmt,
        err));
    tr_db_bind_text(stmt, 1, id);
    tr_db_bind_text(stmt, 2, published->version);
    tr_db_bind_text(stmt, 3, published->content);
    tr_db_bind_i64(stmt, 4, deprecated_s);
    return tr_db_stmt_run(stmt, err);
}

tr_status tr_prov_deprecated_read(struct tr_db *db, tr_str id, int64_t *out,
                                  struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    *out = 0;
    TR_TRY(tr_db_prepare(db, "SELECT deprecated FROM published WHERE id = ?1",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, id);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    *out = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_prov_deprecated_any(struct tr_db *db, bool *out,
                                 struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "SELECT 1 FROM published WHERE deprecated LIMIT 1",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}
