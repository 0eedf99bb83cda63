#include "graph/owner.h"

#include "base/test.h"
#include "graph/store.h"
#include "support/store.h"

/* Whose the store is, as one who opens it finds it. */
static struct tr_graph_owner owner_of(struct store *store)
{
    struct tr_graph_owner owner;
    struct tr_err err = {0};
    CHECK_OK(tr_graph_owner_peek(store->folder.path, &owner, &err), &err);
    return owner;
}

static void exec(struct store *store, const char *sql)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_exec(db, sql, &err), &err);
    tr_db_close(db);
}

static tr_status claim(struct store *store, const char *name, bool is_read_only)
{
    struct tr_graph_owner owner;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    tr_status status =
        tr_graph_owner_claim(db, tr_str_from(name), is_read_only, &owner, &err);
    tr_db_close(db);
    return status;
}

TEST(owner_is_found_in_the_iris_of_nodes_and_classes)
{
    static const struct {
        const char *text;
        const char *name;
        const char *other;
    } rows[] = {
        {"", "", ""},
        {"<http://e/a> a <http://e/T> .", "", ""},
        {"<http://e/a> a <trails://shop/T> .", "shop", ""},
        {"<trails://shop/T/1> a <http://e/T> .", "shop", ""},
        {"<trails://b/T/1> a <trails://a/T> .", "a", "b"},
        {"<trails://a/T/1> a <trails://a/T> . <trails://a-b/1> a <http://e/T> "
         ".",
         "a-b", "a"},
        {"<trails://c/1> a <trails://b/T> . <trails://a/1> a <http://e/T> .",
         "a", "b"},
        /* What is only mentioned is nobody's. */
        {"<trails://a/1> a <trails://a/T> ; <trails://b/p> <trails://c/2> .",
         "a", ""},
        {"<http://e/a> <trails://a/p> <trails://b/x> .", "", ""},
        /* Names that no project has. */
        {"<trails://kg/T/1> a <trails://prov/T> .", "", ""},
        {"<trails://A/1> a <trails://a.b/T> , <trails://-a/T> .", "", ""},
        {"<trails://a> a <trails://a#T> , <trails://a?x> .", "", ""},
        {"<trails:///1> a <trails://a%20/T> , <trails:/a/T> .", "", ""},
        {"<trails://0123456789012345678901234567890123456789012345678901234567"
         "89abc/1> a <http://e/T> .",
         "0123456789012345678901234567890123456789012345678901234567"
         "89abc",
         ""},
        {"<trails://0123456789012345678901234567890123456789012345678901234567"
         "89abcd/1> a <http://e/T> .",
         "", ""},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct store store;
        struct tr_err err = {0};
        store_open(&store);
        CHECK_OK(store_load(&store, NULL, rows[i].text, 0, &err), &err);
        struct tr_graph_owner owner = owner_of(&store);
        CHECK_ROW(strcmp(owner.name, rows[i].name) == 0, rows[i].text);
        CHECK_ROW(strcmp(owner.other, rows[i].other) == 0, rows[i].text);
        CHECK(!owner.is_remembered);
        store_close(&store);
    }
}

TEST(owner_that_is_remembered_goes_before_what_iris_say)
{
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_INT(claim(&store, "shop", true), TR_OK);
    CHECK(!owner_of(&store).is_remembered);
    CHECK_INT(claim(&store, "0042", false), TR_OK);
    CHECK(owner_of(&store).is_remembered);
    CHECK_STR(tr_str_from(owner_of(&store).name), "0042");
    CHECK_OK(
        store_load(&store, NULL, "<trails://a/1> a <trails://b/T> .", 0, &err),
        &err);
    CHECK_STR(tr_str_from(owner_of(&store).name), "0042");
    CHECK_INT(claim(&store, "0042", false), TR_OK);
    CHECK_INT(claim(&store, "42", false), TR_E_CONFLICT);
    CHECK_INT(claim(&store, "a", true), TR_E_CONFLICT);
    CHECK_STR(tr_str_from(owner_of(&store).name), "0042");
    store_close(&store);
}

TEST(owner_of_a_store_of_before_is_claimed_by_nobody_else)
{
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(
        store_load(&store, NULL, "<trails://a/1> a <trails://a/T> .", 0, &err),
        &err);
    exec(&store, "DROP TABLE project");
    CHECK_STR(tr_str_from(owner_of(&store).name), "a");
    exec(&store, "CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT)");
    CHECK_INT(claim(&store, "b", false), TR_E_CONFLICT);
    CHECK_INT(claim(&store, "a", false), TR_OK);
    CHECK(owner_of(&store).is_remembered);
    exec(&store, "DELETE FROM project");
    CHECK_OK(
        store_load(&store, NULL, "<trails://b/1> a <trails://a/T> .", 0, &err),
        &err);
    CHECK_INT(claim(&store, "a", false), TR_E_CONFLICT);
    CHECK_INT(claim(&store, "b", false), TR_E_CONFLICT);
    store_close(&store);
}

TEST(owner_is_nobody_where_there_is_no_store)
{
    struct folder folder;
    struct tr_graph_owner owner;
    struct tr_err err = {0};
    folder_open(&folder);
    CHECK_OK(tr_graph_owner_peek(folder.path, &owner, &err), &err);
    CHECK_STR(tr_str_from(owner.name), "");
    CHECK_OK(tr_graph_owner_peek("/nowhere/at/all", &owner, &err), &err);
    CHECK_OK(tr_graph_owner_peek(":memory:", &owner, &err), &err);
    CHECK_STR(tr_str_from(owner.name), "");
    folder_close(&folder);
}

/* Whoever has claimed a store reads no other project's. */
TEST(owner_changes_and_its_readers_are_refused)
{
    struct folder folder;
    struct tr_graph_store *store = NULL;
    struct tr_graph_reader *reader = NULL;
    struct tr_graph_owner owner;
    struct tr_graph_renaming back = {.to = TR_STR("shop")};
    struct tr_graph_renaming away = {.to = TR_STR("depot")};
    struct tr_graph_renamed renamed;
    struct tr_err err = {0};
    folder_open(&folder);
    CHECK_OK(
        tr_graph_store_open(
            &(struct tr_graph_store_opts){.folder = folder.path}, &store, &err),
        &err);
    CHECK_OK(tr_graph_store_claim(store, TR_STR("shop"), &owner, &err), &err);
    CHECK_OK(tr_graph_store_reader(store, &reader, &err), &err);
    CHECK_OK(tr_graph_reader_begin(reader, &err), &err);
    tr_graph_reader_end(reader);
    CHECK_OK(tr_graph_rename(tr_graph_store_path(store), &away, &renamed, &err),
             &err);
    for (int i = 0; i < 2; i++)
        CHECK_INT(tr_graph_reader_begin(reader, &err), TR_E_UNAVAILABLE);
    CHECK_STR(tr_str_from(err.msg),
              "the store is of project 'depot' now, not of 'shop'");
    CHECK_INT(tr_graph_store_claim(store, TR_STR("shop"), &owner, &err),
              TR_E_CONFLICT);
    CHECK_STR(tr_str_from(owner.name), "depot");
    CHECK_OK(tr_graph_rename(tr_graph_store_path(store), &back, &renamed, &err),
             &err);
    CHECK_OK(tr_graph_reader_begin(reader, &err), &err);
    tr_graph_reader_end(reader);
    tr_graph_reader_free(reader);
    tr_graph_store_close(store);
    folder_close(&folder);
}

static tr_status write_nothing(struct tr_db_write *write, struct tr_db *db,
                               struct tr_err *err)
{
    (void)write;
    return tr_db_exec(db, "DELETE FROM spo", err);
}

static void written(struct tr_db_write *write)
{
    tr_loop_release(write->loop);
}

static tr_status write_once(struct tr_graph_store *store, struct tr_err *err)
{
    struct tr_db_write write = {.run = write_nothing, .done = written};
    CHECK_OK(tr_loop_create(NULL, &write.loop, err), err);
    tr_loop_hold(write.loop);
    CHECK_OK(tr_db_writer_submit(tr_graph_store_writer(store), &write, err),
             err);
    tr_loop_run(write.loop);
    tr_loop_free(write.loop);
    *err = write.err;
    return write.status;
}

/* Nor does it write to one, until the store is its own again. */
TEST(owner_changes_and_its_writer_is_refused)
{
    struct folder folder;
    struct tr_graph_store *store = NULL;
    struct tr_graph_owner owner;
    struct tr_graph_renaming asked = {.to = TR_STR("depot")};
    struct tr_graph_renamed renamed;
    struct tr_err err = {0};
    folder_open(&folder);
    CHECK_OK(
        tr_graph_store_open(
            &(struct tr_graph_store_opts){.folder = folder.path}, &store, &err),
        &err);
    CHECK_OK(tr_graph_store_claim(store, TR_STR("shop"), &owner, &err), &err);
    CHECK_OK(write_once(store, &err), &err);
    CHECK_OK(
        tr_graph_rename(tr_graph_store_path(store), &asked, &renamed, &err),
        &err);
    for (int i = 0; i < 2; i++)
        CHECK_INT(write_once(store, &err), TR_E_UNAVAILABLE);
    CHECK_STR(tr_str_from(err.msg),
              "the store is of project 'depot' now, not of 'shop'");
    asked.to = TR_STR("shop");
    CHECK_OK(
        tr_graph_rename(tr_graph_store_path(store), &asked, &renamed, &err),
        &err);
    CHECK_OK(write_once(store, &err), &err);
    tr_graph_store_close(store);
    folder_close(&folder);
}

static tr_status read_once(void *context, struct tr_err *err)
{
    const struct store *store = context;
    struct tr_graph_owner owner;
    return tr_graph_owner_peek(store->folder.path, &owner, err);
}

TEST(owner_survives_each_allocation_that_fails)
{
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, NULL,
                        "<trails://a/1> a <trails://a/T> . <trails://b/1> a "
                        "<trails://kg/T> .",
                        0, &err),
             &err);
    tr_test_sweep(read_once, &store);
    store_close(&store);
}
