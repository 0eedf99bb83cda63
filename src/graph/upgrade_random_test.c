/*
 * Stores of every earlier version of the schema, opened by this program: what
 * they say is the same afterwards, byte for byte, and so is all that they keep;
 * a program that is killed, or whose disk fails, leaves an old store or a new
 * one. The versions are those of the table of steps (support/past.h).
 */
#include "audit/audit.h"
#include "base/buf.h"
#include "base/test.h"
#include "dump/dump.h"
#include "graph/load.h"
#include "respell/respell.h"
#include "support/indexed.h"
#include "support/literals.h"
#include "support/past.h"
#include "support/team.h"
#include "support/vfs.h"

#include <unistd.h>

enum { QUADS = 300, LONG = 200000, NODES = 8 };

/* What a store of today has, and one that nothing was ever written to. */
struct world {
    struct folder folder;
    const struct tr_model *model;
    char today[96];
    char fresh[96];
};

/* A file of the world's folder; valid until four others are asked for. */
static const char *file_of(const struct world *w, const char *name)
{
    return folder_path(&w->folder, name);
}

/* What it says ------------------------------------------------------------ */

/* Spelt otherwise than we would, in two graphs; a blank node, a loose one. */
static const char odd[] =
    "@prefix t: <trails://team/> . @prefix task: <trails://team/Task#> ."
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."
    "<trails://team/Task/odd> a t:Thing , t:Task ;"
    " <trails://team/Thing#name> \"Odd \xC3\xA9\" ; task:project \"p\" ;"
    " task:number 007 ; task:state \"open\" ; task:tags \"a\" , \"b\" ;"
    " task:hours 1e0 , +01.50 ; task:owner <trails://team/Person/gone> ;"
    " task:due \"2026-01-01T02:00:00.000+02:00\"^^xsd:dateTime ."
    "<http://e/g> { <trails://team/Task/odd> task:number +7 ; task:state \"x\" "
    "."
    " <http://e/g> <http://e/p> <http://e/g> }"
    "<http://e/\xE6\xBC\xA2> <http://e/p> [ <http://e/q> \"x\"@en ] , 5 .";

static tr_rdf_quad random_quad(const struct literal *value)
{
    static const char *const names[] = {"http://e/a", "http://e/b",
                                        "trails://team/Task/odd",
                                        "trails://team/Thing/1"};
    static const char *const predicates[] = {"http://e/p", "http://e/q",
                                             "trails://team/Task#tags",
                                             "trails://team/Task#hours"};
    static const char *const graphs[] = {"http://e/g", "http://e/h"};
    tr_rdf_quad quad = {
        .subject = tr_rdf_term_iri(tr_str_from(names[tr_test_random_below(4)])),
        .predicate =
            tr_rdf_term_iri(tr_str_from(predicates[tr_test_random_below(4)])),
        .object = value->term};
    if (tr_test_random_below(3) == 0)
        quad.graph =
            tr_rdf_term_iri(tr_str_from(graphs[tr_test_random_below(2)]));
    return quad;
}

static void put_long(const struct tr_rdf_sink *sink)
{
    static char text[LONG];
    struct tr_err err = {0};
    for (size_t i = 0; i < 2; i++) {
        memset(text, 'a' + (int)i, sizeof(text));
        tr_rdf_quad quad = {
            .subject = tr_rdf_term_iri(TR_STR("http://e/long")),
            .predicate = tr_rdf_term_iri(TR_STR("http://e/p")),
            .object = tr_rdf_term_string((tr_str){text, sizeof(text)})};
        CHECK_OK(sink->quad(sink->context, &quad, &err), &err);
    }
}

/* An import of an app that declares nothing: all is kept as it is spelt. */
static void import_all(struct team *team)
{
    struct tr_graph_load_opts opts = {.path = tr_graph_store_path(team->store),
                                      .project = TR_STR("team")};
    struct tr_graph_load *load = NULL;
    struct tr_err err = {0};
    struct literal value;
    tr_str rest = tr_str_from(odd);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    CHECK_OK(tr_graph_load_create(&opts, &load, &err), &err);
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    CHECK_OK(tr_rdf_read(TR_RDF_TRIG, &source, &sink, &err), &err);
    literal_init(&value);
    for (size_t i = 0; i < QUADS; i++) {
        literal_make_term(&value);
        tr_rdf_quad quad = random_quad(&value);
        CHECK_OK(sink.quad(sink.context, &quad, &err), &err);
    }
    literal_done(&value);
    put_long(&sink);
    CHECK_OK(tr_graph_load_finish(load, &err), &err);
    tr_graph_load_free(load);
}

static void put_right(const char *path, const struct tr_model *model)
{
    struct tr_respell_done respelt;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_respell_store(db, model, &respelt, &err), &err);
    tr_db_close(db);
    CHECK_OK(indexed_fit(path, NULL, model, &err), &err);
}

/* Calls that create, change and delete. */
static void call_some(struct team *team)
{
    char fields[128];
    char iri[64];
    tr_str made;
    bool found;
    for (size_t i = 0; i < NODES; i++) {
        struct team_call call;
        team_begin(&call, team);
        (void)snprintf(iri, sizeof(iri), "trails://team/Person/%zu", i);
        (void)snprintf(fields, sizeof(fields),
                       "{\"name\":\"N %zu\",\"email\":\"%zu@x\"}", i, i);
        CHECK_OK(team_create(&call, "Person", iri, fields, &made), &call.err);
        CHECK_OK(team_land(&call), &call.err);
        team_end(&call);
        team_begin(&call, team);
        if (i % 3)
            CHECK_OK(team_update(&call, tr_str_from(iri), "{\"name\":\"M\"}"),
                     &call.err);
        else
            CHECK_OK(tr_graph_kg_delete(&call.kg, tr_str_from(iri), NULL,
                                        &found, &call.err),
                     &call.err);
        CHECK_OK(team_land(&call), &call.err);
        team_end(&call);
    }
}

/* Rows for the tables that nothing of this has filled: what they hold is not
 * read here, and must stay. */
static const char fill_sql[] =
    "SELECT group_concat('INSERT OR IGNORE INTO ' || l.name || ' SELECT ' ||"
    " (SELECT group_concat(CASE c.type WHEN 'INTEGER' THEN 'n + ' || c.cid"
    " WHEN 'BLOB' THEN 'CAST(''b '' || n AS BLOB)' WHEN 'REAL' THEN 'n + 0.5'"
    " ELSE '''t '' || n' END) FROM pragma_table_info(l.name) AS c) ||"
    " ' FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3)"
    " WHERE NOT EXISTS (SELECT 1 FROM ' || l.name || ')', ';')"
    " FROM pragma_table_list AS l WHERE l.type = 'table'"
    " AND l.name NOT LIKE 'sqlite%'";

static void fill_tables(const char *path)
{
    struct tr_db *db = NULL;
    struct tr_db_stmt *stmt;
    struct tr_arena arena;
    struct tr_err err = {0};
    bool row;
    tr_str sql;
    tr_arena_init(&arena, TR_KIB(64));
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_prepare(db, fill_sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    CHECK(tr_arena_copy(&arena, tr_db_column_text(stmt, 0), &sql));
    tr_db_stmt_reset(stmt);
    CHECK_OK(tr_db_exec(db, sql.ptr, &err), &err);
    tr_db_close(db);
    tr_arena_done(&arena);
}

/* `is_used`: with an app that has declared all and written, not only imported.
 */
static void open_world(struct world *w, bool is_used)
{
    struct team team;
    struct tr_err err = {0};
    folder_open(&w->folder);
    w->model = team_model();
    (void)snprintf(w->today, sizeof(w->today), "%s", file_of(w, "today.db"));
    (void)snprintf(w->fresh, sizeof(w->fresh), "%s", file_of(w, "fresh.db"));
    team_open(&team);
    CHECK_OK(tr_db_backup(team.reader->db, w->fresh, &err), &err);
    import_all(&team);
    if (is_used) {
        put_right(tr_graph_store_path(team.store), w->model);
        call_some(&team);
        fill_tables(tr_graph_store_path(team.store));
    }
    CHECK_OK(tr_db_backup(team.reader->db, w->today, &err), &err);
    team_close(&team);
}

static void close_world(struct world *w)
{
    tr_model_free(w->model);
    folder_close(&w->folder);
}

/* What is compared -------------------------------------------------------- */

static void read_text(const char *path, const char *sql, struct tr_buf *out)
{
    struct tr_db *db = NULL;
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row;
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_prepare(db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    tr_buf_clear(out);
    tr_buf_put(out, tr_db_column_text(stmt, 0));
    tr_db_stmt_reset(stmt);
    tr_db_close(db);
}

static void check_equal(const struct tr_buf *a, const struct tr_buf *b)
{
    CHECK(a->failed == TR_OK && b->failed == TR_OK);
    CHECK(a->ptr && b->ptr);
    CHECK(tr_str_eq(tr_buf_str(a), tr_buf_str(b)));
}

static void check_schema(const char *path, const char *as)
{
    static const char sql[] =
        "SELECT coalesce(group_concat(name || ' ' || coalesce(sql, ''), ';'),"
        " '') || (SELECT user_version FROM pragma_user_version)"
        " FROM (SELECT * FROM sqlite_schema ORDER BY name)";
    struct tr_buf a;
    struct tr_buf b;
    tr_buf_init(&a, TR_MIB(1));
    tr_buf_init(&b, TR_MIB(1));
    read_text(path, sql, &a);
    read_text(as, sql, &b);
    check_equal(&a, &b);
    tr_buf_done(&a);
    tr_buf_done(&b);
}

static void check_same(const struct world *w, const char *before,
                       const char *after)
{
    const struct past_stores stores = {before, after, w->fresh};
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_str differs;
    tr_arena_init(&arena, TR_KIB(64));
    CHECK_OK(past_compare(&stores, &arena, &differs, &err), &err);
    CHECK_STR(differs, "");
    tr_arena_done(&arena);
}

/* All that a store says, as it is exported. */
static void dump(const char *path, struct tr_buf *out)
{
    const struct tr_dump_opts opts = {.format = TR_RDF_NQUADS,
                                      .project = TR_STR("team")};
    struct tr_rdf_output output = tr_rdf_output_buf(out);
    struct tr_graph_reader *reader = NULL;
    struct tr_err err = {0};
    tr_buf_clear(out);
    CHECK_OK(tr_graph_reader_create(path, NULL, &reader, &err), &err);
    CHECK_OK(tr_graph_reader_begin(reader, &err), &err);
    CHECK_OK(tr_dump_quads(reader, &opts, &output, &err), &err);
    tr_graph_reader_end(reader);
    tr_graph_reader_free(reader);
}

static void check_says_same(const char *a, const char *b)
{
    struct tr_buf first;
    struct tr_buf second;
    tr_buf_init(&first, TR_MIB(16));
    tr_buf_init(&second, TR_MIB(16));
    dump(a, &first);
    dump(b, &second);
    CHECK(first.len > LONG);
    check_equal(&first, &second);
    tr_buf_done(&first);
    tr_buf_done(&second);
}

static void check_sound(const char *path)
{
    struct tr_audit_compared found;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_check(db, &err), &err);
    CHECK_OK(tr_audit_compare(db, &found, &err), &err);
    CHECK_INT(found.extra + found.missing + found.unknown + found.counted, 0);
    tr_db_close(db);
}

static void copy_file(const char *from, const char *to)
{
    tr_str bytes = tr_test_read_file(from);
    FILE *file = fopen(to, "wb");
    bool good = file && fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len;
    CHECK(file && fclose(file) == 0 && good);
    free((void *)(uintptr_t)bytes.ptr);
}

/* Every version ----------------------------------------------------------- */

static tr_status open_store(const struct world *w, const char *vfs,
                            struct tr_err *err)
{
    struct tr_graph_store_opts opts = {.folder = w->folder.path, .db.vfs = vfs};
    struct tr_graph_store *store = NULL;
    TR_TRY(tr_graph_store_open(&opts, &store, err));
    tr_graph_store_close(store);
    return TR_OK;
}

/* Tables that differ are those that the old store had. */
static void check_new_tables(const struct past_stores *stores, size_t version)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_str names;
    tr_str name;
    tr_arena_init(&arena, TR_KIB(64));
    CHECK_OK(past_compare(stores, &arena, &names, &err), &err);
    for (bool more = true; more;) {
        more = tr_str_cut(names, ',', &name, &names);
        name = more ? name : names;
        CHECK(tr_arena_copy(&arena, name, &name));
        CHECK_ROW(past_version_with(name.ptr) <= version, name.ptr);
    }
    tr_arena_done(&arena);
}

static void check_version(const struct world *w, size_t version)
{
    struct tr_err err = {0};
    const char *path = file_of(w, "graph.db");
    const char *old = file_of(w, "old.db");
    CHECK_OK(past_make(w->today, path, version, &err), &err);
    copy_file(path, old);
    CHECK_OK(open_store(w, NULL, &err), &err);
    check_schema(path, w->fresh);
    check_same(w, old, path);
    check_new_tables(&(struct past_stores){path, w->fresh, w->fresh}, version);
    check_new_tables(&(struct past_stores){w->fresh, path, w->fresh}, version);
    check_says_same(path, w->today);
    check_sound(path);
    put_right(path, w->model);
    check_says_same(path, file_of(w, "right.db"));
    check_sound(path);
    CHECK(remove(path) == 0 && remove(old) == 0);
}

static void check_versions(bool is_used)
{
    struct world w;
    open_world(&w, is_used);
    copy_file(w.today, file_of(&w, "right.db"));
    put_right(file_of(&w, "right.db"), w.model);
    for (size_t version = 1; version < past_versions(); version++)
        check_version(&w, version);
    close_world(&w);
}

TEST(upgrade_of_a_store_of_every_version_keeps_what_was_imported)
{
    check_versions(false);
}

TEST(upgrade_of_a_store_of_every_version_keeps_what_an_app_has_written)
{
    check_versions(true);
}

/* Accidents --------------------------------------------------------------- */

enum accident { POWER, FAILED, FULL, ACCIDENTS };

static void arrange(enum accident accident, size_t at)
{
    vfs_reset();
    if (accident == POWER)
        vfs_cut_at(at);
    else if (accident == FAILED)
        vfs_fail_write(at);
    else
        vfs_fill_at(at);
}

/* The store of a version, or none; and what the last accident left is gone. */
static void put_store(const struct world *w, const char *old)
{
    static const char *const names[] = {"graph.db", "graph.db-wal",
                                        "graph.db-shm", "generation"};
    for (size_t i = 0; i < TR_LEN(names); i++)
        (void)remove(file_of(w, names[i]));
    if (old)
        copy_file(old, file_of(w, "graph.db"));
}

static int64_t version_of(const char *path)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    int64_t version = 0;
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_check(db, &err), &err);
    CHECK_OK(tr_db_version(db, &version, &err), &err);
    tr_db_close(db);
    return version;
}

/* It is the old one or the new one, and can be opened. */
static void check_store(const struct world *w, const char *old, size_t version,
                        tr_status opened)
{
    struct tr_err err = {0};
    const char *path = file_of(w, "graph.db");
    bool is_new = version_of(path) == (int64_t)past_versions();
    CHECK(is_new || opened != TR_OK);
    if (!is_new)
        CHECK_INT(version_of(path), version);
    if (is_new || old)
        check_schema(path, is_new ? w->fresh : old);
    if (old)
        check_same(w, old, path);
    CHECK_OK(open_store(w, NULL, &err), &err);
    check_schema(path, w->fresh);
    if (old)
        check_says_same(path, w->today);
    check_sound(path);
}

static void have_accident(const struct world *w, const char *old,
                          size_t version, size_t at)
{
    enum accident accident = (enum accident)tr_test_random_below(ACCIDENTS);
    struct tr_err err = {0};
    put_store(w, old);
    arrange(accident, at);
    tr_status opened = open_store(w, TR_TEST_VFS, &err);
    CHECK(opened == TR_OK || err.msg[0]);
    if (vfs_is_cut()) {
        vfs_recover(tr_test_random());
        (void)remove(file_of(w, "graph.db-shm")); /* it was memory */
    }
    vfs_reset();
    check_store(w, old, version, opened);
}

/* How often a disk is written to when this store is opened and closed. */
static size_t count_writes(const struct world *w, const char *old)
{
    struct tr_err err = {0};
    put_store(w, old);
    vfs_reset();
    CHECK_OK(open_store(w, TR_TEST_VFS, &err), &err);
    return vfs_writes();
}

TEST(upgrade_that_an_accident_ends_leaves_the_old_store_or_the_new)
{
    struct world w;
    struct tr_err err = {0};
    char path[128];
    size_t had = 0;
    vfs_install();
    open_world(&w, true);
    for (size_t version = 0; version < past_versions(); version++) {
        const char *old = version ? path : NULL;
        (void)snprintf(path, sizeof(path), "%s/%zu.db", w.folder.path, version);
        if (old)
            CHECK_OK(past_make(w.today, old, version, &err), &err);
        size_t writes = count_writes(&w, old);
        CHECK(writes > 1);
        for (size_t at = 1; at <= writes; at++) {
            if (tr_test_random_below(writes) >= tr_test_scaled(writes))
                continue;
            have_accident(&w, old, version, at);
            had++;
        }
    }
    CHECK(had > 0);
    close_world(&w);
}
