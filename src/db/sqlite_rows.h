/*
 * db/sqlite_rows.h - rows in memory, as a table that SQLite can select from.
 *
 * `tr_rows` has columns c0 to c3 and `blob`. An INSERT ... SELECT from it costs
 * a third of binding and stepping row by row, a SELECT that looks each of them
 * up about a half.
 */
#ifndef TR_DB_SQLITE_ROWS_H
#define TR_DB_SQLITE_ROWS_H

#include "db/db.h"

#include <sqlite3.h>

/*
 * Makes the table known to a connection. It shows what *rows points to when a
 * statement makes its first step, and nothing when that is NULL. Returns
 * SQLite's code.
 */
int tr_db_sqlite_rows_register(sqlite3 *handle, const struct tr_db_rows **rows);

#endif
