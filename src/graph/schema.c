#include "graph/schema.h"

#include "access/token.h"
#include "prov/measure.h"
#include "prov/published.h"
#include "prov/writer.h"

/*
 * term   what ids stand for (graph/term_id.h); `key` is the tag, then for a
 *        literal the id of its datatype or its language, then the text
 * spo    every quad, by subject
 * pos    those with a literal, by value
 * ops    those with a resource, by what refers to it
 * node   what has a type or was made as a node: the class it is shown as (0:
 *        none), how often it was changed, what people call it
 * type_count  how many nodes a class has, kept with the writes
 * search what nodes say in fields for search; the row is the node
 * search_word  its words, each with the rows that have it: a view, no data
 * change the feed (graph/store.h)
 * meta   1: the epoch (graph/reader.h); 2: the highest id that a term had when
 *        unused ones were removed (graph/upkeep.h), or nothing; 3: what it was
 *        fitted to; 4: the epoch of then (both graph/fit.c)
 * token  the bearer tokens (access/token.h)
 * counter the last number that was taken from each (graph/counter.c)
 * spelt  the predicates and kinds all spelt as we do (graph/upkeep.h)
 * project the name in the IRIs of the project that the store belongs to: one
 *        row, or none in a store that nobody has used under a name yet
 * value_index  the indexes by value (values/index.h): of a class
 * value_part   by which predicates, in their order
 * value_row    their rows: the key of each node
 * slow_query   fields whose queries were slow, and when (server/slow.h)
 * published    what was published last of each capability (prov/published.h)
 * bare   the predicates whose literals have no rows in `pos` (values/build.h)
 * measured, measured_times  what calls came to (prov/measure.h)
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
    " PRIMARY KEY (o, p, s, g)) WITHOUT ROWID;"
    "CREATE TABLE node (s INTEGER PRIMARY KEY, type INTEGER NOT NULL,"
    " version INTEGER NOT NULL, label TEXT);"
    "CREATE TABLE type_count (type INTEGER PRIMARY KEY,"
    " count INTEGER NOT NULL);"
    "CREATE VIRTUAL TABLE search USING fts5(text,"
    " tokenize = '" TR_DB_WORDS "');"
    "CREATE TABLE change (seq INTEGER PRIMARY KEY AUTOINCREMENT,"
    " subject INTEGER NOT NULL, type INTEGER NOT NULL,"
    " graph INTEGER NOT NULL, kind INTEGER NOT NULL);"
    "CREATE TABLE meta (key INTEGER PRIMARY KEY, value INTEGER NOT NULL);"
    "INSERT INTO meta VALUES (1, 1);" TR_PROV_SCHEMA,
    TR_ACCESS_SCHEMA,
    TR_PROV_SCHEMA_KEPT TR_ACCESS_SCHEMA_BUDGET,
    "CREATE VIRTUAL TABLE search_word USING fts5vocab(search, instance);",
    "CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL)"
    " WITHOUT ROWID",
    "CREATE TABLE spelt (predicate TEXT NOT NULL, kind TEXT NOT NULL,"
    " PRIMARY KEY (predicate, kind)) WITHOUT ROWID;",
    TR_ACCESS_SCHEMA_ENDED,
    "CREATE TABLE project (id INTEGER PRIMARY KEY CHECK (id = 1),"
    " name TEXT NOT NULL)",
    "CREATE TABLE value_index (x INTEGER PRIMARY KEY,"
    " class INTEGER NOT NULL);"
    "CREATE TABLE value_part (x INTEGER NOT NULL, n INTEGER NOT NULL,"
    " p INTEGER NOT NULL, descending INTEGER NOT NULL,"
    " PRIMARY KEY (x, n)) WITHOUT ROWID;"
    "CREATE TABLE value_row (x INTEGER NOT NULL, k BLOB NOT NULL,"
    " s INTEGER NOT NULL, PRIMARY KEY (x, k, s)) WITHOUT ROWID;",
    "CREATE TABLE slow_query (type TEXT, field TEXT, times INTEGER, looked"
    " INTEGER, at INTEGER, PRIMARY KEY (type, field)) WITHOUT ROWID",
    "CREATE TABLE bare (p INTEGER PRIMARY KEY);",
    TR_PROV_SCHEMA_MEASURED,
    TR_PROV_SCHEMA_DEPRECATED,
    "INSERT OR REPLACE INTO meta VALUES (3, 0), (4, 0);",
    TR_PROV_SCHEMA_PUBLISHED,
    TR_PROV_SCHEMA_SINCE,
};

tr_status tr_graph_schema(struct tr_db *db, struct tr_err *err)
{
    return tr_db_upgrade(db, steps, TR_LEN(steps), err);
}
