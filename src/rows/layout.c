#include "rows/layout.h"

#include "base/limits.h"
#include "rows/storing.h"

/* Statements of a subject that are stored at a time, however many it has. */
#define PART       10000
#define PART_BYTES TR_MIB(4)

/* Statements whose rows of the indexes are gathered before they are written. */
#define GROUP 200000

static const char make_tables[] =
    "DROP TABLE pos; DROP TABLE ops;"
    "ALTER TABLE term RENAME TO old_term;"
    "ALTER TABLE spo RENAME TO old_spo;"
    "ALTER TABLE node RENAME TO old_node;"
    "CREATE TABLE term (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE);"
    "CREATE TABLE node (s INTEGER PRIMARY KEY, type INTEGER,"
    " version INTEGER NOT NULL, label TEXT, iri BLOB NOT NULL,"
    " body BLOB NOT NULL);"
    "CREATE TABLE spo (s INTEGER NOT NULL, p INTEGER NOT NULL,"
    " v BLOB NOT NULL, g INTEGER NOT NULL,"
    " PRIMARY KEY (s, p, v, g)) WITHOUT ROWID;"
    "CREATE TABLE pos (p INTEGER NOT NULL, k BLOB NOT NULL,"
    " s INTEGER NOT NULL, g INTEGER NOT NULL,"
    " PRIMARY KEY (p, k, s, g)) WITHOUT ROWID;"
    "CREATE TABLE ops (o INTEGER NOT NULL, p INTEGER NOT NULL,"
    " s INTEGER NOT NULL, g INTEGER NOT NULL,"
    " PRIMARY KEY (o, p, s, g)) WITHOUT ROWID;"
    "CREATE TABLE text (id INTEGER PRIMARY KEY, v BLOB NOT NULL);"
    "INSERT INTO term SELECT id, substr(key, 2) FROM old_term"
    " WHERE (id & 15) = 1 ORDER BY id;"
    "INSERT INTO meta VALUES (3, 0);";

static const char drop_tables[] =
    "DROP TABLE old_spo; DROP TABLE old_node; DROP TABLE old_term;";

/* Nodes without a statement come too. */
static const char read_subjects[] =
    "SELECT s, type, version, label FROM (SELECT DISTINCT s FROM old_spo)"
    " LEFT JOIN old_node USING (s) UNION ALL"
    " SELECT s, type, version, label FROM old_node"
    " WHERE s NOT IN (SELECT s FROM old_spo)";
static const char read_quads[] =
    "SELECT p, o, g, (SELECT key FROM old_term WHERE id = o) FROM old_spo"
    " WHERE s = ?1";

struct layout {
    struct tr_db *db;
    struct tr_rows_terms *terms;
    struct tr_arena arena; /* of a group */
    size_t count;          /* statements in the group */
    struct tr_rows_storing storing;
    tr_rdf_id s; /* the subject that is moved */
    struct tr_rows_head head;
    struct tr_rows_change part[PART]; /* of its statements */
    size_t part_count;
    size_t part_bytes;
    struct tr_err *err;
};

/* What stood before the text of a literal in its key. */
enum { TAG_STRING = 2, TAG_TYPED, TAG_LANG, ID_BYTES = 8 };

static tr_status damaged(struct layout *l)
{
    return tr_fail(l->err, TR_E_IO, "the store has a term that is none");
}

static tr_rdf_id read_id(const char *bytes)
{
    tr_rdf_id id = 0;
    for (size_t i = 0; i < ID_BYTES; i++)
        id = id << 8 | (unsigned char)bytes[i];
    return id;
}

static tr_status read_datatype(struct layout *l, tr_rdf_id id, tr_str *out)
{
    tr_rdf_term datatype;
    tr_status status = tr_rows_terms_get(l->terms, id, &datatype, l->err);
    if (status == TR_E_NOT_FOUND)
        return damaged(l);
    TR_TRY(status);
    *out = datatype.text;
    return TR_OK;
}

/* The literal of an old key. */
static tr_status read_key(struct layout *l, tr_str key, tr_rdf_term *out)
{
    tr_str rest = tr_str_skip(key, 1);
    tr_str language;
    tr_str text;
    switch (key.len ? key.ptr[0] : 0) {
    case TAG_STRING:
        *out = tr_rdf_term_string(rest);
        return TR_OK;
    case TAG_LANG:
        if (!tr_str_cut(rest, '\0', &language, &text))
            return damaged(l);
        *out = tr_rdf_term_lang(text, language);
        return TR_OK;
    case TAG_TYPED:
        if (rest.len < ID_BYTES)
            return damaged(l);
        *out = tr_rdf_term_typed(tr_str_skip(rest, ID_BYTES), TR_STR(""));
        return read_datatype(l, read_id(rest.ptr), &out->datatype);
    default:
        return damaged(l);
    }
}

static tr_status read_quad(struct layout *l, struct tr_db_stmt *stmt,
                           struct tr_rows_change *out)
{
    tr_rdf_id o = (tr_rdf_id)tr_db_column_i64(stmt, 1);
    tr_rdf_term term;
    *out = (struct tr_rows_change){
        .quad = {l->s, (tr_rdf_id)tr_db_column_i64(stmt, 0), o,
                 (tr_rdf_id)tr_db_column_i64(stmt, 2)},
        .is_added = true,
    };
    if (!tr_rows_id_is_literal(o) || tr_rows_id_is_inline(o))
        return TR_OK;
    tr_str key = tr_db_column_blob(stmt, 3);
    l->part_bytes += key.len;
    TR_TRY(read_key(l, key, &term));
    return tr_rows_terms_find(l->terms, &term, &out->quad.o, l->err);
}

static tr_status end_group(struct layout *l)
{
    TR_TRY(tr_rows_storing_finish(&l->storing));
    tr_arena_reset(&l->arena);
    l->count = 0;
    return TR_OK;
}

/* The first part makes the row, the others add to it. */
static tr_status end_part(struct layout *l)
{
    TR_TRY(tr_rows_storing_subject(&l->storing, l->part, l->part_count, l->s,
                                   &l->head));
    l->head = (struct tr_rows_head){.is_kept = true};
    l->count += l->part_count;
    l->part_count = l->part_bytes = 0;
    tr_rows_terms_trim(l->terms);
    return l->count < GROUP ? TR_OK : end_group(l);
}

static tr_status move_quad(struct layout *l, struct tr_db_stmt *stmt)
{
    TR_TRY(read_quad(l, stmt, &l->part[l->part_count]));
    l->part_count++;
    return l->part_count < PART && l->part_bytes < PART_BYTES ? TR_OK
                                                              : end_part(l);
}

/* Calls `move` with every row; `stmt` has its parameters. */
static tr_status move_rows(struct layout *l, struct tr_db_stmt *stmt,
                           tr_status (*move)(struct layout *l,
                                             struct tr_db_stmt *stmt))
{
    bool row;
    TR_TRY(tr_db_stmt_step(stmt, &row, l->err));
    while (row) {
        tr_status status = move(l, stmt);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, l->err));
    }
    return TR_OK;
}

static tr_status move_subject(struct layout *l, struct tr_db_stmt *stmt)
{
    struct tr_db_stmt *quads;
    l->s = (tr_rdf_id)tr_db_column_i64(stmt, 0);
    l->head = (struct tr_rows_head){
        .is_node = tr_db_column_i64(stmt, 2) > 0,
        .type = (tr_rdf_id)tr_db_column_i64(stmt, 1),
        .version = tr_db_column_i64(stmt, 2),
        .label = tr_db_column_text(stmt, 3),
        .is_new = true,
    };
    TR_TRY(tr_db_prepare(l->db, read_quads, &quads, l->err));
    tr_db_bind_i64(quads, 1, (int64_t)l->s);
    TR_TRY(move_rows(l, quads, move_quad));
    return l->part_count || l->head.is_new ? end_part(l) : TR_OK;
}

static tr_status move_all(struct layout *l)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(l->db, read_subjects, &stmt, l->err));
    TR_TRY(move_rows(l, stmt, move_subject));
    return end_group(l);
}

/* Old and new tables stand side by side until the end, and the log has both. */
static tr_status check_room(struct tr_db *db, struct tr_err *err)
{
    uint64_t bytes;
    uint64_t room;
    TR_TRY(tr_db_size(db, &bytes, err));
    TR_TRY(tr_db_room(db, &room, err));
    if (room / 2 >= bytes)
        return TR_OK;
    return tr_fail(err, TR_E_LIMIT,
                   "the store has to be brought up to date, which needs %llu "
                   "bytes on the disk; there are %llu",
                   (unsigned long long)bytes * 2, (unsigned long long)room);
}

static tr_status rewrite(struct layout *l)
{
    TR_TRY(tr_db_exec(l->db, make_tables, l->err));
    tr_rows_storing_init(&l->storing, l->db, l->terms, &l->arena, l->err);
    tr_status status = move_all(l);
    tr_rows_storing_done(&l->storing);
    TR_TRY(status);
    TR_TRY(tr_db_exec(l->db, drop_tables, l->err));
    /* Nobody takes the ids of literals that it remembers for others. */
    return tr_db_exec(l->db, "UPDATE meta SET value = value + 1 WHERE key = 1",
                      l->err);
}

tr_status tr_rows_layout(struct tr_db *db, struct tr_err *err)
{
    TR_TRY(check_room(db, err));
    struct layout *l = calloc(1, sizeof(*l));
    if (!l)
        return tr_fail(err, TR_E_NOMEM,
                       "no memory to bring a store up to date");
    l->db = db;
    l->err = err;
    tr_arena_init(&l->arena, TR_LIMIT_GRAPH_TABLE);
    tr_status status = tr_rows_terms_create(db, &l->terms, err);
    if (status == TR_OK)
        status = rewrite(l);
    tr_rows_terms_free(l->terms);
    tr_arena_done(&l->arena);
    free(l);
    return status;
}
