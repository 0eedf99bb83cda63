/*
 * Predicates without an index: no row of `pos` has their literals (decision
 * 0034). Which they are is a fact of the store, so that all who have it open
 * read and write alike.
 */
#include "graph/bare.h"

#include "db/db.h"
#include "graph/reader.h"

#include <stdlib.h>

static tr_status count(struct tr_db *db, size_t *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "SELECT count(*) FROM bare", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = (size_t)tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_graph_bare_read(struct tr_graph_value_set *set, struct tr_db *db,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    size_t room = 0;
    bool row;
    TR_TRY(count(db, &room, err));
    if (room == 0)
        return TR_OK;
    set->bare = calloc(room, sizeof(*set->bare));
    if (!set->bare)
        return tr_fail(err, TR_E_NOMEM, "no memory for predicates");
    TR_TRY(tr_db_prepare(db, "SELECT p FROM bare", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        if (set->bare_count < room)
            set->bare[set->bare_count++] = (tr_rdf_id)tr_db_column_i64(stmt, 0);
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

bool tr_graph_value_set_is_bare(const struct tr_graph_value_set *set,
                                tr_rdf_id predicate)
{
    for (size_t i = 0; i < set->bare_count; i++) {
        if (set->bare[i] == predicate)
            return true;
    }
    return false;
}

tr_status tr_graph_bare_fill(struct tr_db *db, struct tr_err *err)
{
    size_t bare = 0;
    TR_TRY(count(db, &bare, err));
    if (bare == 0)
        return TR_OK;
    TR_TRY(tr_db_exec(db,
                      "INSERT OR FAIL INTO pos (p, o, s, g)"
                      " SELECT p, o, s, g FROM spo"
                      " WHERE p IN (SELECT p FROM bare)"
                      " AND " TR_GRAPH_SQL_IS_LITERAL,
                      err));
    TR_TRY(tr_db_exec(db, "DELETE FROM bare", err));
    return tr_graph_epoch_raise(db, err);
}
