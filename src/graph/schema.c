#include "graph/schema.h"

/*
 * term   what ids stand for (graph/term_id.h); `key` is the tag, then for a
 *        literal the id of its datatype or its language, then the text
 * spo    every quad, by subject
 * pos    those with a literal, by value
 * ops    those with a resource, by what refers to it
 */
static const char *const steps[] = {
    "CREATE TABLE term (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE);"
    "CREATE TABLE spo (s INTEGER NOT NULL, p INTEGER NOT NULL,"
    " o INTEGER NOT NULL, g INTEGER NOT NULL,"
    " PRIMARY KEY (s, p, o, g)) WITHOUT ROWID;"
    "CREATE TABLE pos (p INTEGER NOT NULL, o INTEGER NOT NULL,"
    " s INTEGER NOT NULL, g INTEGER NOT NULL,"
    " PRIMARY KEY (p, o, s, g)) WITHOUT ROWID;"
    "CREATE TABLE ops (o INTEGER NOT NULL, p INTEGER NOT NULL,"
    " s INTEGER NOT NULL, g INTEGER NOT NULL,"
    " PRIMARY KEY (o, p, s, g)) WITHOUT ROWID;",
};

tr_status tr_graph_schema(struct tr_db *db, struct tr_err *err)
{
    return tr_db_upgrade(db, steps, TR_LEN(steps), err);
}
