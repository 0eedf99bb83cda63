/*
 * Turns for several keys on several loops at a time, of calls that now and then
 * find out that they need one more: never two at work on a key, and nobody
 * waits for ever.
 */
#include "base/test.h"
#include "runtime/race_queue.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define KEYS    5

struct shared {
    struct tr_call_race_queue *queue;
    atomic_int running[KEYS]; /* how many have the turn for it now */
    atomic_int most;          /* that had one at the same time */
};

struct member {
    struct shared *shared;
    struct tr_loop *loop;
    struct tr_call_race_turn turn;
    size_t keys[2];
    size_t key_count; /* of those that it has entered for */
    size_t left;      /* turns to be taken */
    size_t step;
    pthread_t thread;
};

static void await(struct member *m);

static void enter(struct member *m, size_t key)
{
    struct tr_graph_race race = {0};
    m->keys[m->key_count++] = key;
    tr_graph_race_add(&race, key, 0);
    tr_call_race_queue_enter(m->shared->queue, &m->turn, &race);
    await(m);
}

static void count(struct member *m, int more)
{
    for (size_t i = 0; i < m->key_count; i++)
        if (atomic_fetch_add(&m->shared->running[m->keys[i]], more) > 0 &&
            more > 0)
            atomic_store(&m->shared->most, 2);
}

static void begin(struct member *m)
{
    if (m->left == 0)
        return;
    m->left--;
    m->key_count = 0;
    enter(m, m->step++ % KEYS);
}

/* In a later turn of the loop, so that others come in between. */
static void end(void *data)
{
    struct member *m = data;
    size_t other = m->step++ * 7 % KEYS;
    count(m, -1);
    if (m->key_count == 1 && other != m->keys[0]) {
        enter(m, other);
    } else {
        CHECK(tr_call_race_queue_leave(m->shared->queue, &m->turn));
        begin(m);
    }
    tr_loop_release(m->loop);
}

static void run(struct member *m)
{
    struct tr_err err = {0};
    count(m, 1);
    tr_loop_hold(m->loop);
    CHECK_OK(tr_loop_post(m->loop, end, m, &err), &err);
}

static void await(struct member *m)
{
    if (tr_call_race_queue_await(m->shared->queue, &m->turn))
        run(m);
    else
        tr_loop_hold(m->loop);
}

static void woken(struct tr_call_race_turn *turn)
{
    struct member *m = turn->data;
    CHECK(tr_call_race_queue_await(m->shared->queue, turn));
    run(m);
    tr_loop_release(m->loop);
}

static void *work(void *data)
{
    struct member *m = data;
    m->turn.loop = m->loop;
    m->turn.woken = woken;
    m->turn.data = m;
    begin(m);
    tr_loop_run(m->loop);
    return NULL;
}

TEST(race_turns_on_many_loops_are_one_after_the_other)
{
    struct shared shared = {0};
    struct member members[THREADS] = {0};
    struct tr_err err = {0};
    CHECK_OK(tr_call_race_queue_create(&shared.queue, &err), &err);
    for (size_t i = 0; i < THREADS; i++) {
        members[i] =
            (struct member){.shared = &shared, .left = 2000, .step = i};
        CHECK_OK(tr_loop_create(NULL, &members[i].loop, &err), &err);
    }
    for (size_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&members[i].thread, NULL, work, &members[i]),
                  0);
    for (size_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(members[i].thread, NULL), 0);
    CHECK_INT(atomic_load(&shared.most), 0);
    CHECK(!tr_call_race_queue_is_taken(shared.queue, NULL, NULL));
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_INT(members[i].left, 0);
        tr_loop_free(members[i].loop);
    }
    tr_call_race_queue_free(shared.queue);
}
