#include "graph/schema.h"

#include "access/token.h"
#include "prov/writer.h"
#include "rows/layout.h"

/*
 * term   the numbers of IRIs (rows/term_id.h)
 * node   one row for everything that statements are about: the class it is
 *        shown as (0: none; NULL: it is no node, only a subject), how often it
 *        was changed (0 for what is no node), what people call it, its IRI, and
 *        what is said of it (pack/body.h)
 * spo    statements of predicates that a subject has too many of to be packed
 * pos    all statements with a literal, by value (pack/key.h)
 * ops    all statements with a resource, by what refers to it
 * text   the values that are too long to be packed, one for each statement
 * type_count  how many nodes a class has, kept with the writes
 * search what nodes say in fields for search; the row is the node
 * search_word  its words, each with the rows that have it: a view, no data
 * change the feed (graph/store.h)
 * meta   1: the epoch (graph/reader.h); 2: the highest id that a term had when
 *        unused ones were removed (graph/upkeep.h), or nothing; 3: how many
 *        statements there are
 * token  the bearer tokens (access/token.h)
 * counter the last number that was taken from each (graph/counter.c)
 * spelt  the predicates and kinds whose values are all spelt as we do
 *        (graph/upkeep.h)
 * project the name in the IRIs of the project that the store belongs to: one
 *        row, or none in a store that nobody has used under a name yet
 */
/* The first tables: layout.c brings them to what is described above. */
static const char first[] =
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
    "INSERT INTO meta VALUES (1, 1);" TR_PROV_SCHEMA;

static const struct tr_db_step steps[] = {
    {.sql = first},
    {.sql = TR_ACCESS_SCHEMA},
    {.sql = TR_PROV_SCHEMA_KEPT TR_ACCESS_SCHEMA_BUDGET},
    {.sql = "CREATE VIRTUAL TABLE search_word"
            " USING fts5vocab(search, instance);"},
    {.sql = "CREATE TABLE counter (name TEXT PRIMARY KEY,"
            " value INTEGER NOT NULL) WITHOUT ROWID"},
    {.sql = "CREATE TABLE spelt (predicate TEXT NOT NULL, kind TEXT NOT NULL,"
            " PRIMARY KEY (predicate, kind)) WITHOUT ROWID;"},
    {.sql = TR_ACCESS_SCHEMA_ENDED},
    {.sql = "CREATE TABLE project (id INTEGER PRIMARY KEY CHECK (id = 1),"
            " name TEXT NOT NULL)"},
    {.run = tr_rows_layout},
};

tr_status tr_graph_schema_to(struct tr_db *db, size_t version,
                             struct tr_err *err)
{
    return tr_db_upgrade(db, steps, version, err);
}

tr_status tr_graph_schema(struct tr_db *db, struct tr_err *err)
{
    return tr_graph_schema_to(db, TR_LEN(steps), err);
}
