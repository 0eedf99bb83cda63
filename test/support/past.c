#include "support/past.h"

#include <sqlite3.h>

#include <stdlib.h>

/* The table of steps is private, and a store has to be left between two. */
#define tr_graph_schema past_schema
#include "graph/schema.c" /* NOLINT */
#undef tr_graph_schema

size_t past_versions(void)
{
    return TR_LEN(steps);
}

/* Tables that have the rows of others now. */
static const char *was(const char *table)
{
    return strcmp(table, "published") == 0 ? "deprecated" : table;
}

static bool has_table(sqlite3 *db, const char *table)
{
    return sqlite3_table_column_metadata(db, NULL, table, NULL, NULL, NULL,
                                         NULL, NULL, NULL) == SQLITE_OK;
}

size_t past_version_with(const char *table)
{
    sqlite3 *db = NULL;
    size_t version = 0;
    bool found = false;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        abort();
    while (!found && version < TR_LEN(steps)) {
        if (sqlite3_exec(db, steps[version++], NULL, NULL, NULL) != SQLITE_OK)
            abort();
        found = has_table(db, table) || has_table(db, was(table));
    }
    (void)sqlite3_close(db);
    return found ? version : 0;
}

static const char attach_other[] = "ATTACH ?1 AS other";
static const char attach_fresh[] = "ATTACH ?1 AS fresh";

static tr_status attach(struct tr_db *db, const char *sql, const char *path,
                        struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_db_bind_text(stmt, 1, tr_str_from(path));
    return tr_db_stmt_run(stmt, err);
}

/*
 * A table of the main store, and its columns: those with rows of their own. The
 * rows of a virtual table are its texts, and not what it keeps them in.
 */
#define TABLES                                                                 \
    "SELECT l.name AS t, (l.type = 'virtual') AS is_virtual,"                  \
    " iif(l.type = 'virtual', 'rowid, ', '') || (SELECT group_concat(c.name)"  \
    "  FROM pragma_table_info(l.name, 'main') AS c) AS columns"                \
    " FROM pragma_table_list AS l JOIN main.sqlite_schema AS m"                \
    " ON m.name = l.name WHERE l.schema = 'main'"                              \
    " AND l.name IN (SELECT name FROM other.sqlite_schema)"                    \
    " AND l.name NOT LIKE 'sqlite!_%' ESCAPE '!'"                              \
    " AND (l.type = 'table' OR l.type = 'virtual' AND m.sql LIKE '%fts5(%')"

/* Runs the statements that a statement writes, in one text. */
static tr_status run_written(struct tr_db *db, const char *sql,
                             struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_db_stmt *stmt;
    tr_str text;
    bool row;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    tr_arena_init(&arena, TR_MIB(1));
    bool is_copied = tr_arena_copy(&arena, tr_db_column_text(stmt, 0), &text);
    tr_db_stmt_reset(stmt);
    tr_status status = is_copied ? tr_db_exec(db, text.ptr, err)
                                 : tr_fail(err, TR_E_NOMEM, "no memory");
    tr_arena_done(&arena);
    return status;
}

/*
 * What a step has changed in the tables that were there before it, taken back.
 * One that only makes tables needs no line.
 */
static const struct {
    size_t step; /* from 1 */
    size_t from; /* what it is about was there since then */
    const char *sql;
} undone[] = {
    {11, 1,
     "INSERT OR IGNORE INTO pos SELECT p, o, s, g FROM spo"
     " WHERE (o & 15) >= 2"},
    {14, 1, "DELETE FROM meta WHERE key IN (3, 4)"},
    {16, 13,
     "INSERT INTO main.deprecated SELECT id, deprecated FROM other.published"
     " WHERE deprecated"},
    {16, 15, "DELETE FROM main.published WHERE version = ''"},
};

static tr_status fill(struct tr_db *db, size_t version, struct tr_err *err)
{
    static const char copy[] =
        "SELECT group_concat('DELETE FROM main.' || t || '; INSERT INTO main.'"
        " || t || ' (' || columns || ') SELECT ' || columns || ' FROM other.'"
        " || t, ';') FROM (" TABLES ")";
    TR_TRY(run_written(db, copy, err));
    for (size_t i = 0; i < TR_LEN(undone); i++) {
        if (version < undone[i].step && version >= undone[i].from)
            TR_TRY(tr_db_exec(db, undone[i].sql, err));
    }
    return TR_OK;
}

static tr_status make(struct tr_db *db, const char *from, size_t version,
                      struct tr_err *err)
{
    TR_TRY(tr_db_upgrade(db, steps, version, err));
    TR_TRY(attach(db, attach_other, from, err));
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    TR_TRY(fill(db, version, err));
    return tr_db_commit(db, err);
}

tr_status past_make(const char *from, const char *to, size_t version,
                    struct tr_err *err)
{
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(to, NULL, &db, err));
    tr_status status = make(db, from, version, err);
    tr_db_close(db);
    return status;
}

/* Differences ------------------------------------------------------------- */

#define ROWS(of) "SELECT ' || columns || ' FROM " of ".' || t || '"

/* What writes a statement for each table: does it differ? */
#define DIFFER                                                                 \
    "SELECT group_concat('INSERT INTO differs SELECT ''' || t || ''' WHERE"    \
    " EXISTS (" ROWS("main") " EXCEPT " ROWS("other") ") OR EXISTS (" ROWS(    \
        "other") " EXCEPT " ROWS("main") "' ||"                                \
                                         " iif(t IN (SELECT name FROM "        \
                                         "fresh.sqlite_schema), ' "            \
                                         "EXCEPT " ROWS(                       \
                                             "fresh") "', '') || ')', ';') "   \
                                                      "FROM (" TABLES ")"

static tr_status compare(struct tr_db *db, struct tr_arena *arena, tr_str *out,
                         struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_exec(db, "CREATE TEMP TABLE differs (name)", err));
    TR_TRY(run_written(db, DIFFER, err));
    TR_TRY(tr_db_prepare(db,
                         "SELECT coalesce(group_concat(name), '') FROM differs",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    bool is_copied = tr_arena_copy(arena, tr_db_column_text(stmt, 0), out);
    tr_db_stmt_reset(stmt);
    return is_copied ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory");
}

tr_status past_compare(const struct past_stores *stores, struct tr_arena *arena,
                       tr_str *out, struct tr_err *err)
{
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(stores->before, NULL, &db, err));
    tr_status status = attach(db, attach_other, stores->after, err);
    if (status == TR_OK)
        status = attach(db, attach_fresh, stores->fresh, err);
    if (status == TR_OK)
        status = compare(db, arena, out, err);
    tr_db_close(db);
    return status;
}
