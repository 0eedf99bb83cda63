#include "db/sqlite_rows.h"

enum { BLOB = TR_DB_COLUMNS };

struct table {
    sqlite3_vtab base;
    const struct tr_db_rows **rows;
};

struct cursor {
    sqlite3_vtab_cursor base;
    const struct tr_db_rows *rows;
    size_t at;
};

static int connect_table(sqlite3 *handle, void *data, int argc,
                         const char *const *argv, sqlite3_vtab **out,
                         char **message)
{
    (void)argc;
    (void)argv;
    (void)message;
    int rc = sqlite3_declare_vtab(handle, "CREATE TABLE x(c0 INTEGER,"
                                          " c1 INTEGER, c2 INTEGER,"
                                          " c3 INTEGER, blob BLOB)");
    if (rc != SQLITE_OK)
        return rc;
    struct table *table = sqlite3_malloc(sizeof(*table));
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct table){.rows = data};
    *out = &table->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* SQLite asks how to read the table: there is one way, row after row. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1000000;
    info->estimatedRows = 1000000;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){.rows = *((struct table *)table)->rows};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int index, const char *name,
                  int argc, sqlite3_value **argv)
{
    (void)index;
    (void)name;
    (void)argc;
    (void)argv;
    ((struct cursor *)base)->at = 0;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->at++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (const struct cursor *)base;
    return !cursor->rows || cursor->at >= cursor->rows->count;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
    const struct cursor *cursor = (const struct cursor *)base;
    const struct tr_db_rows *rows = cursor->rows;
    if (at == BLOB && rows->blob) {
        tr_str blob = rows->blob(rows->context, cursor->at);
        sqlite3_result_blob64(context, blob.len ? blob.ptr : "", blob.len,
                              SQLITE_TRANSIENT);
    } else if ((size_t)at < rows->columns) {
        sqlite3_result_int64(
            context, rows->values[cursor->at * rows->columns + (size_t)at]);
    }
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct cursor *)base)->at;
    return SQLITE_OK;
}

/*
 * Without xCreate the table is there on every connection that registers it, and
 * in no schema.
 */
static const sqlite3_module module = {
    .iVersion = 0,
    .xConnect = connect_table,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = is_at_end,
    .xColumn = column,
    .xRowid = row_id,
};

int tr_db_sqlite_rows_register(sqlite3 *handle, const struct tr_db_rows **rows)
{
    return sqlite3_create_module(handle, "tr_rows", &module, rows);
}
