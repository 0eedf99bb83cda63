#include "loop/log_lines.h"

#include "base/limits.h"
#include "base/test.h"
#include "loop/loop.h"

#include <fcntl.h>
#include <unistd.h>

struct fixture {
    struct tr_loop *loop;
    struct tr_loop_log_target *target;
    struct tr_loop_log_lines *lines;
    int ends[2]; /* of a pipe */
};

static void open_fixture(struct fixture *f)
{
    const struct tr_loop_opts opts = {.test_clock = true};
    struct tr_err err = {0};
    *f = (struct fixture){0};
    CHECK(pipe(f->ends) == 0);
    CHECK(fcntl(f->ends[0], F_SETFL, O_NONBLOCK) == 0);
    CHECK_OK(tr_loop_create(&opts, &f->loop, &err), &err);
    tr_loop_hold(f->loop);
    CHECK_OK(tr_loop_log_target_create(f->ends[1], &f->target, &err), &err);
    CHECK_OK(tr_loop_log_lines_create(f->loop, f->target, &f->lines, &err),
             &err);
}

static void close_fixture(struct fixture *f)
{
    tr_loop_log_lines_free(f->lines);
    tr_loop_log_target_free(f->target);
    tr_loop_release(f->loop);
    tr_loop_free(f->loop);
    (void)close(f->ends[0]);
    (void)close(f->ends[1]);
}

static void add(struct fixture *f, int64_t number)
{
    tr_loop_log_lines_add(f->lines, TR_LOG_INFO, "m", &TR_LOG_INT("n", number),
                          1);
}

#define LINE(ms, n)                                                            \
    "{\"time\":\"2026-07-28T12:00:00" ms "Z\",\"level\":\"info\","             \
    "\"msg\":\"m\",\"n\":" n "}\n"

TEST(lines_of_a_turn_are_written_together)
{
    struct fixture f;
    char text[1024];
    open_fixture(&f);
    add(&f, 1);
    add(&f, 2);
    tr_loop_step(f.loop, 500);
    add(&f, 3);
    CHECK(read(f.ends[0], text, sizeof(text)) < 0);
    (void)tr_loop_turn(f.loop);
    ssize_t len = read(f.ends[0], text, sizeof(text));
    CHECK(len > 0);
    CHECK_STR(((tr_str){text, (size_t)len}),
              LINE(".000", "1") LINE(".000", "2") LINE(".500", "3"));
    close_fixture(&f);
}

TEST(lines_that_are_left_are_written_in_the_end)
{
    struct fixture f;
    char text[1024];
    open_fixture(&f);
    add(&f, 1);
    tr_loop_log_lines_free(f.lines);
    f.lines = NULL;
    ssize_t len = read(f.ends[0], text, sizeof(text));
    CHECK_STR(((tr_str){text, (size_t)len}), LINE(".000", "1"));
    close_fixture(&f);
}

TEST(lines_below_the_level_are_not_written)
{
    struct fixture f;
    char byte;
    open_fixture(&f);
    tr_log_set_level(TR_LOG_WARN);
    add(&f, 1);
    tr_log_set_level(TR_LOG_INFO);
    (void)tr_loop_turn(f.loop);
    CHECK(read(f.ends[0], &byte, 1) < 0);
    close_fixture(&f);
}

/* Every line is whole, and written or counted. */
TEST(lines_are_dropped_and_counted_when_nobody_reads)
{
    enum { LINES = 3000 };
    struct fixture f;
    static char text[TR_MIB(1)];
    open_fixture(&f);
    for (int i = 0; i < LINES; i++) {
        add(&f, i);
        if (i % 7 == 0)
            (void)tr_loop_turn(f.loop);
    }
    (void)tr_loop_turn(f.loop);
    uint64_t dropped = tr_loop_log_lines_dropped(f.lines);
    CHECK(dropped > 0 && dropped < LINES);
    ssize_t len = read(f.ends[0], text, sizeof(text));
    CHECK(len > 0 && text[len - 1] == '\n');
    uint64_t written = 0;
    for (ssize_t i = 0; i < len; i++)
        written += text[i] == '\n';
    CHECK_INT(written + dropped, LINES);
    add(&f, 1); /* there is room again */
    (void)tr_loop_turn(f.loop);
    CHECK_INT(tr_loop_log_lines_dropped(f.lines), dropped);
    close_fixture(&f);
}

static tr_status open_and_close(void *context, struct tr_err *err)
{
    struct tr_loop_log_target *target = NULL;
    struct tr_loop_log_lines *lines = NULL;
    tr_status st = tr_loop_log_target_create(STDERR_FILENO, &target, err);
    if (st == TR_OK)
        st = tr_loop_log_lines_create(context, target, &lines, err);
    tr_loop_log_lines_free(lines);
    tr_loop_log_target_free(target);
    return st;
}

TEST(lines_need_memory_only_in_the_beginning)
{
    struct fixture f;
    open_fixture(&f);
    tr_test_sweep(open_and_close, f.loop);
    close_fixture(&f);
}
