#include "base/limits.h"
#include "db/db.h"
#include "graph/store.h"

/* Rows between two trims: deleting a range at once costs little. */
#define TRIM_EVERY 1024

/* Removes what is older than TR_LIMIT_FEED_ROWS rows. */
static tr_status trim(struct tr_db *db, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    int64_t last = 0;
    TR_TRY(tr_graph_feed_last(db, &last, err));
    if (last <= TR_LIMIT_FEED_ROWS)
        return TR_OK;
    TR_TRY(tr_db_prepare(db, "DELETE FROM change WHERE seq <= ?1", &stmt, err));
    tr_db_bind_i64(stmt, 1, last - TR_LIMIT_FEED_ROWS);
    return tr_db_stmt_run(stmt, err);
}

tr_status tr_graph_feed_add(struct tr_db *db,
                            const struct tr_graph_feed_row *row,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "INSERT INTO change (subject, type, graph, kind)"
                         " VALUES (?1, ?2, 0, ?3)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)row->subject);
    tr_db_bind_i64(stmt, 2, (int64_t)row->type);
    tr_db_bind_i64(stmt, 3, row->kind);
    TR_TRY(tr_db_stmt_run(stmt, err));
    return tr_db_last_id(db) % TRIM_EVERY == 0 ? trim(db, err) : TR_OK;
}

tr_status tr_graph_feed_last(struct tr_db *db, int64_t *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "SELECT max(seq) FROM change", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_graph_feed_read(struct tr_db *db, int64_t *seen, bool *has_gap,
                             tr_graph_feed_fn *visit, void *context,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    tr_status status;
    *has_gap = false;
    TR_TRY(tr_db_prepare(db,
                         "SELECT seq, subject, type, kind FROM change"
                         " WHERE seq > ?1 ORDER BY seq",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, *seen);
    while ((status = tr_db_stmt_step(stmt, &row, err)) == TR_OK && row) {
        struct tr_graph_feed_row change = {
            .seq = tr_db_column_i64(stmt, 0),
            .subject = (tr_rdf_id)tr_db_column_i64(stmt, 1),
            .type = (tr_rdf_id)tr_db_column_i64(stmt, 2),
            .kind = (enum tr_graph_feed_kind)tr_db_column_i64(stmt, 3),
        };
        *has_gap = *has_gap || change.seq > *seen + 1;
        *seen = change.seq;
        status = visit(context, &change, err);
        if (status != TR_OK)
            break;
    }
    tr_db_stmt_reset(stmt);
    return status;
}
