#include "server/worker.h"

#include "http/server.h"
#include "loop/loop.h"
#include "mcp/stdio.h"

/* How long a shutdown waits for handlers and peers. */
#define STOP_MS 5000

/* After the end of input, calls that still run have two seconds. */
#define DRAIN_MS    10
#define DRAIN_TICKS 200

tr_status tr_worker_open(struct tr_worker *worker, struct tr_mcp_opts *opts,
                         struct tr_err *err)
{
    *worker = (struct tr_worker){0};
    TR_TRY(tr_loop_create(NULL, &worker->loop, err));
    opts->loop = worker->loop;
    return tr_mcp_create(opts, &worker->mcp, err);
}

static void stop_here(void *data)
{
    struct tr_worker *worker = data;
    if (worker->is_stopping)
        return;
    worker->is_stopping = true;
    tr_timer_stop(&worker->drain);
    tr_mcp_stop(worker->mcp);
    tr_mcp_stdio_close(worker->stdio);
    if (worker->http)
        tr_http_server_close(worker->http, STOP_MS, NULL, NULL);
}

static void drain(void *data)
{
    struct tr_worker *worker = data;
    if (!worker->mcp->requests || ++worker->drain_ticks == DRAIN_TICKS)
        stop_here(worker);
}

static void input_ended(void *data)
{
    struct tr_worker *worker = data;
    tr_timer_start(&worker->drain, 0, DRAIN_MS);
}

tr_status tr_worker_serve_stdio(struct tr_worker *worker, struct tr_err *err)
{
    tr_timer_init(&worker->drain, worker->loop, drain, worker);
    return tr_mcp_stdio_open(worker->mcp, input_ended, worker, &worker->stdio,
                             err);
}

static void *run(void *data)
{
    struct tr_worker *worker = data;
    tr_loop_run(worker->loop);
    return NULL;
}

tr_status tr_worker_start(struct tr_worker *worker, struct tr_err *err)
{
    if (pthread_create(&worker->thread, NULL, run, worker) != 0)
        return tr_fail(err, TR_E_LIMIT, "cannot start a thread");
    worker->has_thread = true;
    return TR_OK;
}

/* When its inbox is full, the loop is busy: it will be asked again. */
void tr_worker_stop(struct tr_worker *worker)
{
    if (worker->loop &&
        tr_loop_post(worker->loop, stop_here, worker, NULL) != TR_OK)
        tr_loop_stop(worker->loop);
}

void tr_worker_join(struct tr_worker *worker)
{
    if (worker->has_thread)
        (void)pthread_join(worker->thread, NULL);
    worker->has_thread = false;
}

bool tr_worker_settle(struct tr_worker *worker)
{
    bool is_waiting = worker->mcp && worker->mcp->relays;
    if (!worker->loop)
        return false;
    tr_loop_hold(worker->loop);
    (void)tr_loop_turn(worker->loop);
    tr_loop_release(worker->loop);
    return is_waiting;
}

void tr_worker_close(struct tr_worker *worker)
{
    tr_mcp_free(worker->mcp);
    tr_loop_free(worker->loop);
}
