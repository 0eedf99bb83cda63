/* Checkpoints beside a writer; also built and run with ThreadSanitizer. */
#include "base/test.h"
#include "db/checkpoint.h"
#include "loop/thread.h"
#include "support/folder.h"

#include <pthread.h>
#include <stdatomic.h>

enum { COMMITS = 2000, PAGES = 20, MAX_PAGES = 100 };

static const struct tr_db_step steps[] = {
    {.sql = "CREATE TABLE thing (id INTEGER PRIMARY KEY, text BLOB NOT NULL)"}};

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

/* What goes on beside a compaction: reading, writing, moving the log. */
struct beside {
    const char *path;
    _Atomic bool is_over;
    _Atomic uint64_t turns; /* of all threads */
};

static struct tr_db *open_beside(const struct beside *beside)
{
    const struct tr_db_opts opts = {.no_sync = true};
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(beside->path, &opts, &db, &err), &err);
    return db;
}

static void *keep_reading(void *data)
{
    struct beside *beside = data;
    struct tr_db *db = open_beside(beside);
    while (!atomic_load(&beside->is_over)) {
        CHECK_OK(tr_db_begin(db, TR_DB_READ, NULL), NULL);
        (void)count_things(db);
        tr_db_rollback(db);
        atomic_fetch_add(&beside->turns, 1);
    }
    tr_db_close(db);
    return NULL;
}

static void *keep_writing(void *data)
{
    struct beside *beside = data;
    struct tr_db *db = open_beside(beside);
    while (!atomic_load(&beside->is_over)) {
        CHECK_OK(tr_db_begin(db, TR_DB_WRITE, NULL), NULL);
        CHECK_OK(
            tr_db_exec(db, "UPDATE thing SET text = x'00' WHERE id = 1", NULL),
            NULL);
        CHECK_OK(tr_db_commit(db, NULL), NULL);
        atomic_fetch_add(&beside->turns, 1);
    }
    tr_db_close(db);
    return NULL;
}

static void *keep_moving(void *data)
{
    struct beside *beside = data;
    struct tr_db *db = open_beside(beside);
    struct tr_db_log log;
    while (!atomic_load(&beside->is_over)) {
        tr_status status = tr_db_checkpoint(db, &log, NULL);
        CHECK(status == TR_OK || status == TR_E_UNAVAILABLE);
        atomic_fetch_add(&beside->turns, 1);
    }
    tr_db_close(db);
    return NULL;
}

/* `gained` becomes the least number of bytes by which the file got shorter. */
static tr_status delete_and_shrink(struct tr_db *db, uint64_t *gained,
                                   struct tr_err *err)
{
    uint64_t before = 0;
    uint64_t after = 0;
    TR_TRY(tr_db_size(db, &before, err));
    TR_TRY(tr_db_exec(db,
                      "DELETE FROM thing WHERE id > 1 AND id IN"
                      " (SELECT id FROM thing ORDER BY id DESC LIMIT 20)",
                      err));
    TR_TRY(tr_db_shrink(db, err));
    TR_TRY(tr_db_size(db, &after, err));
    if (before - after < *gained)
        *gained = before - after;
    return TR_OK;
}

/* Each round deletes, and shrinks while the others go on. */
TEST(a_store_is_shrunk_beside_all_who_use_it)
{
    static void *(*const works[])(void *) = {keep_reading, keep_reading,
                                             keep_writing, keep_moving};
    struct folder folder;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    pthread_t threads[TR_LEN(works)];
    folder_open(&folder);
    struct beside beside = {.path = folder_path(&folder, "a.db")};
    const struct tr_db_opts opts = {.no_sync = true, .busy_ms = 600000};
    CHECK_OK(tr_db_open(beside.path, &opts, &db, &err), &err);
    CHECK_OK(tr_db_upgrade(db, steps, 1, &err), &err);
    for (int i = 0; i < 200; i++)
        add_thing(db);
    for (size_t i = 0; i < TR_LEN(works); i++)
        CHECK_OK(tr_loop_thread_start(&threads[i], works[i], &beside, &err),
                 &err);
    tr_status status = TR_OK;
    uint64_t gained = UINT64_MAX;
    for (int round = 0; round < 8 && status == TR_OK; round++) {
        uint64_t until = atomic_load(&beside.turns) + 20;
        while (atomic_load(&beside.turns) < until)
            sched_yield();
        status = delete_and_shrink(db, &gained, &err);
    }
    atomic_store(&beside.is_over, true);
    for (size_t i = 0; i < TR_LEN(works); i++)
        (void)pthread_join(threads[i], NULL);
    CHECK_OK(status, &err); /* not before all threads have ended */
    CHECK(gained > (uint64_t)20 * 2500);
    CHECK_OK(tr_db_check(db, &err), &err);
    tr_db_close(db);
    folder_close(&folder);
}
