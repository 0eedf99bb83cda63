/* Timers against a list that is searched from end to end. */
#include "base/test.h"
#include "loop/loop.h"
#include "loop/timer.h"

#define TIMERS 64
#define ROUNDS 200000

struct watched {
    struct tr_loop_timer timer;
    bool active;
    uint64_t due_ms;
    uint64_t started; /* the number of its start, counted over all timers */
};

static struct watched all[TIMERS];
static uint64_t last_due_ms;
static uint64_t last_started;

/* The timer that is called must be the first of those in the model. */
static void on_call(void *data)
{
    struct watched *called = data;
    CHECK(called->active);
    called->active = false;
    CHECK_INT(tr_loop_now_ms(called->timer.loop), called->due_ms);
    CHECK(called->due_ms > last_due_ms || called->started > last_started);
    last_due_ms = called->due_ms;
    last_started = called->started;
    for (size_t i = 0; i < TIMERS; i++) {
        if (all[i].active)
            CHECK(all[i].due_ms >= called->due_ms);
    }
}

static void check_all(struct tr_loop *loop)
{
    for (size_t i = 0; i < TIMERS; i++) {
        CHECK(all[i].active == all[i].timer.active);
        CHECK(!all[i].active || all[i].due_ms > tr_loop_now_ms(loop));
    }
}

static void change_one(struct tr_loop *loop, uint64_t round)
{
    struct watched *one = &all[tr_test_random_below(TIMERS)];
    uint64_t delay_ms = 1 + tr_test_random_below(50);
    switch (tr_test_random_below(4)) {
    case 0:
        tr_loop_timer_stop(&one->timer);
        one->active = false;
        break;
    case 1:
        tr_loop_step(loop, tr_test_random_below(20));
        break;
    default:
        tr_loop_timer_start(&one->timer, delay_ms, 0);
        one->active = true;
        one->due_ms = tr_loop_now_ms(loop) + delay_ms;
        one->started = round;
    }
}

TEST(timers_keep_their_order_whatever_is_started_and_stopped)
{
    struct tr_loop *loop = NULL;
    const struct tr_loop_opts opts = {.test_clock = true};
    CHECK_OK(tr_loop_create(&opts, &loop, NULL), NULL);
    for (size_t i = 0; i < TIMERS; i++)
        tr_loop_timer_init(&all[i].timer, loop, on_call, &all[i]);
    for (uint64_t round = 1; round <= tr_test_scaled(ROUNDS); round++) {
        change_one(loop, round);
        check_all(loop);
    }
    for (size_t i = 0; i < TIMERS; i++)
        tr_loop_timer_stop(&all[i].timer);
    tr_loop_free(loop);
}
