#include "prov/writer.h"

#include "base/test.h"
#include "db/db.h"
#include "json/reader.h"
#include "prov/log.h"
#include "prov/rows.h"
#include "support/activity.h"

#define DAY_US INT64_C(86400000000)
#define NOON   INT64_C(1785240000000000) /* 2026-07-28T12:00:00Z */

static const char count_reads[] = "SELECT count(*) FROM activity_read";
static const char count_writes[] = "SELECT count(*) FROM activity";
static const char counted[] = "SELECT value FROM prov_state WHERE key = 2";
static const char count_names[] = "SELECT count(*) FROM prov_name";

/* Every row can be read, so its names are there. */
static void check_all(struct activity_store *store, size_t expected)
{
    static struct tr_prov_rows rows;
    struct tr_prov_activity activity;
    struct tr_err err = {0};
    size_t count = 0;
    bool has;
    CHECK_OK(tr_prov_rows_all(&rows, store->db, &err), &err);
    for (;; count++) {
        CHECK_OK(tr_prov_rows_next(&rows, &has, &err), &err);
        if (!has)
            break;
        CHECK_OK(tr_prov_rows_get(&rows, &activity, &err), &err);
    }
    CHECK_INT(count, expected);
}

TEST(writer_keeps_each_name_once)
{
    struct activity_store store;
    activity_store_open(&store);
    for (int64_t i = 0; i < 10; i++) {
        struct tr_prov_activity activity = activity_at(NOON + i);
        activity.wrote = i % 2;
        activity_store_add(&store, &activity);
        if (i == 5)
            tr_prov_writer_forget(store.writer);
    }
    CHECK_INT(activity_store_ask(&store, count_names), 2);
    CHECK_INT(activity_store_ask(&store, count_reads), 5);
    CHECK_INT(activity_store_ask(&store, count_writes), 5);
    CHECK_INT(activity_store_ask(&store, counted), 5);
    check_all(&store, 10);
    activity_store_close(&store);
}

TEST(writer_that_forgets_what_was_undone_writes_names_again)
{
    struct activity_store store;
    struct tr_prov_activity activity = activity_at(NOON);
    activity_store_open(&store);
    CHECK_OK(tr_db_begin(store.db, TR_DB_WRITE, NULL), NULL);
    CHECK_OK(tr_db_savepoint(store.db, NULL), NULL);
    activity_store_add(&store, &activity);
    CHECK_OK(tr_db_undo(store.db, NULL), NULL);
    tr_prov_writer_forget(store.writer);
    activity_store_add(&store, &activity);
    CHECK_OK(tr_db_commit(store.db, NULL), NULL);
    check_all(&store, 1);
    activity_store_close(&store);
}

/* More names than it remembers at a time. */
TEST(writer_gets_along_with_many_names)
{
    struct activity_store store;
    char name[32];
    activity_store_open(&store);
    CHECK_OK(tr_db_begin(store.db, TR_DB_WRITE, NULL), NULL);
    for (int64_t i = 0; i < 10000; i++) {
        struct tr_prov_activity activity = activity_at(NOON + i);
        int len = snprintf(name, sizeof(name), "n%d", (int)(i % 5000));
        activity.name = (tr_str){name, (size_t)len};
        activity_store_add(&store, &activity);
    }
    CHECK_OK(tr_db_commit(store.db, NULL), NULL);
    CHECK_INT(activity_store_ask(&store, count_names), 5001);
    check_all(&store, 10000);
    activity_store_close(&store);
}

TEST(writer_takes_a_write_once_and_a_read_that_comes_again)
{
    struct activity_store store;
    struct tr_prov_activity activity = activity_at(NOON);
    activity_store_open(&store);
    activity_store_add(&store, &activity);
    activity_store_add(&store, &activity);
    CHECK_INT(activity_store_ask(&store, counted), 1);
    activity.wrote = true;
    activity_store_add(&store, &activity);
    CHECK_INT(tr_prov_write(store.writer, store.db, &activity, NULL),
              TR_E_CONFLICT);
    activity_store_close(&store);
}

TEST(trim_removes_the_oldest_reads_in_steps_and_no_writes)
{
    const struct tr_prov_keep keep = {.read_rows = 10};
    struct activity_store store;
    struct tr_prov_activity first = activity_at(NOON - 1);
    first.wrote = true;
    activity_store_open(&store);
    activity_store_add(&store, &first);
    for (int64_t i = 0; i < 20; i++) {
        struct tr_prov_activity activity = activity_at(NOON + i * 1000);
        activity_store_add(&store, &activity);
    }
    CHECK_OK(tr_prov_trim(store.db, &keep, NOON, 6, NULL), NULL);
    CHECK_INT(activity_store_ask(&store, count_reads), 14);
    CHECK_OK(tr_prov_trim(store.db, &keep, NOON, 6, NULL), NULL);
    CHECK_INT(activity_store_ask(&store, count_reads), 10);
    CHECK_OK(tr_prov_trim(store.db, &keep, NOON, 6, NULL), NULL);
    CHECK_INT(activity_store_ask(&store, count_reads), 10);
    CHECK_INT(activity_store_ask(&store, counted), 10);
    CHECK_INT(activity_store_ask(&store, count_writes), 1);
    struct tr_prov_activity oldest = activity_at(NOON + 10 * 1000);
    struct tr_db_stmt *stmt;
    bool row;
    CHECK_OK(tr_db_prepare(store.db, "SELECT min(id) FROM activity_read", &stmt,
                           NULL),
             NULL);
    CHECK_OK(tr_db_stmt_step(stmt, &row, NULL), NULL);
    CHECK(memcmp(tr_db_column_blob(stmt, 0).ptr, oldest.id, 8) == 0);
    tr_db_stmt_reset(stmt);
    activity_store_close(&store);
}

TEST(trim_removes_reads_that_are_too_old)
{
    const struct tr_prov_keep keep = {.read_days = 2};
    const struct tr_prov_keep defaults = {0};
    struct activity_store store;
    activity_store_open(&store);
    for (int64_t i = 0; i < 40; i++) {
        struct tr_prov_activity activity = activity_at(NOON - i * DAY_US);
        activity_store_add(&store, &activity);
    }
    CHECK_OK(tr_prov_trim(store.db, &defaults, NOON, 100, NULL), NULL);
    CHECK_INT(activity_store_ask(&store, count_reads), 31);
    CHECK_OK(tr_prov_trim(store.db, &keep, NOON, 5, NULL), NULL);
    CHECK_INT(activity_store_ask(&store, count_reads), 26);
    CHECK_OK(tr_prov_trim(store.db, &keep, NOON, 100, NULL), NULL);
    CHECK_INT(activity_store_ask(&store, count_reads), 3);
    CHECK_INT(activity_store_ask(&store, counted), 3);
    activity_store_close(&store);
}

TEST(key_of_digests_is_made_once)
{
    struct activity_store store;
    struct tr_prov_key a;
    struct tr_prov_key b;
    unsigned char x[TR_PROV_DIGEST_BYTES];
    unsigned char y[TR_PROV_DIGEST_BYTES];
    struct tr_err err = {0};
    activity_store_open(&store);
    CHECK_OK(tr_prov_key_open(store.db, &a, &err), &err);
    CHECK_OK(tr_prov_key_open(store.db, &b, &err), &err);
    tr_prov_digest(&a, TR_STR("42"), x);
    tr_prov_digest(&b, TR_STR("42"), y);
    CHECK(memcmp(x, y, sizeof(x)) == 0);
    CHECK_OK(tr_db_exec(store.db, "DELETE FROM prov_state WHERE key = 1", &err),
             &err);
    CHECK_OK(tr_prov_key_open(store.db, &b, &err), &err);
    tr_prov_digest(&b, TR_STR("42"), y);
    CHECK(memcmp(x, y, sizeof(x)) != 0);
    CHECK_OK(tr_db_exec(store.db,
                        "UPDATE prov_state SET value = 1 WHERE key = 1", &err),
             &err);
    CHECK_INT(tr_prov_key_open(store.db, &b, &err), TR_E_IO);
    activity_store_close(&store);
}

/* What differs in any way has another digest. */
TEST(digests_of_trees_tell_them_apart)
{
    static const char *const trees[] = {
        "null",          "true",      "false",     "0",         "1",
        "\"1\"",         "[]",        "{}",        "[[]]",      "[[],[]]",
        "[1,2]",         "[12]",      "[2,1]",     "[\"\"]",    "[\"\",\"\"]",
        "{\"a\":1}",     "{\"a\":2}", "{\"b\":1}", "[\"a\",1]", "[{\"a\":1}]",
        "[true]",        "[false]",   "[null]",    "\"null\"",  "[\"ab\"]",
        "[\"a\",\"b\"]",
    };
    static unsigned char digests[TR_LEN(trees)][TR_PROV_DIGEST_BYTES];
    const struct tr_prov_key key = {{1, 2}};
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(trees); i++) {
        const struct tr_json *tree = NULL;
        CHECK_OK(tr_json_read(&arena, tr_str_from(trees[i]), NULL, &tree, NULL),
                 NULL);
        (void)tr_prov_digest_json(&key, tree, digests[i]);
        for (size_t j = 0; j < i; j++)
            CHECK_ROW(memcmp(digests[i], digests[j], TR_PROV_DIGEST_BYTES) != 0,
                      trees[i]);
    }
    tr_arena_done(&arena);
}

TEST(digests_of_trees_count_the_bytes_of_texts)
{
    const struct tr_json *tree = NULL;
    const struct tr_prov_key key = {{1, 2}};
    unsigned char digest[TR_PROV_DIGEST_BYTES];
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_json_read(&arena, TR_STR("{\"ab\": [12, \"xyz\", true]}"), NULL,
                          &tree, NULL),
             NULL);
    CHECK_INT(tr_prov_digest_json(&key, tree, digest), 2 + 2 + 3);
    tr_arena_done(&arena);
}

static tr_status create_writer(void *context, struct tr_err *err)
{
    struct tr_prov_writer *writer = NULL;
    (void)context;
    TR_TRY(tr_prov_writer_create(&writer, err));
    tr_prov_writer_free(writer);
    return TR_OK;
}

TEST(writer_tells_when_there_is_no_memory)
{
    tr_test_sweep(create_writer, NULL);
}
