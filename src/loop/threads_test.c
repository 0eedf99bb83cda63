/* What threads do to a loop; also built and run with ThreadSanitizer. */
#include "base/test.h"
#include "loop/loop.h"
#include "loop/thread.h"

#include <pthread.h>
#include <unistd.h>

#define SENDERS 4
#define POSTS   2000

struct inbox {
    struct tr_loop *loop;
    unsigned next[SENDERS]; /* the number expected from each sender */
    unsigned total;
};

struct sender {
    pthread_t thread;
    struct inbox *inbox;
    unsigned number;
};

struct letter {
    struct inbox *inbox;
    unsigned sender;
    unsigned number;
};

static void on_letter(void *data)
{
    struct letter *letter = data;
    struct inbox *inbox = letter->inbox;
    CHECK_INT(letter->number, inbox->next[letter->sender]);
    inbox->next[letter->sender]++;
    inbox->total++;
    free(letter);
    if (inbox->total == SENDERS * POSTS)
        tr_loop_release(inbox->loop);
}

static void *send_letters(void *data)
{
    struct sender *sender = data;
    for (unsigned i = 0; i < POSTS; i++) {
        struct letter *letter = calloc(1, sizeof(*letter));
        *letter = (struct letter){sender->inbox, sender->number, i};
        while (tr_loop_post(sender->inbox->loop, on_letter, letter, NULL) !=
               TR_OK)
            (void)sched_yield(); /* full: the loop has to catch up */
    }
    return NULL;
}

TEST(posts_from_many_threads_arrive_each_in_order)
{
    struct inbox inbox = {0};
    struct sender senders[SENDERS];
    const struct tr_loop_opts opts = {.inbox_count = 100};
    CHECK_OK(tr_loop_create(&opts, &inbox.loop, NULL), NULL);
    tr_loop_hold(inbox.loop);
    for (unsigned i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){.inbox = &inbox, .number = i};
        CHECK(pthread_create(&senders[i].thread, NULL, send_letters,
                             &senders[i]) == 0);
    }
    tr_loop_run(inbox.loop);
    CHECK_INT(inbox.total, SENDERS * POSTS);
    for (unsigned i = 0; i < SENDERS; i++)
        (void)pthread_join(senders[i].thread, NULL);
    tr_loop_free(inbox.loop);
}

static void *stop_it(void *data)
{
    tr_loop_stop(data);
    return NULL;
}

TEST(a_loop_is_stopped_by_another_thread)
{
    struct tr_loop *loop = NULL;
    pthread_t thread;
    CHECK_OK(tr_loop_create(NULL, &loop, NULL), NULL);
    tr_loop_hold(loop);
    CHECK(pthread_create(&thread, NULL, stop_it, loop) == 0);
    tr_loop_run(loop);
    (void)pthread_join(thread, NULL);
    tr_loop_release(loop);
    tr_loop_free(loop);
}

struct sum {
    struct tr_loop_job job;
    uint64_t from;
    uint64_t result;
    unsigned *done;
};

static void add_up(struct tr_loop_job *job)
{
    struct sum *sum = job->data;
    for (uint64_t i = 0; i < 1000; i++)
        sum->result += sum->from + i;
}

static void on_sum(struct tr_loop_job *job)
{
    struct sum *sum = job->data;
    CHECK_INT(job->status, TR_OK);
    CHECK_INT(sum->result, sum->from * 1000 + 499500);
    (*sum->done)++;
}

TEST(jobs_run_on_workers_and_end_on_their_loop)
{
    enum { JOBS = 500 };
    static struct sum sums[JOBS];
    struct tr_loop *loop = NULL;
    struct tr_loop_pool *pool = NULL;
    unsigned done = 0;
    CHECK_OK(tr_loop_create(NULL, &loop, NULL), NULL);
    CHECK_OK(tr_loop_pool_create(3, 0, &pool, NULL), NULL);
    for (unsigned i = 0; i < JOBS; i++) {
        sums[i] = (struct sum){.from = i, .done = &done};
        sums[i].job.run = add_up;
        sums[i].job.done = on_sum;
        sums[i].job.data = &sums[i];
        CHECK_OK(tr_loop_job_start(&sums[i].job, pool, loop, NULL), NULL);
    }
    tr_loop_run(loop); /* ends by itself when the last is done */
    CHECK_INT(done, JOBS);
    tr_loop_pool_free(pool);
    tr_loop_free(loop);
}

struct spin {
    struct tr_loop_job job;
    _Atomic bool running;
    bool done;
};

static void spin(struct tr_loop_job *job)
{
    struct spin *one = job->data;
    atomic_store(&one->running, true);
    while (!tr_loop_job_is_cancelled(job))
        (void)sched_yield();
}

static void on_spun(struct tr_loop_job *job)
{
    ((struct spin *)job->data)->done = true;
}

static struct spin make_spin(struct spin *self)
{
    return (struct spin){.job = {.run = spin, .done = on_spun, .data = self}};
}

TEST(a_job_hears_that_it_is_cancelled_and_one_that_waits_never_runs)
{
    struct tr_loop *loop = NULL;
    struct tr_loop_pool *pool = NULL;
    struct tr_err err = {0};
    struct spin first = make_spin(&first);
    struct spin second = make_spin(&second);
    struct spin third = make_spin(&third);
    CHECK_OK(tr_loop_create(NULL, &loop, NULL), NULL);
    CHECK_OK(tr_loop_pool_create(1, 1, &pool, NULL), NULL);
    CHECK_OK(tr_loop_job_start(&first.job, pool, loop, NULL), NULL);
    while (!atomic_load(&first.running))
        (void)sched_yield();
    CHECK_OK(tr_loop_job_start(&second.job, pool, loop, NULL), NULL);
    CHECK_INT(tr_loop_job_start(&third.job, pool, loop, &err), TR_E_LIMIT);
    tr_loop_job_cancel(&second.job);
    tr_loop_job_cancel(&first.job);
    tr_loop_run(loop);
    CHECK(first.done && second.done && !third.done);
    CHECK_INT(first.job.status, TR_E_CANCELLED);
    CHECK_INT(second.job.status, TR_E_CANCELLED);
    CHECK(!atomic_load(&second.running));
    tr_loop_pool_free(pool);
    tr_loop_free(loop);
}

TEST(a_job_is_stopped_at_its_deadline)
{
    struct tr_loop *loop = NULL;
    struct tr_loop_pool *pool = NULL;
    const struct tr_loop_opts opts = {.test_clock = true};
    struct spin one = make_spin(&one);
    one.job.deadline_ms = 1000;
    CHECK_OK(tr_loop_create(&opts, &loop, NULL), NULL);
    CHECK_OK(tr_loop_pool_create(1, 0, &pool, NULL), NULL);
    CHECK_OK(tr_loop_job_start(&one.job, pool, loop, NULL), NULL);
    while (!atomic_load(&one.running))
        (void)sched_yield();
    tr_loop_step(loop, 999);
    CHECK(!tr_loop_job_is_cancelled(&one.job));
    tr_loop_step(loop, 1);
    CHECK(tr_loop_job_is_cancelled(&one.job));
    tr_loop_run(loop);
    CHECK(one.done);
    CHECK_INT(one.job.status, TR_E_TIMEOUT);
    tr_loop_pool_free(pool);
    tr_loop_free(loop);
}

TEST(a_pool_has_a_sensible_number_of_workers)
{
    struct tr_loop_pool *pool = NULL;
    struct tr_err err = {0};
    CHECK_INT(tr_loop_pool_create(0, 0, &pool, &err), TR_E_INVALID);
    CHECK_INT(tr_loop_pool_create(1000, 0, &pool, &err), TR_E_INVALID);
    tr_loop_pool_free(NULL);
}
