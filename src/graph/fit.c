#include "graph/upkeep.h"

tr_status tr_graph_fit_read(struct tr_db *db, int64_t declared, bool *fits,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "SELECT 1 FROM meta AS fit, meta AS at, meta AS epoch"
                         " WHERE fit.key = 3 AND at.key = 4 AND epoch.key = 1"
                         " AND fit.value = ?1 AND at.value = epoch.value",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, declared);
    TR_TRY(tr_db_stmt_step(stmt, fits, err));
    if (*fits)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_graph_fit_note(struct tr_db *db, int64_t declared,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "UPDATE meta SET value = CASE key WHEN 3 THEN ?1 ELSE"
                         " (SELECT value FROM meta WHERE key = 1) END"
                         " WHERE key IN (3, 4)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, declared);
    return tr_db_stmt_run(stmt, err);
}
