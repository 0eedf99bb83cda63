#include "loop/timer.h"

#include "base/test.h"
#include "loop/loop.h"

static struct tr_loop *open_loop(bool test_clock)
{
    struct tr_loop *loop = NULL;
    struct tr_err err = {0};
    const struct tr_loop_opts opts = {.test_clock = test_clock};
    CHECK_OK(tr_loop_create(&opts, &loop, &err), &err);
    return loop;
}

/* Calls are written down as letters. */
static char calls[64];
static size_t call_count;

static void note(void *data)
{
    calls[call_count++] = *(const char *)data;
    calls[call_count] = '\0';
}

static void forget_calls(void)
{
    call_count = 0;
    calls[0] = '\0';
}

TEST(timers_are_called_in_the_order_they_are_due)
{
    struct tr_loop *loop = open_loop(true);
    static const uint64_t delays[] = {30, 10, 20, 10, 0};
    static const char names[] = "abcde";
    struct tr_loop_timer timers[5];
    forget_calls();
    for (size_t i = 0; i < 5; i++) {
        tr_loop_timer_init(&timers[i], loop, note, (void *)&names[i]);
        tr_loop_timer_start(&timers[i], delays[i], 0);
    }
    CHECK_STR(tr_str_from(calls), "");
    tr_loop_step(loop, 0);
    CHECK_STR(tr_str_from(calls), "e");
    tr_loop_step(loop, 9);
    CHECK_STR(tr_str_from(calls), "e");
    tr_loop_step(loop, 1);
    CHECK_STR(tr_str_from(calls), "ebd");
    tr_loop_step(loop, 100);
    CHECK_STR(tr_str_from(calls), "ebdca");
    tr_loop_free(loop);
}

TEST(a_timer_repeats_until_it_is_stopped)
{
    struct tr_loop *loop = open_loop(true);
    struct tr_loop_timer timer;
    forget_calls();
    tr_loop_timer_init(&timer, loop, note, "x");
    tr_loop_timer_start(&timer, 5, 10);
    tr_loop_step(loop, 4);
    CHECK_STR(tr_str_from(calls), "");
    tr_loop_step(loop, 31);
    CHECK_STR(tr_str_from(calls), "xxxx");
    tr_loop_timer_stop(&timer);
    tr_loop_timer_stop(&timer);
    tr_loop_step(loop, 100);
    CHECK_STR(tr_str_from(calls), "xxxx");
    tr_loop_free(loop);
}

static void stop_me(void *data)
{
    note("s");
    tr_loop_timer_stop(data);
}

static void start_me_again(void *data)
{
    note("r");
    if (call_count < 3)
        tr_loop_timer_start(data, 10, 0);
}

TEST(a_timer_may_be_stopped_and_started_from_its_call)
{
    struct tr_loop *loop = open_loop(true);
    struct tr_loop_timer timer;
    forget_calls();
    tr_loop_timer_init(&timer, loop, stop_me, &timer);
    tr_loop_timer_start(&timer, 1, 1);
    tr_loop_step(loop, 10);
    CHECK_STR(tr_str_from(calls), "s");
    tr_loop_timer_init(&timer, loop, start_me_again, &timer);
    tr_loop_timer_start(&timer, 10, 0);
    tr_loop_step(loop, 15);
    CHECK_STR(tr_str_from(calls), "sr");
    tr_loop_step(loop, 100);
    CHECK_STR(tr_str_from(calls), "srr");
    CHECK(!timer.active);
    tr_loop_free(loop);
}

TEST(starting_a_timer_again_moves_it)
{
    struct tr_loop *loop = open_loop(true);
    struct tr_loop_timer timer;
    forget_calls();
    tr_loop_timer_init(&timer, loop, note, "x");
    tr_loop_timer_start(&timer, 10, 0);
    tr_loop_step(loop, 5);
    tr_loop_timer_start(&timer, 10, 0);
    tr_loop_step(loop, 9);
    CHECK_STR(tr_str_from(calls), "");
    tr_loop_step(loop, 1);
    CHECK_STR(tr_str_from(calls), "x");
    tr_loop_free(loop);
}

TEST(the_test_clock_moves_both_clocks_and_nothing_else_does)
{
    struct tr_loop *loop = open_loop(true);
    uint64_t start_ms = tr_loop_now_ms(loop);
    (void)tr_loop_turn(loop);
    CHECK_INT(tr_loop_now_ms(loop), start_ms);
    CHECK_INT(tr_loop_wall(loop).seconds, 1785240000);
    tr_loop_step(loop, 61500);
    CHECK_INT(tr_loop_now_ms(loop), start_ms + 61500);
    CHECK_INT(tr_loop_wall(loop).seconds, 1785240061);
    CHECK_INT(tr_loop_wall(loop).nanos, 500000000);
    tr_loop_free(loop);
}

/* The real clock, with the shortest of waits. */
TEST(a_loop_ends_when_its_last_timer_has_been_called)
{
    struct tr_loop *loop = open_loop(false);
    struct tr_loop_timer timers[3];
    forget_calls();
    for (size_t i = 0; i < 3; i++) {
        tr_loop_timer_init(&timers[i], loop, note, (void *)&"210"[i]);
        tr_loop_timer_start(&timers[i], 2 - i, 0);
    }
    tr_loop_run(loop);
    CHECK_STR(tr_str_from(calls), "012");
    CHECK(tr_loop_wall(loop).seconds > 1785240000 - 365 * 86400);
    tr_loop_free(loop);
}

struct chain {
    struct tr_loop *loop;
    struct tr_loop_tick tick;
    struct tr_loop_tick other;
};

static void add_other(void *data)
{
    struct chain *chain = data;
    note("t");
    tr_loop_tick_add(&chain->other, chain->loop);
}

struct restless {
    struct tr_loop_timer timer;
    size_t calls;
};

static void start_again(void *data)
{
    struct restless *restless = data;
    if (++restless->calls < 1000)
        tr_loop_timer_start(&restless->timer, 0, 0);
}

/* Else nobody else would get a turn, and the clock would stand still. */
TEST(a_timer_that_starts_itself_without_delay_is_called_once_a_turn)
{
    struct restless restless = {0};
    struct tr_loop *loop = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_loop_create(NULL, &loop, &err), &err);
    tr_loop_timer_init(&restless.timer, loop, start_again, &restless);
    tr_loop_timer_start(&restless.timer, 0, 0);
    for (size_t turn = 1; turn <= 10; turn++) {
        CHECK(tr_loop_turn(loop));
        CHECK_INT(restless.calls, turn);
    }
    tr_loop_run(loop);
    CHECK_INT(restless.calls, 1000);
    tr_loop_free(loop);
}

TEST(ticks_are_done_once_before_the_loop_waits)
{
    struct chain chain = {.loop = open_loop(true)};
    struct tr_loop_tick removed;
    forget_calls();
    tr_loop_hold(chain.loop);
    tr_loop_tick_init(&chain.tick, add_other, &chain);
    tr_loop_tick_init(&chain.other, note, "o");
    tr_loop_tick_init(&removed, note, "r");
    tr_loop_tick_add(&chain.tick, chain.loop);
    tr_loop_tick_add(&removed, chain.loop);
    tr_loop_tick_add(&chain.tick, chain.loop);
    tr_loop_tick_remove(&removed);
    tr_loop_tick_remove(&removed);
    (void)tr_loop_turn(chain.loop);
    CHECK_STR(tr_str_from(calls), "to");
    (void)tr_loop_turn(chain.loop);
    CHECK_STR(tr_str_from(calls), "to");
    tr_loop_release(chain.loop);
    tr_loop_free(chain.loop);
}
