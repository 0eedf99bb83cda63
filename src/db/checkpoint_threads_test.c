/* Checkpoints beside a writer; also built and run with ThreadSanitizer. */
#include "base/test.h"
#include "db/checkpoint.h"
#include "support/folder.h"

enum { COMMITS = 2000, PAGES = 20, MAX_PAGES = 100 };

static const char *const steps[] = {
    "CREATE TABLE thing (id INTEGER PRIMARY KEY, text BLOB NOT NULL)"};

static void add_thing(struct tr_db *db)
{
    static const char text[3000];
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_OK(
        tr_db_prepare(db, "INSERT INTO thing (text) VALUES (?1)", &stmt, &err),
        &err);
    tr_db_bind_blob(stmt, 1, (tr_str){text, sizeof(text)});
    CHECK_OK(tr_db_stmt_run(stmt, &err), &err);
    CHECK_OK(tr_db_commit(db, &err), &err);
}

static int64_t count_things(struct tr_db *db)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row;
    CHECK_OK(tr_db_prepare(db, "SELECT count(*) FROM thing", &stmt, &err),
             &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t count = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return count;
}

/* Without pause: the log starts anew only when somebody sees to it. */
TEST(checkpoints_keep_the_log_short_while_a_writer_never_pauses)
{
    struct folder folder;
    struct tr_db *db = NULL;
    struct tr_db_checkpointer *checkpointer = NULL;
    struct tr_err err = {0};
    struct tr_db_opts opts = {.keeps_log = true, .no_sync = true};
    bool has_restarted = false;
    int64_t before = 0;
    folder_open(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), &opts, &db, &err), &err);
    CHECK_OK(tr_db_upgrade(db, steps, 1, &err), &err);
    struct tr_db_checkpoint_opts checkpoints = {
        .path = folder_path(&folder, "a.db"),
        .db = {.no_sync = true},
        .pages = PAGES,
        .max_pages = MAX_PAGES,
    };
    CHECK_OK(tr_db_checkpointer_create(&checkpoints, &checkpointer, &err),
             &err);
    int64_t commits = 0;
    while (commits < COMMITS || !has_restarted) {
        add_thing(db);
        commits++;
        has_restarted = has_restarted || tr_db_log_pages(db) < before;
        before = tr_db_log_pages(db);
        tr_db_checkpointer_note(checkpointer, db);
    }
    tr_db_checkpointer_free(checkpointer);
    CHECK_INT(count_things(db), commits);
    CHECK_OK(tr_db_check(db, &err), &err);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(checkpoints_that_cannot_be_made_harm_nobody)
{
    struct folder folder;
    struct tr_db *db = NULL;
    struct tr_db_checkpointer *checkpointer = NULL;
    struct tr_err err = {0};
    struct tr_db_opts opts = {.keeps_log = true, .no_sync = true};
    folder_open(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), &opts, &db, &err), &err);
    CHECK_OK(tr_db_upgrade(db, steps, 1, &err), &err);
    struct tr_db_checkpoint_opts checkpoints = {
        .path = folder_path(&folder, "no/such.db"), .pages = 1, .max_pages = 2};
    CHECK_OK(tr_db_checkpointer_create(&checkpoints, &checkpointer, &err),
             &err);
    int64_t longest = 0;
    for (int i = 0; i < PAGES; i++) {
        add_thing(db);
        if (tr_db_log_pages(db) > longest)
            longest = tr_db_log_pages(db);
        tr_db_checkpointer_note(checkpointer, db);
    }
    CHECK(longest < PAGES); /* the writer does it all */
    tr_db_checkpointer_free(checkpointer);
    CHECK_INT(count_things(db), PAGES);
    tr_db_close(db);
    folder_close(&folder);
}
