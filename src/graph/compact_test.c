#include "base/test.h"
#include "dump/dump.h"
#include "graph/upkeep.h"
#include "model/model.h"
#include "support/store.h"

#define PREFIXES                                                               \
    "@prefix t: <trails://team/> . @prefix e: <http://e/> .\n"                 \
    "@prefix thing: <trails://team/Thing#> .\n"

#define TERMS "SELECT count(*) FROM term"

/* Whether bytes are in a file of the store. */
static bool has_bytes(const struct store *store, const char *name,
                      const char *bytes)
{
    tr_str text = {0};
    const char *path = folder_path(&store->folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    (void)fclose(file);
    text = tr_test_read_file(path);
    bool found = text.len && memmem(text.ptr, text.len, bytes, strlen(bytes));
    free((void *)(uintptr_t)text.ptr);
    return found;
}

static bool is_in_files(const struct store *store, const char *bytes)
{
    return has_bytes(store, "graph.db", bytes) ||
           has_bytes(store, "graph.db-wal", bytes);
}

/* Takes a node out as a landing does, but leaves its terms. */
static void drop(struct store *store, const char *iri)
{
    static const char *const sql[] = {
        "DELETE FROM pos WHERE s = ?1", "DELETE FROM ops WHERE s = ?1",
        "DELETE FROM spo WHERE s = ?1", "DELETE FROM node WHERE s = ?1",
        "DELETE FROM search WHERE rowid = ?1"};
    struct tr_db *db = NULL;
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    tr_rdf_id id = store_id(store, iri);
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    for (size_t i = 0; i < TR_LEN(sql); i++) {
        CHECK_OK(tr_db_prepare(db, sql[i], &stmt, &err), &err);
        tr_db_bind_i64(stmt, 1, (int64_t)id);
        CHECK_OK(tr_db_stmt_run(stmt, &err), &err);
    }
    tr_db_close(db);
}

TEST(compact_leaves_no_byte_of_what_was_deleted)
{
    const struct tr_model *model = store_model();
    struct tr_graph_compacted counts = {0};
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, model,
                        PREFIXES
                        "e:a a t:Thing ; thing:title \"kept marzipan\" .\n"
                        "e:b a t:Thing ; thing:title \"xyzzyplugh forgotten\".",
                        0, &err),
             &err);
    CHECK_OK(tr_graph_compact(store.path, NULL, &counts, &err), &err);
    CHECK(is_in_files(&store, "xyzzyplugh"));
    drop(&store, "http://e/b");
    CHECK_OK(tr_graph_compact(store.path, NULL, &counts, &err), &err);
    CHECK(!is_in_files(&store, "xyzzyplugh"));
    CHECK(!is_in_files(&store, "forgotten"));
    CHECK(is_in_files(&store, "marzipan"));
    CHECK_INT(store_number(&store,
                           "SELECT count(*) FROM search WHERE search MATCH "
                           "'marzipan'",
                           0),
              1);
    /* Its IRI stays as long as the feed names it. */
    CHECK(is_in_files(&store, "http://e/b"));
    CHECK_INT(counts.removed, 1);
    CHECK_INT(counts.terms - counts.removed, store_number(&store, TERMS, 0));
    CHECK_OK(tr_db_check(store.reader->db, &err), &err);
    store_close(&store);
    tr_model_free(model);
}

/* A result may quote what was deleted. */
TEST(compact_leaves_no_kept_result)
{
    struct tr_graph_compacted counts = {0};
    struct store store;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_exec(db,
                        "INSERT INTO kept VALUES (x'00', x'00',"
                        " CAST('a-kept-secret' AS BLOB), 99999999999)",
                        &err),
             &err);
    tr_db_close(db);
    CHECK(is_in_files(&store, "a-kept-secret"));
    CHECK_OK(tr_graph_compact(store.path, NULL, &counts, &err), &err);
    CHECK(!is_in_files(&store, "a-kept-secret"));
    store_close(&store);
}

TEST(compact_gives_no_id_twice_and_raises_the_epoch)
{
    struct tr_graph_compacted counts = {0};
    struct store store;
    struct tr_err err = {0};
    int64_t before = 0;
    int64_t after = 0;
    store_open(&store);
    CHECK_OK(tr_graph_compact(store.path, NULL, &counts, &err), &err);
    CHECK_OK(
        store_load(&store, NULL, PREFIXES "e:a e:p \"zz\", \"zzz\" .", 0, &err),
        &err);
    int64_t highest = store_number(&store, "SELECT max(id) FROM term", 0);
    CHECK_OK(tr_graph_epoch_read(store.reader->db, &before, &err), &err);
    drop(&store, "http://e/a");
    for (int i = 0; i < 2; i++)
        CHECK_OK(tr_graph_compact(store.path, NULL, &counts, &err), &err);
    CHECK_OK(tr_graph_epoch_read(store.reader->db, &after, &err), &err);
    CHECK_INT(after, before + 2);
    CHECK(store_number(&store, "SELECT max(id) FROM term", 0) < highest);
    tr_graph_terms_forget(store.reader->terms);
    CHECK_OK(store_load(&store, NULL, PREFIXES "e:a e:p e:new .", 0, &err),
             &err);
    CHECK(store_number(&store, "SELECT max(id) FROM term", 0) > highest);
    store_close(&store);
}

/* Datatypes are used by literals alone, classes by counts. */
TEST(compact_keeps_what_is_used)
{
    static const char text[] =
        PREFIXES "e:g { e:a a e:C ; e:p \"1\"^^e:type , \"x\"@en , 1.5 . }";
    struct tr_graph_compacted counts = {0};
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, NULL, text, 0, &err), &err);
    CHECK_OK(tr_graph_compact(store.path, NULL, &counts, &err), &err);
    CHECK_INT(counts.removed, 0);
    CHECK_OK(store_load(&store, NULL, text, 0, &err), &err);
    CHECK_INT(store_number(&store, "SELECT count(*) FROM spo", 0), 4);
    store_close(&store);
}

TEST(compact_says_who_keeps_it_waiting)
{
    struct tr_db_opts opts = {.busy_ms = 1};
    struct tr_graph_compacted counts = {0};
    struct store store;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_INT(tr_graph_compact(store.path, &opts, &counts, &err),
              TR_E_UNAVAILABLE);
    CHECK_STR(tr_str_from(err.msg),
              "another process is writing to the store: try again");
    tr_db_rollback(db);
    CHECK_OK(tr_graph_reader_begin(store.reader, &err), &err);
    CHECK_INT(tr_graph_compact(store.path, &opts, &counts, &err),
              TR_E_UNAVAILABLE);
    CHECK_STR(tr_str_from(err.msg),
              "another process still reads an old state of the store");
    tr_graph_reader_end(store.reader);
    CHECK_OK(tr_graph_compact(store.path, &opts, &counts, &err), &err);
    tr_db_close(db);
    store_close(&store);
}

static tr_status compact(void *context, struct tr_err *err)
{
    struct tr_graph_compacted counts;
    const struct store *store = context;
    return tr_graph_compact(store->path, NULL, &counts, err);
}

TEST(compact_survives_every_allocation_that_fails)
{
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, NULL, PREFIXES "e:a e:p 1.5 .", 0, &err), &err);
    tr_test_sweep(compact, &store);
    store_close(&store);
}
