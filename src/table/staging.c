#include "table/staging.h"

#include "base/arena.h"
#include "base/limits.h"

static const char *const schema =
    "PRAGMA journal_mode = OFF;"
    "CREATE TABLE told (file INTEGER, offset INTEGER, line INTEGER,"
    " col INTEGER, why TEXT, is_given INTEGER,"
    " PRIMARY KEY (file, offset, why)) WITHOUT ROWID;"
    "CREATE TABLE bad (row INTEGER PRIMARY KEY);"
    "CREATE TABLE fresh (row INTEGER PRIMARY KEY);"
    "CREATE TABLE lost (kind TEXT, value TEXT, PRIMARY KEY (kind, value))"
    " WITHOUT ROWID;"
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
                         " VALUES (?2 + 0 * ?1, ?3, ?4, ?5, ?6, 0)",
                         &stmt, err));
    bind_spot(stmt, 1, spot);
    tr_db_bind_text(stmt, 6, why);
    TR_TRY(tr_db_stmt_run(stmt, err));
    if (!is_row)
        return TR_OK;
    TR_TRY(tr_db_prepare(staging->db, "INSERT OR IGNORE INTO bad VALUES (?1)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)spot->row);
    TR_TRY(tr_db_stmt_run(stmt, err));
    if (tr_db_changes(staging->db) == 0)
        return TR_OK;
    TR_TRY(tr_db_prepare(staging->db, "INSERT INTO fresh VALUES (?1)", &stmt,
                         err));
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
                         " WHERE NOT is_given ORDER BY file, offset",
                         &stmt, err));
    for (;;) {
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
        if (!row)
            return tr_db_exec(staging->db, "UPDATE told SET is_given = 1", err);
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

/* Of a hope h. */
#define IN_VAIN                                                                \
    " NOT EXISTS (SELECT 1 FROM name n WHERE n.kind = h.kind"                  \
    " AND n.value = h.value OR n.kind = '' AND n.value = h.iri)"

/* Those that may be in vain because a name was lost. */
#define LEFT_BEHIND                                                            \
    " FROM (SELECT h.rowid AS id FROM lost l CROSS JOIN hope h"                \
    " ON h.kind = l.kind AND h.value = l.value UNION"                          \
    " SELECT h.rowid FROM lost l CROSS JOIN hope h"                            \
    " ON l.kind = '' AND h.iri = l.value)"                                     \
    " CROSS JOIN hope h ON h.rowid = id WHERE" IN_VAIN

/* Once; names of rows that were bad already do not count. */
static const char *const look_at_all[] = {
    "DELETE FROM name WHERE row IN (SELECT row FROM bad)",
    "INSERT OR IGNORE INTO told SELECT file, offset, line, col, why, 0"
    " FROM hope h WHERE" IN_VAIN,
    "INSERT OR IGNORE INTO fresh SELECT row FROM hope h WHERE" IN_VAIN,
    "INSERT OR IGNORE INTO bad SELECT row FROM fresh",
};

/* What the steps below need, once there is one. */
static const char *const indexes[] = {
    "CREATE INDEX IF NOT EXISTS name_row ON name (row)",
    "CREATE INDEX IF NOT EXISTS hope_row ON hope (row)",
    "CREATE INDEX IF NOT EXISTS hope_name ON hope (kind, value)",
    "CREATE INDEX IF NOT EXISTS hope_iri ON hope (iri)",
};

/* From the rows that are bad since the last step to those that are so by them:
 * what a step costs depends on these alone, since a chain takes many. */
static const char *const go_on[] = {
    "INSERT OR IGNORE INTO lost SELECT kind, value FROM name"
    " WHERE row IN (SELECT row FROM fresh)",
    "DELETE FROM name WHERE row IN (SELECT row FROM fresh)",
    "DELETE FROM hope WHERE row IN (SELECT row FROM fresh)",
    "DELETE FROM fresh",
    "INSERT OR IGNORE INTO told SELECT file, offset, line, col, why,"
    " 0" LEFT_BEHIND,
    "INSERT OR IGNORE INTO fresh SELECT h.row" LEFT_BEHIND,
    "INSERT OR IGNORE INTO bad SELECT row FROM fresh",
    "DELETE FROM lost",
};

static tr_status run_all(struct tr_table_staging *staging,
                         const char *const *steps, size_t count,
                         struct tr_err *err)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_db_stmt *stmt;
        TR_TRY(tr_db_prepare(staging->db, steps[i], &stmt, err));
        TR_TRY(tr_db_stmt_run(stmt, err));
    }
    return TR_OK;
}

/* The number, or 0, that a statement answers. */
static tr_status ask(struct tr_table_staging *staging, const char *sql,
                     uint64_t *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(staging->db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (uint64_t)tr_db_column_i64(stmt, 0) : 0;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_table_staging_settle(struct tr_table_staging *staging,
                                  struct tr_err *err)
{
    uint64_t fresh = 0;
    if (!staging->is_settled)
        TR_TRY(run_all(staging, look_at_all, TR_LEN(look_at_all), err));
    staging->is_settled = true;
    TR_TRY(ask(staging, "SELECT EXISTS (SELECT 1 FROM fresh)", &fresh, err));
    if (fresh)
        TR_TRY(run_all(staging, indexes, TR_LEN(indexes), err));
    while (fresh) {
        TR_TRY(run_all(staging, go_on, TR_LEN(go_on), err));
        TR_TRY(
            ask(staging, "SELECT EXISTS (SELECT 1 FROM fresh)", &fresh, err));
    }
    return TR_OK;
}

tr_status tr_table_staging_count(struct tr_table_staging *staging,
                                 uint64_t *bad, uint64_t *told,
                                 struct tr_err *err)
{
    TR_TRY(ask(staging, "SELECT count(*) FROM bad", bad, err));
    return ask(staging, "SELECT count(*) FROM told", told, err);
}
