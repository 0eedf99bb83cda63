/*
 * Single faults in the tables of a random store, each of which
 * tr_rows_verify must find.
 *
 * No fault, since nothing can tell: another IRI where no node has it (a
 * predicate's, say), and a node of which nothing is said that is not there.
 */
#include "base/test.h"
#include "rows/storing.h"
#include "rows/verify.h"
#include "support/quads.h"
#include "support/tables.h"

/* A random store ---------------------------------------------------------- */

enum { SUBJECTS = 6, STATEMENTS = 60 };

static tr_rdf_id intern_iri(struct tables *tables, const char *kind, size_t i)
{
    tr_rdf_term term = tables_iri(tables, kind, i);
    return tables_intern(tables, &term);
}

static tr_rdf_id random_object(struct tables *tables)
{
    static const int widths[] = {1, 8, 30, 70, 90, 1200};
    char text[1300];
    size_t value = (size_t)tr_test_random_below(40);
    if (tr_test_random_below(5) == 0)
        return intern_iri(tables, "s", value % (SUBJECTS + 2));
    (void)snprintf(text, sizeof(text), "%0*zu",
                   widths[tr_test_random_below(TR_LEN(widths))], value);
    tr_rdf_term term = tr_rdf_term_string(tr_str_from(text));
    uint64_t kind = tr_test_random_below(8);
    if (kind == 0)
        term = tr_rdf_term_lang(term.text, TR_STR("en"));
    else if (kind < 4)
        term = tr_rdf_term_typed(term.text,
                                 kind == 1   ? TR_STR("http://e/type")
                                 : kind == 2 ? TR_STR(TR_RDF_IRI_XSD_DECIMAL)
                                             : TR_STR(TR_RDF_IRI_XSD_INTEGER));
    return tables_intern(tables, &term);
}

/* Statements of one subject; one in three is a hub. */
static size_t make_changes(struct tables *tables, size_t subject,
                           struct tr_rows_change *out)
{
    size_t count = 0;
    size_t wanted =
        subject % 3 ? 1 + (size_t)tr_test_random_below(12) : STATEMENTS;
    while (count < wanted) {
        tr_rdf_ids quad = {intern_iri(tables, "s", subject),
                           intern_iri(tables, "p", tr_test_random_below(2)),
                           random_object(tables), TR_RDF_ID_DEFAULT_GRAPH};
        if (tr_test_random_below(2))
            quad.g = intern_iri(tables, "g", tr_test_random_below(3));
        size_t i = 0;
        while (i < count && memcmp(&out[i].quad, &quad, sizeof(quad)) != 0)
            i++;
        if (i == count)
            out[count++] = (struct tr_rows_change){quad, true};
    }
    return count;
}

static void fill(struct tables *tables)
{
    struct tr_rows_change changes[STATEMENTS];
    struct tr_rows_storing storing;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(64));
    tr_rows_storing_init(&storing, tables->db, tables->terms, &arena, &err);
    for (size_t i = 0; i < SUBJECTS; i++) {
        size_t count = make_changes(tables, i, changes);
        struct tr_rows_head head = {.is_node = i % 2,
                                    .type = intern_iri(tables, "class", 0),
                                    .version = 1,
                                    .is_new = true};
        CHECK_OK(tr_rows_storing_subject(&storing, changes, count,
                                         changes[0].quad.s, &head),
                 &err);
    }
    CHECK_OK(tr_rows_storing_finish(&storing), &err);
    tr_rows_storing_done(&storing);
    tr_arena_done(&arena);
}

static void open_filled(struct tables *tables)
{
    struct tr_err err = {0};
    tables_open(tables);
    tables_begin(tables);
    fill(tables);
    tables_commit(tables);
    CHECK_OK(tr_rows_verify(tables->db, &err), &err);
}

/* Faults ------------------------------------------------------------------ */

/* One row, the ?1-th, is changed; ?2 is a random number from 1 on. `bytes`
 * selects a blob instead, of which a byte becomes another, and ?2 is that. */
struct fault {
    const char *rows; /* how many there are to choose from */
    const char *bytes;
    const char *change;
};

#define COUNT(table) "SELECT count(*) FROM " table
#define ROW(table, key)                                                        \
    " WHERE (" key ") = (SELECT " key " FROM " table " LIMIT 1 OFFSET ?1)"
#define DELETE(table, key)                                                     \
    {                                                                          \
        COUNT(table), NULL, "DELETE FROM " table ROW(table, key)               \
    }
#define ADD(table, key, column)                                                \
    {                                                                          \
        COUNT(table), NULL,                                                    \
            "UPDATE " table " SET " column " = " column                        \
            " + ?2" ROW(table, key)                                            \
    }
#define FLIP(table, key, column)                                               \
    {                                                                          \
        COUNT(table), "SELECT " column " FROM " table " LIMIT 1 OFFSET ?1",    \
            "UPDATE " table " SET " column " = ?2" ROW(table, key)             \
    }
#define INSERT(table, columns)                                                 \
    {                                                                          \
        COUNT(table), NULL,                                                    \
            "INSERT INTO " table " SELECT " columns " FROM " table             \
            " LIMIT 1 OFFSET ?1"                                               \
    }

#define POS "p, k, s, g"
#define OPS "o, p, s, g"
#define SPO "s, p, v, g"

static const struct fault faults[] = {
    DELETE("pos", POS),
    ADD("pos", POS, "p"),
    ADD("pos", POS, "s"),
    ADD("pos", POS, "g"),
    FLIP("pos", POS, "k"),
    INSERT("pos", "p, k, s, g + ?2"),
    INSERT("pos", "p, k, s + ?2, g"),
    DELETE("ops", OPS),
    ADD("ops", OPS, "o"),
    ADD("ops", OPS, "p"),
    ADD("ops", OPS, "s"),
    ADD("ops", OPS, "g"),
    INSERT("ops", "o, p, s, g + ?2"),
    INSERT("ops", "o + ?2, p, s, g"),
    DELETE("spo", SPO),
    ADD("spo", SPO, "s"),
    ADD("spo", SPO, "p"),
    ADD("spo", SPO, "g"),
    FLIP("spo", SPO, "v"),
    INSERT("spo", "s, p, v, g + ?2"),
    INSERT("spo", "s, p + ?2, v, g"),
    DELETE("text", "id"),
    ADD("text", "id", "id"),
    FLIP("text", "id", "v"),
    INSERT("text", "(SELECT max(id) FROM text) + ?2, v"),
    DELETE("term", "id"),
    ADD("term", "id", "id"),
    {COUNT("node"),
     "SELECT key FROM term JOIN node ON id = s LIMIT 1 OFFSET ?1",
     "UPDATE term SET key = ?2 WHERE id ="
     " (SELECT id FROM term JOIN node ON id = s LIMIT 1 OFFSET ?1)"},
    DELETE("node", "s"),
    ADD("node", "s", "s"),
    FLIP("node", "s", "iri"),
    FLIP("node", "s", "body"),
    FLIP("node", "s", "body"),
    FLIP("node", "s", "body"),
    {COUNT("node"), NULL, "UPDATE node SET body = x''" ROW("node", "s")},
    {COUNT("node"), NULL,
     "UPDATE node SET version = -version - ?2" ROW("node", "s")},
    {COUNT("node"), NULL,
     "UPDATE node SET version = iif(version, 0, ?2)" ROW("node", "s")},
    {COUNT("node"), NULL,
     "UPDATE node SET type = iif(version, NULL, 0)" ROW("node", "s")},
    {COUNT("node"), NULL,
     "UPDATE node SET type = coalesce(type, 0) + ?2"
     " * iif(?2 % 16, 1, 1000)" ROW("node", "s")},
    {"SELECT 1", NULL, "UPDATE meta SET value = value + ?2 WHERE key = 3"},
    {"SELECT 1", NULL, "DELETE FROM meta WHERE key = 3"},
};

/* The bytes of a row with one of them changed. */
static tr_str flip(struct tables *tables, const char *sql, int64_t at,
                   char room[4096])
{
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    bool row = false;
    CHECK_OK(tr_db_prepare(tables->db, sql, &stmt, &err), &err);
    tr_db_bind_i64(stmt, 1, at);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    tr_str bytes = tr_db_column_blob(stmt, 0);
    CHECK(row && bytes.len > 0 && bytes.len <= 4096);
    memcpy(room, bytes.ptr, bytes.len);
    room[tr_test_random_below(bytes.len)] ^=
        (char)(1 + tr_test_random_below(255));
    tr_db_stmt_reset(stmt);
    return (tr_str){room, bytes.len};
}

/* False when there is no such row, or another is where it would go. */
static bool make_fault(struct tables *tables, const struct fault *fault)
{
    char room[4096];
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    int64_t rows = tables_number(tables->db, fault->rows);
    if (rows == 0)
        return false;
    int64_t at = (int64_t)tr_test_random_below((uint64_t)rows);
    tr_str bytes = {0};
    if (fault->bytes)
        bytes = flip(tables, fault->bytes, at, room);
    CHECK_OK(tr_db_prepare(tables->db, fault->change, &stmt, &err), &err);
    if (strstr(fault->change, "?1"))
        tr_db_bind_i64(stmt, 1, at);
    if (fault->bytes)
        tr_db_bind_blob(stmt, 2, bytes);
    else if (strstr(fault->change, "?2"))
        tr_db_bind_i64(stmt, 2, 1 + (int64_t)tr_test_random_below(64));
    tr_status status = tr_db_stmt_run(stmt, &err);
    if (status == TR_E_CONFLICT)
        return false;
    CHECK_OK(status, &err);
    CHECK_INT(tr_db_changes(tables->db), 1);
    return true;
}

static bool try_fault(struct tables *tables, const struct fault *fault)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_begin(tables->db, TR_DB_WRITE, &err), &err);
    bool made = make_fault(tables, fault);
    if (made) {
        CHECK_ROW(tr_rows_verify(tables->db, &err) == TR_E_IO, fault->change);
        CHECK(err.msg[0]);
    }
    tr_db_rollback(tables->db);
    CHECK_OK(tr_rows_verify(tables->db, &err), &err);
    return made;
}

/* Every kind of fault in each store, so that all have their turn. */
TEST(verify_finds_each_single_fault)
{
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        struct tables tables;
        size_t made = 0;
        open_filled(&tables);
        for (size_t i = 0; i < TR_LEN(faults); i++)
            made += try_fault(&tables, &faults[i]);
        CHECK(made > TR_LEN(faults) / 2);
        tables_close(&tables);
    }
}

/* Lets the second statement of a body have the text of the first. */
static void share_text(tr_str body, char *room)
{
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    tr_pack_statement first;
    tr_pack_statement second;
    CHECK(tr_pack_cursor_next(&cursor, &first));
    CHECK(tr_pack_cursor_next(&cursor, &second));
    CHECK(first.v.ptr[0] == TR_PACK_LONG && first.v.len == second.v.len);
    memcpy(room, body.ptr, body.len);
    memcpy(room + (second.v.ptr - body.ptr), first.v.ptr, first.v.len);
}

/* Each has the right text, but the first that goes takes it from the other. */
TEST(verify_finds_statements_that_share_a_text)
{
    struct tables tables;
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    char text[1200];
    char room[4096];
    bool row;
    open_filled(&tables);
    memset(text, 'x', sizeof(text));
    tr_rdf_term term = tr_rdf_term_string((tr_str){text, sizeof(text)});
    CHECK_OK(tr_db_begin(tables.db, TR_DB_WRITE, &err), &err);
    tr_rdf_id s = intern_iri(&tables, "sharing", 0);
    for (size_t i = 0; i < 2; i++) {
        tr_rdf_ids quad = {s, intern_iri(&tables, "p", 0),
                           tables_intern(&tables, &term),
                           intern_iri(&tables, "g", i)};
        CHECK_OK(quads_change(tables.db, tables.terms, quad, true, &row, &err),
                 &err);
    }
    CHECK_OK(tr_rows_verify(tables.db, &err), &err);
    CHECK_OK(tr_db_prepare(tables.db, "SELECT body FROM node WHERE s = ?1",
                           &stmt, &err),
             &err);
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    tr_str body = tr_db_column_blob(stmt, 0);
    share_text(body, room);
    tr_db_stmt_reset(stmt);
    CHECK_OK(tr_db_prepare(tables.db, "UPDATE node SET body = ?2 WHERE s = ?1",
                           &stmt, &err),
             &err);
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    tr_db_bind_blob(stmt, 2, (tr_str){room, body.len});
    CHECK_OK(tr_db_stmt_run(stmt, &err), &err);
    CHECK(tr_rows_verify(tables.db, &err) == TR_E_IO);
    CHECK_ROW(strstr(err.msg, "share"), err.msg);
    tables_close(&tables);
}
