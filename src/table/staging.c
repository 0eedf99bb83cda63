#include "table/staging.h"

#include "base/arena.h"
#include "base/limits.h"

static const char *const schema =
    "PRAGMA journal_mode = OFF;"
    "CREATE TABLE told (file INTEGER, offset INTEGER, line INTEGER,"
    " col INTEGER, why TEXT, PRIMARY KEY (file, offset, why)) WITHOUT ROWID;"
    "CREATE TABLE bad (row INTEGER PRIMARY KEY);"
    "CREATE TABLE name (kind TEXT, value TEXT, iri TEXT, row INTEGER,"
    " file INTEGER, offset INTEGER, line INTEGER, col INTEGER,"
    " PRIMARY KEY (kind, value)) WITHOUT ROWID;"
    "CREATE TABLE hope (kind TEXT, value TEXT, row INTEGER,"
    " file INTEGER, offset INTEGER, line INTEGER, col INTEGER, why TEXT,"
    " iri TEXT);";

tr_status tr_table_staging_open(struct tr_table_staging *staging,
                                const char *store, struct tr_err *err)
{
    const struct tr_db_opts opts = {.no_sync = true};
    TR_TRY(tr_db_scratch_open(&staging->scratch, store, err));
    staging->is_open = true;
    TR_TRY(tr_db_open(staging->scratch.path, &opts, &staging->db, err));
    TR_TRY(tr_db_exec(staging->db, schema, err));
    return tr_db_begin(staging->db, TR_DB_WRITE, err);
}

void tr_table_staging_close(struct tr_table_staging *staging)
{
    tr_db_close(staging->db);
    if (staging->is_open)
        tr_db_scratch_close(&staging->scratch);
    *staging = (struct tr_table_staging){0};
}

/* Binds the five numbers of a place from parameter `at` on. */
static void bind_spot(struct tr_db_stmt *stmt, int at,
                      const struct tr_table_spot *spot)
{
    tr_db_bind_i64(stmt, at, (int64_t)spot->row);
    tr_db_bind_i64(stmt, at + 1, (int64_t)spot->file);
    tr_db_bind_i64(stmt, at + 2, (int64_t)spot->place.offset);
    tr_db_bind_i64(stmt, at + 3, spot->place.line);
    tr_db_bind_i64(stmt, at + 4, spot->place.column);
}

static struct tr_table_spot read_spot(struct tr_db_stmt *stmt, int at)
{
    return (struct tr_table_spot){
        .row = (uint64_t)tr_db_column_i64(stmt, at),
        .file = (size_t)tr_db_column_i64(stmt, at + 1),
        .place = {.offset = (size_t)tr_db_column_i64(stmt, at + 2),
                  .line = (uint32_t)tr_db_column_i64(stmt, at + 3),
                  .column = (uint32_t)tr_db_column_i64(stmt, at + 4)}};
}

tr_status tr_table_staging_tell(struct tr_table_staging *staging,
                                const struct tr_table_spot *spot, bool is_row,
                                tr_str why, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(staging->db,
                         "INSERT OR IGNORE INTO told"
                         " VALUES (?2 + 0 * ?1, ?3, ?4, ?5, ?6)",
                         &stmt, err));
    bind_spot(stmt, 1, spot);
    tr_db_bind_text(stmt, 6, why);
    TR_TRY(tr_db_stmt_run(stmt, err));
    if (!is_row)
        return TR_OK;
    TR_TRY(tr_db_prepare(staging->db, "INSERT OR IGNORE INTO bad VALUES (?1)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)spot->row);
    return tr_db_stmt_run(stmt, err);
}

tr_status tr_table_staging_is_bad(struct tr_table_staging *staging,
                                  uint64_t row, bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(staging->db, "SELECT 1 FROM bad WHERE row = ?1", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)row);
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_table_staging_each_told(struct tr_table_staging *staging,
                                     tr_table_told_fn *visit, void *context,
                                     struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = true;
    TR_TRY(tr_db_prepare(staging->db,
                         "SELECT 0, file, offset, line, col, why FROM told"
                         " ORDER BY file, offset",
                         &stmt, err));
    for (;;) {
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
        if (!row)
            return TR_OK;
        struct tr_table_spot spot = read_spot(stmt, 0);
        visit(context, &spot, tr_db_column_text(stmt, 5));
    }
}

tr_status tr_table_staging_name(struct tr_table_staging *staging,
                                const struct tr_table_name *name, bool *taken,
                                struct tr_table_spot *other, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    *taken = false;
    TR_TRY(tr_db_prepare(staging->db,
                         "INSERT OR IGNORE INTO name"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, name->set);
    tr_db_bind_text(stmt, 2, name->value);
    tr_db_bind_text(stmt, 3, name->iri);
    bind_spot(stmt, 4, &name->spot);
    TR_TRY(tr_db_stmt_run(stmt, err));
    if (tr_db_changes(staging->db) > 0)
        return TR_OK;
    TR_TRY(tr_db_prepare(staging->db,
                         "SELECT row, file, offset, line, col FROM name"
                         " WHERE kind = ?1 AND value = ?2",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, name->set);
    tr_db_bind_text(stmt, 2, name->value);
    TR_TRY(tr_db_stmt_step(stmt, taken, err));
    if (*taken) {
        *other = read_spot(stmt, 0);
        tr_db_stmt_reset(stmt);
        *taken = other->row != name->spot.row;
    }
    return TR_OK;
}

tr_status tr_table_staging_find(struct tr_table_staging *staging,
                                struct tr_table_name *name,
                                struct tr_arena *arena, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    name->iri = TR_STR("");
    TR_TRY(tr_db_prepare(staging->db,
                         "SELECT row, file, offset, line, col, iri FROM name"
                         " WHERE kind = ?1 AND value = ?2",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, name->set);
    tr_db_bind_text(stmt, 2, name->value);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    name->spot = read_spot(stmt, 0);
    bool copied = tr_arena_copy(arena, tr_db_column_text(stmt, 5), &name->iri);
    tr_db_stmt_reset(stmt);
    return copied ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory for an IRI");
}

tr_status tr_table_staging_hope(struct tr_table_staging *staging,
                                const struct tr_table_hope *hope,
                                struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(staging->db,
                         "INSERT INTO hope"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, hope->set);
    tr_db_bind_text(stmt, 2, hope->value);
    bind_spot(stmt, 3, &hope->spot);
    tr_db_bind_text(stmt, 8, hope->why);
    tr_db_bind_text(stmt, 9, hope->iri);
    return tr_db_stmt_run(stmt, err);
}

#define IN_VAIN                                                                \
    " FROM hope h WHERE NOT EXISTS (SELECT 1 FROM name n"                      \
    " WHERE n.kind = h.kind AND n.value = h.value"                             \
    " OR n.kind = '' AND n.value = h.iri)"

static tr_status settle_once(struct tr_table_staging *staging, int64_t *rows,
                             uint64_t *mistakes, struct tr_err *err)
{
    TR_TRY(tr_db_exec(staging->db,
                      "INSERT OR IGNORE INTO told SELECT file, offset, line,"
                      " col, why" IN_VAIN,
                      err));
    *mistakes += (uint64_t)tr_db_changes(staging->db);
    TR_TRY(tr_db_exec(staging->db,
                      "INSERT OR IGNORE INTO bad SELECT row" IN_VAIN, err));
    *rows = tr_db_changes(staging->db);
    if (*rows == 0)
        return TR_OK;
    TR_TRY(tr_db_exec(staging->db,
                      "DELETE FROM hope WHERE row IN (SELECT row FROM bad)",
                      err));
    return tr_db_exec(staging->db,
                      "DELETE FROM name WHERE row IN (SELECT row FROM bad)",
                      err);
}

tr_status tr_table_staging_settle(struct tr_table_staging *staging,
                                  uint64_t *rows, uint64_t *mistakes,
                                  struct tr_err *err)
{
    int64_t more = 1;
    *rows = 0;
    *mistakes = 0;
    while (more > 0) {
        TR_TRY(settle_once(staging, &more, mistakes, err));
        *rows += (uint64_t)more;
    }
    return TR_OK;
}
