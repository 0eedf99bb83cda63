#include "loop/loop.h"

#include "base/test.h"
#include "loop/thread.h"

#include <signal.h>
#include <unistd.h>

static struct tr_loop *open_loop(size_t inbox_count)
{
    struct tr_loop *loop = NULL;
    struct tr_err err = {0};
    const struct tr_loop_opts opts = {.test_clock = true,
                                      .inbox_count = inbox_count};
    CHECK_OK(tr_loop_create(&opts, &loop, &err), &err);
    return loop;
}

static unsigned posted[300];
static size_t posted_count;

static void note(void *data)
{
    posted[posted_count++] = (unsigned)(uintptr_t)data;
}

static void *number(unsigned n)
{
    return (void *)(uintptr_t)n;
}

TEST(a_loop_with_nothing_on_it_ends)
{
    struct tr_loop *loop = NULL;
    CHECK_OK(tr_loop_create(NULL, &loop, NULL), NULL);
    tr_loop_run(loop);
    CHECK(!tr_loop_turn(loop));
    tr_loop_free(loop);
    tr_loop_free(NULL);
}

TEST(posts_keep_their_order_and_their_number)
{
    struct tr_loop *loop = open_loop(200);
    struct tr_err err = {0};
    posted_count = 0;
    tr_loop_hold(loop);
    for (unsigned i = 0; i < 200; i++)
        CHECK_OK(tr_loop_post(loop, note, number(i), &err), &err);
    CHECK_INT(tr_loop_post(loop, note, number(200), &err), TR_E_LIMIT);
    while (posted_count < 200)
        (void)tr_loop_turn(loop);
    for (unsigned i = 0; i < 200; i++)
        CHECK_INT(posted[i], i);
    CHECK_OK(tr_loop_post(loop, note, number(7), &err), &err);
    while (posted_count < 201)
        (void)tr_loop_turn(loop);
    tr_loop_release(loop);
    tr_loop_free(loop);
}

static void stop(void *data)
{
    tr_loop_stop(data);
}

TEST(a_stopped_loop_can_run_again)
{
    struct tr_loop *loop = open_loop(0);
    tr_loop_hold(loop);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(tr_loop_post(loop, stop, loop, NULL), NULL);
        tr_loop_run(loop);
    }
    tr_loop_release(loop);
    tr_loop_run(loop);
    tr_loop_free(loop);
}

static int seen_signal;

static void on_signal(int sent, void *data)
{
    seen_signal = sent;
    tr_loop_stop(data);
}

TEST(signals_become_calls)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    struct tr_loop *loop = open_loop(0);
    struct tr_loop_signal *signals[3] = {0};
    struct tr_err err = {0};
    tr_loop_hold(loop);
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(tr_loop_signal_open(loop, numbers[i], on_signal, loop,
                                     &signals[i], &err),
                 &err);
    for (size_t i = 0; i < 3; i++) {
        CHECK(kill(getpid(), numbers[i]) == 0);
        tr_loop_run(loop);
        CHECK_INT(seen_signal, numbers[i]);
    }
    for (size_t i = 0; i < 3; i++)
        tr_loop_signal_close(signals[i]);
    tr_loop_signal_close(NULL);
    tr_loop_release(loop);
    tr_loop_run(loop);
    struct tr_loop_signal *none = NULL;
    CHECK_INT(tr_loop_signal_open(loop, SIGKILL, on_signal, loop, &none, &err),
              TR_E_IO);
    tr_loop_free(loop);
}

/* A peer that has gone is an error of the write, not the end of us. */
TEST(a_loop_makes_the_process_ignore_sigpipe)
{
    int ends[2];
    struct tr_loop *loop = open_loop(0);
    CHECK(pipe(ends) == 0);
    (void)close(ends[0]);
    CHECK(write(ends[1], "x", 1) < 0);
    (void)close(ends[1]);
    tr_loop_free(loop);
}

static tr_status create_all(void *context, struct tr_err *err)
{
    struct tr_loop *loop = NULL;
    struct tr_loop_signal *signal = NULL;
    (void)context;
    TR_TRY(tr_loop_create(NULL, &loop, err));
    tr_status st =
        tr_loop_signal_open(loop, SIGHUP, on_signal, NULL, &signal, err);
    tr_loop_signal_close(signal);
    tr_loop_free(loop);
    return st;
}

TEST(creating_fails_cleanly_without_memory)
{
    tr_test_sweep(create_all, NULL);
}
