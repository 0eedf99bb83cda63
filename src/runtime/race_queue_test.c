#include "runtime/race_queue.h"

#include "base/test.h"

/* Some calls in a queue, on one loop. */
struct calls {
    struct tr_loop *loop;
    struct tr_call_race_queue *queue;
    struct tr_call_race_turn turns[4];
    int woken[4];
};

static void on_woken(struct tr_call_race_turn *turn)
{
    struct calls *calls = turn->data;
    calls->woken[turn - calls->turns]++;
    CHECK(tr_call_race_queue_await(calls->queue, turn));
}

static void open_calls(struct calls *calls)
{
    struct tr_err err = {0};
    *calls = (struct calls){0};
    CHECK_OK(tr_loop_create(NULL, &calls->loop, &err), &err);
    tr_loop_hold(calls->loop);
    CHECK_OK(tr_call_race_queue_create(&calls->queue, &err), &err);
    for (size_t i = 0; i < TR_LEN(calls->turns); i++) {
        calls->turns[i].loop = calls->loop;
        calls->turns[i].woken = on_woken;
        calls->turns[i].data = calls;
    }
}

static void close_calls(struct calls *calls)
{
    CHECK(!tr_call_race_queue_is_taken(calls->queue, NULL, NULL));
    tr_call_race_queue_free(calls->queue);
    tr_loop_release(calls->loop);
    tr_loop_free(calls->loop);
}

/* Enters with some of the keys 1 to 8, each a digit of base 10. */
static void enter(struct calls *calls, size_t i, unsigned digits)
{
    struct tr_graph_race race = {0};
    for (; digits; digits /= 10)
        tr_graph_race_add(&race, digits % 10, 0);
    tr_call_race_queue_enter(calls->queue, &calls->turns[i], &race);
}

static bool runs(struct calls *calls, size_t i)
{
    return tr_call_race_queue_await(calls->queue, &calls->turns[i]);
}

static void leave(struct calls *calls, size_t i)
{
    CHECK(tr_call_race_queue_leave(calls->queue, &calls->turns[i]));
    (void)tr_loop_turn(calls->loop);
}

static bool is_taken(struct calls *calls, size_t i, uint64_t key)
{
    return tr_call_race_queue_is_taken(calls->queue, &calls->turns[i], &key);
}

TEST(race_queue_gives_turns_in_the_order_of_entry)
{
    struct calls calls;
    open_calls(&calls);
    enter(&calls, 0, 1);
    enter(&calls, 1, 1);
    enter(&calls, 2, 1);
    enter(&calls, 3, 2);
    CHECK(runs(&calls, 0) && !runs(&calls, 1) && !runs(&calls, 2));
    CHECK(runs(&calls, 3));
    CHECK(!is_taken(&calls, 0, 1) && is_taken(&calls, 1, 1));
    CHECK(is_taken(&calls, 0, 2) && !is_taken(&calls, 0, 3));
    leave(&calls, 0);
    CHECK(calls.woken[1] == 1 && calls.woken[2] == 0);
    CHECK(is_taken(&calls, 0, 1)); /* nobody is first in between */
    leave(&calls, 1);
    CHECK_INT(calls.woken[2], 1);
    leave(&calls, 2);
    leave(&calls, 3);
    close_calls(&calls);
}

/* Each has what the other one finds out that it needs. */
TEST(race_queue_has_no_circle)
{
    struct calls calls;
    open_calls(&calls);
    enter(&calls, 0, 1);
    enter(&calls, 1, 2);
    CHECK(runs(&calls, 0) && runs(&calls, 1));
    enter(&calls, 0, 2); /* the other one is at work on it */
    CHECK(!runs(&calls, 0));
    CHECK(!is_taken(&calls, 1, 2)); /* it may still land */
    enter(&calls, 1, 1);            /* and has failed on what is not its */
    CHECK(!runs(&calls, 1));
    (void)tr_loop_turn(calls.loop);
    CHECK_INT(calls.woken[0], 1); /* who entered first goes on */
    leave(&calls, 0);
    CHECK_INT(calls.woken[1], 1);
    leave(&calls, 1);
    close_calls(&calls);
}

TEST(race_queue_waits_for_all_keys_and_lets_others_pass)
{
    struct calls calls;
    open_calls(&calls);
    enter(&calls, 0, 1);
    enter(&calls, 1, 12);
    enter(&calls, 2, 2); /* behind one that waits */
    enter(&calls, 3, 3);
    CHECK(runs(&calls, 0) && !runs(&calls, 1) && !runs(&calls, 2));
    CHECK(runs(&calls, 3));
    leave(&calls, 1); /* it gives up */
    CHECK_INT(calls.woken[2], 1);
    leave(&calls, 0);
    leave(&calls, 2);
    leave(&calls, 3);
    close_calls(&calls);
}

/* Who is being woken hears of it before it may go. */
TEST(race_queue_does_not_lose_who_is_woken)
{
    struct calls calls;
    open_calls(&calls);
    enter(&calls, 0, 1);
    enter(&calls, 1, 1);
    CHECK(runs(&calls, 0) && !runs(&calls, 1));
    CHECK(tr_call_race_queue_leave(calls.queue, &calls.turns[0]));
    CHECK(!tr_call_race_queue_leave(calls.queue, &calls.turns[1]));
    (void)tr_loop_turn(calls.loop);
    CHECK_INT(calls.woken[1], 1);
    leave(&calls, 1);
    close_calls(&calls);
}

TEST(race_queue_keeps_as_many_keys_as_it_has_room_for)
{
    struct calls calls;
    open_calls(&calls);
    for (unsigned key = 1; key <= 3 * TR_LIMIT_RIVALS; key++) {
        struct tr_graph_race race = {0};
        tr_graph_race_add(&race, key * 7919, 0);
        tr_call_race_queue_enter(calls.queue, &calls.turns[0], &race);
        CHECK(runs(&calls, 0));
    }
    CHECK(is_taken(&calls, 1, 7919));
    leave(&calls, 0);
    close_calls(&calls);
}
