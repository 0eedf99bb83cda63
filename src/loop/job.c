#include "base/limits.h"
#include "loop/inside.h"
#include "loop/loop.h"
#include "loop/thread.h"

#include <assert.h>

struct tr_loop_pool {
    uv_mutex_t lock; /* loops put jobs in, workers take them out */
    uv_cond_t waiting;
    struct tr_loop_job *first;
    struct tr_loop_job **last;
    size_t queued;
    size_t queue_max;
    bool stopping;
    unsigned thread_count;
    pthread_t threads[];
};

/* The next job, or NULL when the pool ends. */
static struct tr_loop_job *take_job(struct tr_loop_pool *pool)
{
    uv_mutex_lock(&pool->lock);
    while (!pool->first && !pool->stopping)
        uv_cond_wait(&pool->waiting, &pool->lock);
    struct tr_loop_job *job = pool->first;
    if (job) {
        pool->first = job->next;
        if (!pool->first)
            pool->last = &pool->first;
        pool->queued--;
    }
    uv_mutex_unlock(&pool->lock);
    return job;
}

static void *work(void *data)
{
    struct tr_loop_pool *pool = data;
    for (struct tr_loop_job *job = take_job(pool); job; job = take_job(pool)) {
        if (!tr_loop_job_is_cancelled(job))
            job->run(job);
        tr_loop_finish_job(job->loop, job);
    }
    return NULL;
}

static tr_status start_threads(struct tr_loop_pool *pool, unsigned threads,
                               struct tr_err *err)
{
    for (; pool->thread_count < threads; pool->thread_count++)
        TR_TRY(tr_loop_thread_start(&pool->threads[pool->thread_count], work,
                                    pool, err));
    return TR_OK;
}

tr_status tr_loop_pool_create(unsigned threads, size_t queue_max,
                              struct tr_loop_pool **out, struct tr_err *err)
{
    if (threads == 0 || threads > TR_LIMIT_WORKERS)
        return tr_fail(err, TR_E_INVALID, "a pool has 1 to %d workers",
                       TR_LIMIT_WORKERS);
    struct tr_loop_pool *pool =
        calloc(1, sizeof(*pool) + threads * sizeof(pool->threads[0]));
    if (!pool)
        return tr_fail(err, TR_E_NOMEM, "creating a worker pool");
    pool->last = &pool->first;
    pool->queue_max = queue_max ? queue_max : TR_LIMIT_JOBS_QUEUED;
    if (uv_mutex_init(&pool->lock)) {
        free(pool);
        return tr_fail(err, TR_E_UNAVAILABLE, "creating a lock");
    }
    if (uv_cond_init(&pool->waiting)) {
        uv_mutex_destroy(&pool->lock);
        free(pool);
        return tr_fail(err, TR_E_UNAVAILABLE, "creating a lock");
    }

    tr_status st = start_threads(pool, threads, err);
    if (st != TR_OK)
        tr_loop_pool_free(pool);
    else
        *out = pool;
    return st;
}

void tr_loop_pool_free(struct tr_loop_pool *pool)
{
    if (!pool)
        return;
    uv_mutex_lock(&pool->lock);
    pool->stopping = true;
    uv_cond_broadcast(&pool->waiting);
    uv_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->thread_count; i++)
        (void)pthread_join(pool->threads[i], NULL);
    uv_cond_destroy(&pool->waiting);
    uv_mutex_destroy(&pool->lock);
    free(pool);
}

/* Only the first reason to stop is remembered. */
static void stop_job(struct tr_loop_job *job, tr_status why)
{
    int none = TR_OK;
    (void)atomic_compare_exchange_strong(&job->ended_as, &none, (int)why);
}

static void on_deadline(void *data)
{
    stop_job(data, TR_E_TIMEOUT);
}

static bool enqueue(struct tr_loop_pool *pool, struct tr_loop_job *job)
{
    uv_mutex_lock(&pool->lock);
    bool fits = pool->queued < pool->queue_max;
    if (fits) {
        *pool->last = job;
        pool->last = &job->next;
        pool->queued++;
        uv_cond_signal(&pool->waiting);
    }
    uv_mutex_unlock(&pool->lock);
    return fits;
}

tr_status tr_loop_job_start(struct tr_loop_job *job, struct tr_loop_pool *pool,
                            struct tr_loop *loop, struct tr_err *err)
{
    job->pool = pool;
    job->loop = loop;
    job->next = NULL;
    job->status = TR_OK;
    atomic_init(&job->ended_as, TR_OK);
    tr_loop_timer_init(&job->timer, loop, on_deadline, job);
    if (!enqueue(pool, job))
        return tr_fail(err, TR_E_LIMIT, "too many jobs wait for a worker");
    /* The job may be done already, but `done` is called by this thread. */
    tr_loop_hold(loop);
    if (job->deadline_ms)
        tr_loop_timer_start(&job->timer, job->deadline_ms, 0);
    return TR_OK;
}

void tr_loop_job_cancel(struct tr_loop_job *job)
{
    stop_job(job, TR_E_CANCELLED);
}

bool tr_loop_job_is_cancelled(struct tr_loop_job *job)
{
    return atomic_load(&job->ended_as) != TR_OK;
}

void tr_loop_job_finish(struct tr_loop_job *job)
{
    tr_loop_timer_stop(&job->timer);
    tr_loop_release(job->loop);
    job->status = (tr_status)atomic_load(&job->ended_as);
    job->done(job);
}
