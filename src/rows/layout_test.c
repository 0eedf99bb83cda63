#include "rows/layout.h"

#include "base/test.h"
#include "db/backend.h"
#include "graph/schema.h"
#include "support/old_store.h"
#include "support/tables.h"

/* An old store in a folder of its own. */
struct fixture {
    struct folder folder;
    struct tr_db *db;
    struct old_store old;
};

static void open_fixture(struct fixture *fixture, size_t version)
{
    static const struct tr_db_opts opts = {.no_sync = true};
    struct tr_err err = {0};
    folder_open(&fixture->folder);
    CHECK_OK(tr_db_open(folder_path(&fixture->folder, "graph.db"), &opts,
                        &fixture->db, &err),
             &err);
    old_store_open(&fixture->old, fixture->db, version);
}

static void close_fixture(struct fixture *fixture)
{
    tr_db_close(fixture->db);
    old_store_close(&fixture->old);
    folder_close(&fixture->folder);
}

/* What must be as it was, as SQL of the old tables and of the new. */
#define NODE                                                                   \
    "s || ' ' || type || ' ' || version || ' ' || coalesce(hex(label), '-')"

static const struct {
    const char *what;
    const char *before;
    const char *after;
} kept[] = {
    {"IRIs",
     "SELECT group_concat(x) FROM (SELECT id || hex(substr(key, 2)) AS x"
     " FROM term WHERE id % 16 = 1 ORDER BY id)",
     "SELECT group_concat(x) FROM (SELECT id || hex(key) AS x FROM term"
     " ORDER BY id)"},
    {"nodes",
     "SELECT group_concat(x) FROM (SELECT " NODE " AS x FROM node ORDER BY s)",
     "SELECT group_concat(x) FROM (SELECT " NODE " AS x FROM node"
     " WHERE version > 0 ORDER BY s)"},
};

static tr_str read_text(struct fixture *fixture, const char *sql)
{
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    tr_str text = {0};
    bool row = false;
    CHECK_OK(tr_db_prepare(fixture->db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    CHECK(row);
    CHECK(
        tr_arena_copy(&fixture->old.arena, tr_db_column_text(stmt, 0), &text));
    tr_db_stmt_reset(stmt);
    return text;
}

/* Brings the store up to date, and looks at all that must be kept. */
static void upgrade(struct fixture *fixture)
{
    struct tr_err err = {0};
    tr_str before[TR_LEN(kept)];
    old_store_commit(&fixture->old);
    for (size_t i = 0; i < TR_LEN(kept); i++)
        before[i] = read_text(fixture, kept[i].before);
    int64_t epoch =
        tables_number(fixture->db, "SELECT value FROM meta WHERE key = 1");
    CHECK_OK(tr_graph_schema(fixture->db, &err), &err);
    for (size_t i = 0; i < TR_LEN(kept); i++)
        CHECK_ROW(tr_str_eq(read_text(fixture, kept[i].after), before[i]),
                  kept[i].what);
    CHECK(tables_number(fixture->db, "SELECT value FROM meta WHERE key = 1") >
          epoch);
    old_store_check_new(&fixture->old, fixture->db);
}

TEST(layout_keeps_what_stores_of_every_version_say)
{
    for (size_t version = 1; version <= OLD_STORE_VERSION; version++) {
        struct fixture fixture;
        open_fixture(&fixture, version);
        old_store_fill(&fixture.old, 300);
        upgrade(&fixture);
        close_fixture(&fixture);
    }
}

TEST(layout_makes_a_row_for_every_subject)
{
    struct fixture fixture;
    open_fixture(&fixture, OLD_STORE_VERSION);
    old_store_fill(&fixture.old, 300);
    upgrade(&fixture);
    /* The nodes, one of which says nothing, and a loose subject. */
    CHECK_INT(tables_number(fixture.db, "SELECT count(*) FROM node"), 5);
    CHECK_INT(tables_number(fixture.db,
                            "SELECT count(*) FROM node WHERE type IS NULL"
                            " AND version = 0 AND label IS NULL"),
              1);
    CHECK_INT(
        tables_number(fixture.db, "SELECT count(*) FROM node WHERE type = 0"),
        1);
    CHECK(tables_number(fixture.db, "SELECT max(length(body)) FROM node") <=
          2000);
    close_fixture(&fixture);
}

TEST(layout_leaves_no_old_table)
{
    struct fixture fixture;
    open_fixture(&fixture, OLD_STORE_VERSION);
    old_store_fill(&fixture.old, 1);
    upgrade(&fixture);
    CHECK_INT(tables_number(fixture.db,
                            "SELECT count(*) FROM sqlite_schema"
                            " WHERE name LIKE 'old%' OR sql LIKE '%old%'"),
              0);
    close_fixture(&fixture);
}

TEST(layout_takes_an_empty_store)
{
    struct fixture fixture;
    open_fixture(&fixture, OLD_STORE_VERSION);
    upgrade(&fixture);
    CHECK_INT(tables_number(fixture.db, "SELECT count(*) FROM node"), 0);
    close_fixture(&fixture);
}

TEST(layout_takes_a_text_of_16_mib)
{
    struct fixture fixture;
    open_fixture(&fixture, OLD_STORE_VERSION);
    old_store_fill(&fixture.old, 1);
    old_store_put(
        &fixture.old,
        (tr_rdf_quad){.subject = tr_rdf_term_iri(TR_STR("http://e/hub")),
                      .predicate = tr_rdf_term_iri(TR_STR("http://e/p")),
                      .object = tr_rdf_term_string(
                          old_store_text(&fixture.old, TR_LIMIT_RDF_TERM))});
    upgrade(&fixture);
    close_fixture(&fixture);
}

/* A term that is none: the store stays as it is. */
TEST(layout_refuses_a_damaged_store)
{
    static const char *const damage[] = {
        "UPDATE term SET key = x'' WHERE key = x'0278'",
        "UPDATE term SET key = x'0978' WHERE key = x'0278'",
        "UPDATE term SET key = x'03000001' WHERE key = x'0278'",
        "UPDATE term SET key = x'0300000000000000f178' WHERE key = x'0278'",
        "UPDATE term SET key = x'046465' WHERE key = x'0278'",
        "DELETE FROM term WHERE key = x'0278'",
    };
    for (size_t i = 0; i < TR_LEN(damage); i++) {
        struct fixture fixture;
        struct tr_err err = {0};
        int64_t version = 0;
        open_fixture(&fixture, OLD_STORE_VERSION);
        old_store_put(
            &fixture.old,
            (tr_rdf_quad){.subject = tr_rdf_term_iri(TR_STR("http://e/a")),
                          .predicate = tr_rdf_term_iri(TR_STR("http://e/p")),
                          .object = tr_rdf_term_string(TR_STR("x"))});
        old_store_commit(&fixture.old);
        CHECK_OK(tr_db_exec(fixture.db, damage[i], &err), &err);
        CHECK_ROW(tr_graph_schema(fixture.db, &err) == TR_E_IO, damage[i]);
        CHECK_OK(tr_db_version(fixture.db, &version, &err), &err);
        CHECK_INT(version, OLD_STORE_VERSION);
        CHECK_INT(tables_number(fixture.db, "SELECT count(*) FROM pos"), 1);
        close_fixture(&fixture);
    }
}

/* Room on the disk -------------------------------------------------------- */

static uint64_t little;

static tr_status little_room(struct tr_db *db, uint64_t *out,
                             struct tr_err *err)
{
    (void)db;
    (void)err;
    *out = little;
    return TR_OK;
}

TEST(layout_looks_for_room_first)
{
    struct fixture fixture;
    struct tr_err err = {0};
    uint64_t size = 0;
    char number[32];
    open_fixture(&fixture, OLD_STORE_VERSION);
    old_store_fill(&fixture.old, 300);
    old_store_commit(&fixture.old);
    CHECK_OK(tr_db_size(fixture.db, &size, &err), &err);
    const struct tr_db_backend *whole = fixture.db->backend;
    struct tr_db_backend full = *whole;
    full.room = little_room;
    fixture.db->backend = &full;
    little = 2 * size - 1;
    CHECK(tr_graph_schema(fixture.db, &err) == TR_E_LIMIT);
    (void)snprintf(number, sizeof(number), " %llu ",
                   (unsigned long long)size * 2);
    CHECK_ROW(strstr(err.msg, number), err.msg);
    CHECK(tables_number(fixture.db, "SELECT count(*) FROM pos") > 300);
    little = 2 * size;
    CHECK_OK(tr_graph_schema(fixture.db, &err), &err);
    old_store_check_new(&fixture.old, fixture.db);
    fixture.db->backend = whole;
    close_fixture(&fixture);
}

/* Memory ------------------------------------------------------------------ */

static tr_status take_step(void *context, struct tr_err *err)
{
    static const struct tr_db_opts opts = {.no_sync = true};
    const struct fixture *fixture = context;
    struct tr_db *db = NULL;
    TR_TRY(
        tr_db_open(folder_path(&fixture->folder, "graph.db"), &opts, &db, err));
    tr_status status = tr_db_begin(db, TR_DB_WRITE, err);
    if (status == TR_OK)
        status = tr_rows_layout(db, err);
    tr_db_close(db); /* and rolls back: the next one finds the old store */
    return status;
}

TEST(layout_gives_up_when_memory_is_short)
{
    struct fixture fixture;
    struct tr_err err = {0};
    open_fixture(&fixture, OLD_STORE_VERSION);
    old_store_fill(&fixture.old, 150);
    old_store_commit(&fixture.old);
    tr_test_sweep(take_step, &fixture);
    CHECK_OK(tr_graph_schema(fixture.db, &err), &err);
    old_store_check_new(&fixture.old, fixture.db);
    close_fixture(&fixture);
}
