/*
 * Turns of one key on several loops at a time: never two at once, nobody is
 * forgotten, and who gives up is let go.
 */
#include "base/test.h"
#include "runtime/idempotency_queue.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define KEYS    3

struct shared {
    struct tr_call_idempotency_queue *queue;
    atomic_int running[KEYS]; /* how many have the turn now */
    atomic_int most;          /* that had one at the same time */
};

struct member {
    struct shared *shared;
    struct tr_loop *loop;
    struct tr_call_idempotency_turn turn;
    size_t key;
    size_t left; /* turns to be taken */
    size_t had;
    pthread_t thread;
};

static void begin(struct member *m);

/* In a later turn of the loop, so that others come in between. */
static void end(void *data)
{
    struct member *m = data;
    atomic_fetch_sub(&m->shared->running[m->key], 1);
    tr_call_idempotency_queue_leave(m->shared->queue, &m->turn);
    m->had++;
    m->left--;
    begin(m);
    tr_loop_release(m->loop);
}

static void run(struct member *m)
{
    struct tr_err err = {0};
    if (atomic_fetch_add(&m->shared->running[m->key], 1) > 0)
        atomic_store(&m->shared->most, 2);
    tr_loop_hold(m->loop);
    CHECK_OK(tr_loop_post(m->loop, end, m, &err), &err);
}

static void woken(struct tr_call_idempotency_turn *turn)
{
    struct member *m = turn->data;
    begin(m);
    tr_loop_release(m->loop);
}

static void begin(struct member *m)
{
    if (m->left == 0)
        return;
    m->key = (m->key + 1) % KEYS;
    memset(&m->turn.name, (int)m->key, sizeof(m->turn.name));
    if (tr_call_idempotency_queue_enter(m->shared->queue, &m->turn) ==
        TR_CALL_IDEMPOTENCY_OURS)
        run(m);
    else
        tr_loop_hold(m->loop);
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

TEST(idempotency_turns_on_many_loops_are_one_after_the_other)
{
    struct shared shared = {0};
    struct member members[THREADS] = {0};
    struct tr_err err = {0};
    size_t count = 2000;
    CHECK_OK(tr_call_idempotency_queue_create(&shared.queue, &err), &err);
    for (size_t i = 0; i < THREADS; i++) {
        members[i] = (struct member){.shared = &shared, .left = count};
        CHECK_OK(tr_loop_create(NULL, &members[i].loop, &err), &err);
    }
    for (size_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&members[i].thread, NULL, work, &members[i]),
                  0);
    for (size_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(members[i].thread, NULL), 0);
    CHECK_INT(atomic_load(&shared.most), 0);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_INT(members[i].had, count);
        tr_loop_free(members[i].loop);
    }
    tr_call_idempotency_queue_free(shared.queue);
}

static void count_up(struct tr_call_idempotency_turn *turn)
{
    (*(int *)turn->data)++;
}

TEST(idempotency_turns_go_to_those_that_wait_but_not_to_who_gave_up)
{
    struct tr_call_idempotency_queue *queue = NULL;
    struct tr_loop *loop = NULL;
    struct tr_err err = {0};
    int woken_count[3] = {0};
    struct tr_call_idempotency_turn turn[3] = {0};
    CHECK_OK(tr_call_idempotency_queue_create(&queue, &err), &err);
    CHECK_OK(tr_loop_create(NULL, &loop, &err), &err);
    for (size_t i = 0; i < 3; i++)
        turn[i] = (struct tr_call_idempotency_turn){
            .loop = loop, .woken = count_up, .data = &woken_count[i]};
    CHECK(tr_call_idempotency_queue_enter(queue, &turn[0]) ==
          TR_CALL_IDEMPOTENCY_OURS);
    CHECK(tr_call_idempotency_queue_enter(queue, &turn[1]) ==
          TR_CALL_IDEMPOTENCY_WAITS);
    CHECK(tr_call_idempotency_queue_enter(queue, &turn[2]) ==
          TR_CALL_IDEMPOTENCY_WAITS);
    CHECK(tr_call_idempotency_queue_give_up(queue, &turn[1]));
    CHECK(!tr_call_idempotency_queue_give_up(queue, &turn[1]));
    tr_call_idempotency_queue_leave(queue, &turn[0]);
    CHECK(!tr_call_idempotency_queue_give_up(queue, &turn[2])); /* too late */
    tr_loop_hold(loop);
    while (!woken_count[2])
        (void)tr_loop_turn(loop);
    tr_loop_release(loop);
    CHECK_INT(woken_count[0] + woken_count[1], 0);
    /* Now it is free again, for other arguments too. */
    turn[1].name.args[0] = 1;
    CHECK(tr_call_idempotency_queue_enter(queue, &turn[1]) ==
          TR_CALL_IDEMPOTENCY_OURS);
    CHECK(tr_call_idempotency_queue_enter(queue, &turn[2]) ==
          TR_CALL_IDEMPOTENCY_NONE);
    turn[2].name.id[31] = 1;
    CHECK(tr_call_idempotency_queue_enter(queue, &turn[2]) ==
          TR_CALL_IDEMPOTENCY_OURS);
    tr_call_idempotency_queue_leave(queue, &turn[2]);
    tr_call_idempotency_queue_leave(queue, &turn[1]);
    tr_loop_free(loop);
    tr_call_idempotency_queue_free(queue);
}
