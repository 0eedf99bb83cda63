#include "prov/log.h"

#include "base/test.h"
#include "db/writer.h"
#include "loop/timer.h"
#include "support/activity.h"
#include "support/vfs.h"

#include <sched.h>
#include <stdatomic.h>

#define NOON INT64_C(1785240000000000) /* 2026-07-28T12:00:00Z */

static const char count_reads[] = "SELECT count(*) FROM activity_read";

struct fixture {
    struct activity_store store;
    struct tr_loop *loop;
    struct tr_db_writer *writer;
    struct tr_prov_log *log;
    int64_t added;
    unsigned losing; /* how often it was told */
    tr_status why;   /* the last time */
    uint64_t lost;   /* when it closed */
    bool is_closed;
};

static void on_losing(void *data, const struct tr_err *err)
{
    struct fixture *f = data;
    f->losing++;
    f->why = err->code;
}

static void on_undone(void *data)
{
    tr_prov_writer_forget(((struct fixture *)data)->store.writer);
}

static void open_log(struct fixture *f, struct tr_prov_log_opts opts)
{
    struct tr_err err = {0};
    opts.loop = f->loop;
    if (!opts.keep.read_days)
        opts.keep.read_days = 36500; /* noon may be long ago */
    opts.writer = f->writer;
    opts.names = f->store.writer;
    opts.losing = on_losing;
    opts.data = f;
    CHECK_OK(tr_prov_log_create(&opts, &f->log, &err), &err);
}

static void open_fixture(struct fixture *f, bool test_clock, const char *vfs)
{
    struct tr_err err = {0};
    struct tr_loop_opts opts = {.test_clock = test_clock};
    *f = (struct fixture){0};
    activity_store_open(&f->store);
    struct tr_db_writer_opts writer = {
        .path = f->store.path,
        .db.vfs = vfs,
        .undone = on_undone,
        .data = f,
    };
    CHECK_OK(tr_loop_create(&opts, &f->loop, &err), &err);
    CHECK_OK(tr_db_writer_create(&writer, &f->writer, &err), &err);
}

static void on_closed(void *data)
{
    ((struct fixture *)data)->is_closed = true;
}

static void close_log(struct fixture *f)
{
    f->is_closed = false;
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

static void add(struct fixture *f, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        struct tr_prov_activity activity = activity_at(NOON + f->added++);
        tr_prov_log_add(f->log, &activity);
    }
}

TEST(log_writes_what_was_gathered_for_100_ms)
{
    struct fixture f;
    open_fixture(&f, true, NULL);
    open_log(&f, (struct tr_prov_log_opts){0});
    add(&f, 1);
    tr_loop_step(f.loop, 60);
    add(&f, 2);
    tr_loop_step(f.loop, 39);
    CHECK_INT(tr_db_writer_waiting(f.writer), 0);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 0);
    tr_loop_step(f.loop, 1);
    tr_loop_run(f.loop); /* until the write is done */
    CHECK_INT(activity_store_ask(&f.store, count_reads), 3);
    close_log(&f);
    close_fixture(&f);
}

/* Somebody who waits, and what was on the disk when they were told. */
struct waiter {
    struct tr_prov_log_wait wait; /* first: what the log hands back */
    struct fixture *f;
    int64_t seen; /* -1: not told yet */
};

static void on_settled(struct tr_prov_log_wait *wait)
{
    struct waiter *waiter = (struct waiter *)(void *)wait;
    waiter->seen = activity_store_ask(&waiter->f->store, count_reads);
}

static void settle(struct waiter *waiter, struct fixture *f)
{
    *waiter = (struct waiter){{on_settled, NULL}, f, -1};
    tr_prov_log_settle(f->log, &waiter->wait);
}

TEST(log_settles_at_once_and_tells_when_it_is_written)
{
    struct fixture f;
    struct waiter waiters[4];
    open_fixture(&f, true, NULL);
    open_log(&f, (struct tr_prov_log_opts){0});
    settle(&waiters[0], &f);
    CHECK_INT(waiters[0].seen, 0); /* there is nothing to wait for */
    add(&f, 2);
    settle(&waiters[1], &f); /* no clock is stepped */
    settle(&waiters[2], &f); /* while it is written */
    add(&f, 1);
    settle(&waiters[3], &f); /* and what comes behind that */
    CHECK_INT(waiters[1].seen, -1);
    tr_loop_run(f.loop);
    CHECK(waiters[1].seen >= 2);
    CHECK(waiters[2].seen >= 2);
    CHECK_INT(waiters[3].seen, 3);
    close_log(&f);
    close_fixture(&f);
}

TEST(log_writes_what_came_during_a_write_100_ms_after_it_came)
{
    struct fixture f;
    open_fixture(&f, true, NULL);
    open_log(&f, (struct tr_prov_log_opts){0});
    add(&f, 1);
    tr_loop_step(f.loop, 100);
    add(&f, 1); /* the first is on its way */
    tr_loop_step(f.loop, 70);
    tr_loop_run(f.loop); /* until it is there */
    CHECK_INT(activity_store_ask(&f.store, count_reads), 1);
    tr_loop_step(f.loop, 29);
    CHECK_INT(tr_db_writer_waiting(f.writer), 0);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 1);
    tr_loop_step(f.loop, 1);
    tr_loop_run(f.loop);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 2);
    close_log(&f);
    close_fixture(&f);
}

TEST(log_writes_what_waits_when_it_closes)
{
    struct fixture f;
    open_fixture(&f, true, NULL);
    open_log(&f, (struct tr_prov_log_opts){0});
    add(&f, 5);
    close_log(&f);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 5);
    open_log(&f, (struct tr_prov_log_opts){0});
    add(&f, 5);
    tr_loop_step(f.loop, 100);
    add(&f, 5); /* while the others are being written */
    close_log(&f);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 15);
    close_fixture(&f);
}

TEST(log_that_has_nothing_closes_at_once)
{
    struct fixture f;
    open_fixture(&f, true, NULL);
    open_log(&f, (struct tr_prov_log_opts){0});
    tr_prov_log_close(f.log, on_closed, &f);
    CHECK(f.is_closed);
    close_fixture(&f);
}

/* More than one block: those that are full do not wait. */
TEST(log_keeps_all_of_many)
{
    struct fixture f;
    open_fixture(&f, true, NULL);
    open_log(&f, (struct tr_prov_log_opts){.max_bytes = TR_MIB(64)});
    add(&f, 20000);
    CHECK_INT(tr_prov_log_lost(f.log), 0);
    close_log(&f);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 20000);
    CHECK_INT(f.losing, 0);
    close_fixture(&f);
}

TEST(log_trims_as_it_writes)
{
    struct fixture f;
    open_fixture(&f, true, NULL);
    open_log(&f, (struct tr_prov_log_opts){.keep.read_rows = 100});
    add(&f, 5000);
    close_log(&f);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 100);
    close_fixture(&f);
}

/* Somebody else holds the store, so that nothing is written meanwhile. */
TEST(log_drops_the_oldest_of_a_store_that_is_too_slow)
{
    struct fixture f;
    open_fixture(&f, true, NULL);
    open_log(&f, (struct tr_prov_log_opts){.max_bytes = TR_KIB(512)});
    CHECK_OK(tr_db_begin(f.store.db, TR_DB_WRITE, NULL), NULL);
    add(&f, 20000);
    uint64_t lost = tr_prov_log_lost(f.log);
    CHECK(lost > 0 && lost < 20000);
    CHECK_INT(f.losing, 1);
    CHECK_INT(f.why, TR_E_LIMIT);
    CHECK_OK(tr_db_commit(f.store.db, NULL), NULL);
    close_log(&f);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 20000 - (int64_t)lost);
    /* The newest is there. */
    CHECK_INT(activity_store_ask(&f.store,
                                 "SELECT count(*) FROM activity_read WHERE"
                                 " substr(id, 1, 6) = x'019fa8989613'"),
              1000);
    close_fixture(&f);
}

/* What was added and not lost is there, once the store works again. */
TEST(log_goes_on_when_a_store_that_failed_works_again)
{
    struct fixture f;
    vfs_install();
    vfs_reset();
    open_fixture(&f, false, TR_TEST_VFS);
    open_log(
        &f, (struct tr_prov_log_opts){.delay_ms = 1, .max_bytes = TR_KIB(512)});
    for (unsigned episode = 1; episode <= 2; episode++) {
        vfs_fill_at(1);
        while (f.losing < episode) {
            add(&f, 100);
            (void)tr_loop_turn(f.loop);
        }
        vfs_reset();
        while (activity_store_ask(&f.store, count_reads) +
                   (int64_t)tr_prov_log_lost(f.log) <
               f.added)
            (void)tr_loop_turn(f.loop);
    }
    CHECK_INT(f.losing, 2);
    f.lost = tr_prov_log_lost(f.log);
    close_log(&f);
    CHECK(f.lost > 0);
    CHECK_INT(activity_store_ask(&f.store, count_reads) + (int64_t)f.lost,
              f.added);
    close_fixture(&f);
}

TEST(log_lets_nobody_wait_for_a_store_that_fails)
{
    struct fixture f;
    struct waiter waiters[2];
    vfs_install();
    vfs_reset();
    open_fixture(&f, false, TR_TEST_VFS);
    open_log(&f, (struct tr_prov_log_opts){.delay_ms = 1});
    vfs_fill_at(1);
    add(&f, 1);
    settle(&waiters[0], &f);
    add(&f, 1);
    settle(&waiters[1], &f);
    while (waiters[0].seen < 0 || waiters[1].seen < 0)
        (void)tr_loop_turn(f.loop);
    CHECK_INT(waiters[0].seen, 0);
    CHECK_INT(waiters[1].seen, 0);
    vfs_reset();
    close_log(&f);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 2);
    close_fixture(&f);
}

TEST(log_that_closes_gives_up_a_store_that_keeps_failing)
{
    struct fixture f;
    vfs_install();
    vfs_reset();
    open_fixture(&f, false, TR_TEST_VFS);
    open_log(&f, (struct tr_prov_log_opts){.delay_ms = 1});
    vfs_fill_at(1);
    add(&f, 3000);
    close_log(&f);
    CHECK_INT(f.losing, 1);
    CHECK_INT(f.why, TR_E_IO);
    vfs_reset();
    CHECK_INT(activity_store_ask(&f.store, count_reads), 0);
    close_fixture(&f);
}

/* A writer whose queue is full: the submit fails, and nobody is told `done`. */
static tr_status wait_long(struct tr_db_write *write, struct tr_db *db,
                           struct tr_err *err)
{
    (void)db;
    (void)err;
    while (!atomic_load((_Atomic bool *)write->data))
        (void)sched_yield();
    return TR_OK;
}

static void release_loop(struct tr_db_write *write)
{
    tr_loop_release(write->loop);
}

TEST(log_tries_again_when_the_writer_has_no_room)
{
    struct fixture f;
    struct tr_err err = {0};
    _Atomic bool may_end = false;
    open_fixture(&f, true, NULL);
    tr_db_writer_free(f.writer);
    struct tr_db_writer_opts opts = {.path = f.store.path, .max_waiting = 1};
    CHECK_OK(tr_db_writer_create(&opts, &f.writer, &err), &err);
    open_log(&f, (struct tr_prov_log_opts){0});
    struct tr_db_write writes[2];
    for (size_t i = 0; i < TR_LEN(writes); i++) {
        writes[i] = (struct tr_db_write){.run = wait_long,
                                         .done = release_loop,
                                         .data = &may_end,
                                         .loop = f.loop};
        tr_loop_hold(f.loop);
        CHECK_OK(tr_db_writer_submit(f.writer, &writes[i], &err), &err);
        while (i == 0 && tr_db_writer_waiting(f.writer))
            (void)sched_yield(); /* it runs now, and the next one waits */
    }
    add(&f, 3);
    tr_loop_step(f.loop, 100);
    CHECK_INT(tr_db_writer_waiting(f.writer), 1);
    atomic_store(&may_end, true);
    tr_loop_run(f.loop); /* until both are done */
    CHECK_INT(activity_store_ask(&f.store, count_reads), 0);
    tr_loop_step(f.loop, 100);
    tr_loop_run(f.loop);
    CHECK_INT(activity_store_ask(&f.store, count_reads), 3);
    CHECK_INT(tr_prov_log_lost(f.log), 0);
    close_log(&f);
    close_fixture(&f);
}

static tr_status create_log(void *context, struct tr_err *err)
{
    struct fixture *f = context;
    struct tr_prov_log_opts opts = {.loop = f->loop, .writer = f->writer};
    struct tr_prov_log *log = NULL;
    TR_TRY(tr_prov_log_create(&opts, &log, err));
    tr_prov_log_close(log, on_closed, f);
    return TR_OK;
}

TEST(log_tells_when_there_is_no_memory)
{
    struct fixture f;
    open_fixture(&f, true, NULL);
    tr_test_sweep(create_log, &f);
    close_fixture(&f);
}
