/* Disks that fail, fill up and lose power: what was acknowledged is there. */
#include "base/test.h"
#include "db/writer.h"
#include "support/folder.h"
#include "support/vfs.h"

#define WRITES 24

static const struct tr_db_step steps[] = {
    {.sql = "CREATE TABLE thing (name INTEGER PRIMARY KEY, half INTEGER, text "
            "TEXT)"}};

/* A run of the writer with numbered writes, and who was told what. */
struct run {
    struct folder folder;
    struct tr_loop *loop;
    unsigned told;
    struct entry {
        struct tr_db_write write; /* first: it finds us by it */
        struct run *run;
        int64_t name;
        bool is_acknowledged;
    } entries[WRITES];
};

static tr_status insert(struct tr_db *db, int64_t name, int64_t half,
                        struct tr_err *err)
{
    static char text[2000];
    struct tr_db_stmt *stmt;
    memset(text, 'x', sizeof(text));
    TR_TRY(
        tr_db_prepare(db, "INSERT INTO thing VALUES (?1, ?2, ?3)", &stmt, err));
    tr_db_bind_i64(stmt, 1, name * 2 + half);
    tr_db_bind_i64(stmt, 2, half);
    tr_db_bind_text(stmt, 3, (tr_str){text, sizeof(text)});
    return tr_db_stmt_run(stmt, err);
}

/* Two rows: half of a write must never be seen. */
static tr_status write_two(struct tr_db_write *write, struct tr_db *db,
                           struct tr_err *err)
{
    const struct entry *entry = (struct entry *)(void *)write;
    TR_TRY(insert(db, entry->name, 0, err));
    return insert(db, entry->name, 1, err);
}

static void told(struct tr_db_write *write)
{
    struct entry *entry = (struct entry *)(void *)write;
    entry->is_acknowledged = write->status == TR_OK;
    CHECK(write->status == TR_OK || write->err.msg[0]);
    if (++entry->run->told == WRITES)
        tr_loop_release(entry->run->loop);
}

static void write_all(struct run *run, struct tr_db_writer *writer)
{
    run->told = 0;
    tr_loop_hold(run->loop);
    for (size_t i = 0; i < WRITES; i++) {
        struct entry *entry = &run->entries[i];
        *entry = (struct entry){
            .run = run,
            .name = (int64_t)i,
            .write = {.run = write_two, .done = told, .loop = run->loop},
        };
        CHECK_OK(tr_db_writer_submit(writer, &entry->write, NULL), NULL);
    }
    tr_loop_run(run->loop);
}

static bool has_row(struct tr_db *db, int64_t name, int64_t half)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    struct tr_err err = {0};
    CHECK_OK(
        tr_db_prepare(db, "SELECT 1 FROM thing WHERE name = ?1", &stmt, &err),
        &err);
    tr_db_bind_i64(stmt, 1, name * 2 + half);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    tr_db_stmt_reset(stmt);
    return row;
}

/* All that was acknowledged, no halves, and a sound file. */
static void check_store(struct run *run)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(folder_path(&run->folder, "a.db"), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_check(db, &err), &err);
    for (size_t i = 0; i < WRITES; i++) {
        const struct entry *entry = &run->entries[i];
        bool first = has_row(db, entry->name, 0);
        CHECK(first == has_row(db, entry->name, 1));
        CHECK(first || !entry->is_acknowledged);
    }
    tr_db_close(db);
}

static void open_run(struct run *run)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    folder_open(&run->folder);
    CHECK_OK(tr_loop_create(NULL, &run->loop, &err), &err);
    CHECK_OK(tr_db_open(folder_path(&run->folder, "a.db"), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_upgrade(db, steps, 1, &err), &err);
    tr_db_close(db);
    vfs_install();
    vfs_reset();
}

static void close_run(struct run *run)
{
    vfs_reset();
    tr_loop_free(run->loop);
    folder_close(&run->folder);
}

/* Writes through a disk that goes wrong at `number`; how, `break_at` says. */
static void write_through(struct run *run, void (*break_at)(size_t number),
                          size_t number)
{
    struct tr_db_writer *writer = NULL;
    struct tr_err err = {0};
    struct tr_db_writer_opts opts = {
        .path = folder_path(&run->folder, "a.db"),
        .db.vfs = TR_TEST_VFS,
        .max_group = 1 + (size_t)tr_test_random_below(6),
    };
    if (tr_db_writer_create(&opts, &writer, &err) != TR_OK)
        return;
    break_at(number);
    write_all(run, writer);
    tr_db_writer_free(writer);
}

static size_t count_acknowledged(const struct run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < WRITES; i++)
        count += run->entries[i].is_acknowledged;
    return count;
}

TEST(disk_that_fails_one_write_loses_nothing_that_was_acknowledged)
{
    static struct run run;
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        open_run(&run);
        write_through(&run, vfs_fail_write,
                      1 + (size_t)tr_test_random_below(60));
        vfs_reset();
        check_store(&run);
        CHECK(count_acknowledged(&run) > 0);
        close_run(&run);
    }
}

TEST(disk_that_is_full_refuses_and_says_so)
{
    static struct run run;
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        open_run(&run);
        write_through(&run, vfs_fill_at, 1 + (size_t)tr_test_random_below(40));
        CHECK(count_acknowledged(&run) < WRITES);
        for (size_t i = 0; i < WRITES; i++) {
            if (run.entries[i].write.status != TR_OK)
                CHECK_INT(run.entries[i].write.status, TR_E_IO);
        }
        vfs_reset();
        check_store(&run);
        close_run(&run);
    }
}

TEST(disk_that_loses_power_keeps_what_was_acknowledged)
{
    static struct run run;
    for (size_t n = tr_test_scaled(200); n > 0; n--) {
        open_run(&run);
        write_through(&run, vfs_cut_at, 1 + (size_t)tr_test_random_below(80));
        vfs_recover(tr_test_random());
        (void)remove(folder_path(&run.folder, "a.db-shm")); /* it was memory */
        check_store(&run);
        close_run(&run);
    }
}
