/*
 * The step from the old layout: of random stores, of a hub, and of a store
 * whose machine loses power while it is taken.
 */
#include "base/test.h"
#include "graph/schema.h"
#include "support/literals.h"
#include "support/old_store.h"
#include "support/tables.h"
#include "support/vfs.h"

static void open_db(const struct folder *folder, const struct tr_db_opts *opts,
                    struct tr_db **out)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(folder_path(folder, "graph.db"), opts, out, &err),
             &err);
}

/* Random stores ----------------------------------------------------------- */

static tr_rdf_term random_iri(struct old_store *old, size_t below)
{
    char text[32];
    tr_str copy;
    (void)snprintf(text, sizeof(text), "http://e/%zu",
                   (size_t)tr_test_random_below(below));
    CHECK(tr_arena_copy(&old->arena, tr_str_from(text), &copy));
    return tr_rdf_term_iri(copy);
}

static void put_random(struct old_store *old, struct literal *literal)
{
    tr_rdf_quad quad = {.subject = random_iri(old, 12),
                        .predicate = random_iri(old, 5)};
    literal_make_term(literal);
    quad.object = literal->term;
    for (size_t n = tr_test_random_below(3); n > 0; n--)
        old_store_put(old, quad);
    if (tr_test_random_below(2))
        quad.graph = random_iri(old, 3);
    old_store_put(old, quad);
}

static void put_nodes(struct old_store *old)
{
    for (size_t i = 0; i < 20; i++) {
        char iri[32];
        (void)snprintf(iri, sizeof(iri), "http://e/%zu", i);
        if (tr_test_random_below(2))
            old_store_node(old, iri, tr_test_random_below(3) ? "x:c" : NULL,
                           1 + (int64_t)tr_test_random_below(9),
                           tr_test_random_below(2) ? "a label" : NULL);
    }
}

TEST(layout_keeps_what_random_stores_say)
{
    static const struct tr_db_opts opts = {.no_sync = true};
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        struct folder folder;
        struct tr_db *db = NULL;
        struct old_store old;
        struct literal literal;
        struct tr_err err = {0};
        folder_open(&folder);
        open_db(&folder, &opts, &db);
        literal_init(&literal);
        old_store_open(&old, db, 1 + tr_test_random_below(OLD_STORE_VERSION));
        for (size_t i = tr_test_random_below(600); i > 0; i--)
            put_random(&old, &literal);
        put_nodes(&old);
        old_store_commit(&old);
        int64_t nodes = tables_number(db, "SELECT count(*) FROM node");
        CHECK_OK(tr_graph_schema(db, &err), &err);
        old_store_check_new(&old, db);
        CHECK_INT(tables_number(
                      db, "SELECT count(*) FROM node WHERE type IS NOT NULL"),
                  nodes);
        literal_done(&literal);
        old_store_close(&old);
        tr_db_close(db);
        folder_close(&folder);
    }
}

/* More than are moved at a time, so that a row is added to. */
TEST(layout_takes_a_hub)
{
    static const struct tr_db_opts opts = {.no_sync = true};
    struct folder folder;
    struct tr_db *db = NULL;
    struct old_store old;
    struct tr_err err = {0};
    folder_open(&folder);
    open_db(&folder, &opts, &db);
    old_store_open(&old, db, OLD_STORE_VERSION);
    old_store_fill(&old, 15000 + tr_test_scaled(85000));
    old_store_commit(&old);
    CHECK_OK(tr_graph_schema(db, &err), &err);
    old_store_check_new(&old, db);
    CHECK_INT(tables_number(db, "SELECT version FROM node WHERE iri ="
                                " CAST('http://e/hub' AS BLOB)"),
              1);
    old_store_close(&old);
    tr_db_close(db);
    folder_close(&folder);
}

/* Power ------------------------------------------------------------------- */

/* A store whose step is taken again and again. */
struct world {
    struct folder folder;
    tr_str bytes; /* of the old store's file */
    struct old_store old;
};

/* Few pages in memory: the step writes to the log all the time. */
static const struct tr_db_opts failing = {.vfs = TR_TEST_VFS,
                                          .cache_bytes = TR_KIB(64)};

static void open_world(struct world *world)
{
    struct tr_db *db = NULL;
    vfs_install();
    folder_open(&world->folder);
    open_db(&world->folder, NULL, &db);
    old_store_open(&world->old, db, OLD_STORE_VERSION);
    old_store_fill(&world->old, 500);
    old_store_commit(&world->old);
    tr_db_close(db); /* the log is in the file then */
    world->bytes = tr_test_read_file(folder_path(&world->folder, "graph.db"));
}

static void close_world(struct world *world)
{
    free((void *)(uintptr_t)world->bytes.ptr);
    old_store_close(&world->old);
    folder_close(&world->folder);
}

static void restore(const struct world *world)
{
    static const char *const beside[] = {"graph.db-wal", "graph.db-shm"};
    for (size_t i = 0; i < TR_LEN(beside); i++)
        (void)remove(folder_path(&world->folder, beside[i]));
    FILE *file = fopen(folder_path(&world->folder, "graph.db"), "w");
    CHECK(file);
    CHECK(fwrite(world->bytes.ptr, 1, world->bytes.len, file) ==
          world->bytes.len);
    CHECK_INT(fclose(file), 0);
}

/* Whether the step was taken, with power that goes at one write; 0: never. */
static bool take_step(const struct world *world, size_t cut_at)
{
    struct tr_db *db = NULL;
    vfs_reset();
    restore(world);
    vfs_cut_at(cut_at);
    bool done = tr_db_open(folder_path(&world->folder, "graph.db"), &failing,
                           &db, NULL) == TR_OK &&
                tr_graph_schema(db, NULL) == TR_OK;
    tr_db_close(db);
    return done;
}

/* With power again: all is as it was, or all is new. */
static void check_world(const struct world *world, bool must_be_new)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    int64_t version = 0;
    (void)remove(folder_path(&world->folder, "graph.db-shm"));
    open_db(&world->folder, NULL, &db);
    CHECK_OK(tr_db_version(db, &version, &err), &err);
    CHECK(version == OLD_STORE_VERSION || version == OLD_STORE_VERSION + 1);
    if (version == OLD_STORE_VERSION) {
        CHECK(!must_be_new);
        int64_t quads = tables_number(db, "SELECT count(*) FROM spo");
        CHECK_OK(tr_db_check(db, &err), &err);
        CHECK_INT(quads, tr_rdf_memory_graph_count(world->old.quads));
        CHECK_INT(tables_number(db, "SELECT count(*) FROM pos"), quads);
        CHECK_INT(tables_number(db, "SELECT count(*) FROM ops"), quads);
        CHECK_OK(tr_graph_schema(db, &err), &err);
    }
    old_store_check_new(&world->old, db);
    tr_db_close(db);
}

TEST(layout_that_loses_power_leaves_the_old_store_or_the_new)
{
    struct world world;
    open_world(&world);
    CHECK(take_step(&world, 0));
    size_t writes = vfs_writes();
    size_t tries = tr_test_scaled(writes);
    CHECK(writes > 100);
    for (size_t n = 1; n <= tries; n++) {
        bool is_each = tries == writes;
        bool done = take_step(
            &world, is_each ? n : 1 + (size_t)tr_test_random_below(writes));
        vfs_recover(tr_test_random());
        check_world(&world, done);
    }
    close_world(&world);
}
