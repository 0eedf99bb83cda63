/* What calls came to, on its way through the log of a loop. */
#include "base/test.h"
#include "db/writer.h"
#include "loop/timer.h"
#include "prov/log.h"
#include "support/activity.h"
#include "support/vfs.h"

struct fixture {
    struct activity_store store;
    struct tr_loop *loop;
    struct tr_db_writer *writer;
    struct tr_prov_log *log;
    bool is_closed;
};

static void on_undone(void *data)
{
    tr_prov_writer_forget(((struct fixture *)data)->store.writer);
}

static void open_fixture(struct fixture *f, const char *vfs)
{
    struct tr_err err = {0};
    struct tr_loop_opts opts = {.test_clock = true};
    *f = (struct fixture){0};
    activity_store_open(&f->store);
    struct tr_db_writer_opts writer = {
        .path = f->store.path, .db.vfs = vfs, .undone = on_undone, .data = f};
    CHECK_OK(tr_loop_create(&opts, &f->loop, &err), &err);
    CHECK_OK(tr_db_writer_create(&writer, &f->writer, &err), &err);
    const struct tr_prov_log_opts log = {
        .loop = f->loop, .writer = f->writer, .names = f->store.writer};
    CHECK_OK(tr_prov_log_create(&log, &f->log, &err), &err);
}

static void on_closed(void *data)
{
    ((struct fixture *)data)->is_closed = true;
}

static void close_log(struct fixture *f)
{
    tr_prov_log_close(f->log, on_closed, f);
    tr_loop_run(f->loop);
    CHECK(f->is_closed);
}

static void close_fixture(struct fixture *f)
{
    tr_db_writer_free(f->writer);
    tr_loop_free(f->loop);
    activity_store_close(&f->store);
}

static void measure(struct fixture *f, unsigned times)
{
    const struct tr_prov_actual actual = {
        .id = TR_STR("look"), .version = TR_STR("1.0.0"), .of = {5}};
    while (times--)
        tr_prov_log_measure(f->log, &actual);
}

static uint64_t counted(struct fixture *f)
{
    return activity_measured(f->store.db, "look", "1.0.0")
        .of[TR_PROV_UNIT_MICROS]
        .count;
}

TEST(measures_go_with_the_activities_that_wait)
{
    struct fixture f;
    struct tr_prov_activity activity = activity_at(1);
    open_fixture(&f, NULL);
    measure(&f, 2);
    tr_prov_log_add(f.log, &activity);
    measure(&f, 1);
    tr_loop_step(f.loop, 100);
    tr_loop_run(f.loop); /* until the write is done */
    CHECK_INT(counted(&f), 3);
    measure(&f, 4);
    close_log(&f);
    CHECK_INT(counted(&f), 7);
    close_fixture(&f);
}

/* Those of calls whose activities landed with what they wrote. */
TEST(measures_alone_wait_a_second)
{
    struct fixture f;
    open_fixture(&f, NULL);
    measure(&f, 2);
    tr_loop_step(f.loop, 999);
    CHECK_INT(tr_db_writer_waiting(f.writer), 0);
    measure(&f, 1);
    tr_loop_step(f.loop, 1);
    measure(&f, 1); /* while the others are written */
    tr_loop_run(f.loop);
    CHECK_INT(counted(&f), 3);
    tr_loop_step(f.loop, 1000);
    tr_loop_run(f.loop);
    CHECK_INT(counted(&f), 4);
    measure(&f, 1);
    tr_loop_step(f.loop, 1000);
    measure(&f, 1); /* as it closes, with one write under way */
    close_log(&f);
    CHECK_INT(counted(&f), 6);
    close_fixture(&f);
}

TEST(measures_of_a_write_that_failed_come_with_the_next)
{
    struct fixture f;
    vfs_install();
    vfs_reset();
    open_fixture(&f, TR_TEST_VFS);
    measure(&f, 2);
    vfs_fill_at(1);
    tr_loop_step(f.loop, 1000);
    tr_loop_run(f.loop);
    CHECK_INT(counted(&f), 0);
    vfs_reset();
    measure(&f, 1);
    tr_loop_step(f.loop, 1000);
    tr_loop_run(f.loop);
    CHECK_INT(counted(&f), 3);
    close_log(&f);
    close_fixture(&f);
}

/* What waits for the loop's timers does not wait for a store that fails. */
TEST(measures_of_a_hurried_log_are_tried_once_more_at_its_end)
{
    struct fixture f;
    vfs_install();
    vfs_reset();
    open_fixture(&f, TR_TEST_VFS);
    measure(&f, 2);
    vfs_fill_at(1);
    tr_prov_log_hurry(f.log);
    tr_loop_run(f.loop);
    tr_loop_step(f.loop, 10000);
    CHECK_INT(tr_db_writer_waiting(f.writer), 0);
    CHECK_INT(counted(&f), 0);
    vfs_reset();
    close_log(&f);
    CHECK_INT(counted(&f), 2);
    close_fixture(&f);
}

/* A store that fails keeps nobody from ending. */
TEST(measures_that_cannot_be_written_are_dropped_at_the_end)
{
    struct fixture f;
    vfs_install();
    vfs_reset();
    open_fixture(&f, TR_TEST_VFS);
    measure(&f, 2);
    vfs_fill_at(1);
    close_log(&f);
    vfs_reset();
    CHECK_INT(counted(&f), 0);
    close_fixture(&f);
}
