#include "server/worker.h"

#include "base/log.h"
#include "http/server.h"
#include "loop/log_lines.h"
#include "loop/loop.h"
#include "loop/thread.h"
#include "mcp/transport.h"
#include "prov/log.h"
#include "server/changes.h"
#include "server/gate.h"
#include "server/issuer.h"
#include "server/slow.h"
#include "server/watch.h"

#include <unistd.h>

/*
 * How long a shutdown waits for peers, and for calls that still run: less than
 * the five seconds that operators are promised.
 */
#define STOP_MS  4000
#define DRAIN_MS 3000

/* How often it checks whether calls have ended. */
#define CHECK_MS 10

/* How much of a path the log shows. */
#define PATH_BYTES ((size_t)256)

static void cut_here(void *data);
static void drain(void *data);

/* Tokens are looked up with the connection of the loop's reader. */
static tr_status open_bearer(struct tr_server_worker *worker,
                             struct tr_err *err)
{
    struct tr_access_bearer_opts opts = worker->gate->bearer;
    opts.db = worker->env.calls.reader->db;
    return tr_access_bearer_create(&opts, &worker->bearer, err);
}

static struct tr_gate gate_of(const struct tr_server_worker *worker,
                              struct tr_graph_store *store)
{
    return (struct tr_gate){
        .loop = worker->loop,
        .bearer = worker->bearer,
        .store = store,
        .rules = worker->gate->rules,
        .origins = worker->gate->origins,
    };
}

tr_status tr_server_worker_open(struct tr_server_worker *worker,
                                const struct tr_server_worker_opts *opts,
                                struct tr_err *err)
{
    struct tr_mcp_opts mcp = opts->mcp;
    struct tr_rest_opts rest = opts->rest;
    *worker =
        (struct tr_server_worker){.metrics = opts->metrics, .gate = opts->gate};
    if (pthread_mutex_init(&worker->sample_lock, NULL) != 0)
        return tr_fail(err, TR_E_NOMEM, "cannot make a lock");
    TR_TRY(tr_loop_create(NULL, &worker->loop, err));
    tr_loop_timer_init(&worker->deadline, worker->loop, cut_here, worker);
    tr_loop_timer_init(&worker->drain, worker->loop, drain, worker);
    if (opts->log)
        TR_TRY(tr_loop_log_lines_create(worker->loop, opts->log, &worker->log,
                                        err));
    TR_TRY(tr_server_env_open(&worker->env, opts->store, worker->loop,
                              opts->keep, opts->fetch, err));
    TR_TRY(open_bearer(worker, err));
    worker->env.calls.keys = mcp.keys;
    worker->env.calls.idempotency_queue = opts->idempotency_queue;
    worker->env.calls.race_queue = opts->race_queue;
    worker->env.calls.scans = opts->scans;
    worker->env.calls.doctor = opts->doctor;
    worker->env.calls.meta = opts->meta;
    mcp.gate = gate_of(worker, opts->store);
    mcp.loop = worker->loop;
    mcp.env = &worker->env.calls;
    mcp.log = rest.log = worker->log;
    rest.gate = mcp.gate;
    rest.loop = worker->loop;
    rest.env = &worker->env.calls;
    TR_TRY(tr_mcp_create(&mcp, &worker->mcp, err));
    return tr_rest_create(&rest, &worker->rest, err);
}

void tr_server_worker_report(void *app, const struct tr_http_report *report)
{
    struct tr_server_worker *worker = app;
    tr_str path = report->path;
    if (path.len > PATH_BYTES)
        path.len = PATH_BYTES;
    const struct tr_log_field fields[] = {
        TR_LOG_TEXT("method", report->method),
        TR_LOG_TEXT("path", path),
        TR_LOG_INT("status", report->status),
        TR_LOG_INT("micros", (int64_t)report->micros),
        TR_LOG_INT("bytes", (int64_t)report->bytes),
    };
    tr_loop_log_lines_add(worker->log, TR_LOG_INFO, "http", fields,
                          TR_LEN(fields));
}

void tr_server_worker_take(struct tr_server_worker *worker, int fd)
{
    if (worker->http && !worker->is_stopping)
        tr_http_server_take(worker->http, fd);
    else
        (void)close(fd);
}

static void http_closed(void *data)
{
    struct tr_server_worker *worker = data;
    worker->http = NULL;
}

static void stdio_closed(void *data)
{
    struct tr_server_worker *worker = data;
    worker->stdio = NULL;
    tr_loop_timer_stop(&worker->deadline);
}

/* Stops whatever still runs. */
static void end_here(struct tr_server_worker *worker)
{
    if (worker->drained)
        return;
    worker->drained = worker->is_stopping = true;
    if (worker->changes)
        tr_server_changes_stop(worker->changes);
    if (worker->issuer)
        tr_server_issuer_stop(worker->issuer);
    if (worker->slow)
        tr_server_slow_stop(worker->slow);
    if (worker->watch)
        tr_server_watch_stop(worker->watch);
    tr_loop_timer_stop(&worker->drain);
    if (worker->mcp)
        tr_mcp_stop(worker->mcp);
    if (worker->rest)
        tr_rest_stop(worker->rest);
    if (worker->env.calls.log)
        tr_prov_log_hurry(worker->env.calls.log);
    if (worker->stdio)
        tr_loop_timer_start(&worker->deadline, STOP_MS, 0);
    tr_mcp_stdio_close(worker->stdio, stdio_closed);
}

/* Whether every request is answered. */
static bool is_idle(const struct tr_server_worker *worker)
{
    return tr_mcp_is_idle(worker->mcp) && tr_rest_is_idle(worker->rest);
}

static void drain(void *data)
{
    struct tr_server_worker *worker = data;
    bool is_heard = !worker->stdio || !tr_mcp_stdio_is_cut(worker->stdio);
    worker->draining_ms += CHECK_MS;
    if (is_heard && !is_idle(worker) && worker->draining_ms < DRAIN_MS)
        return;
    end_here(worker);
}

static void stop_here(void *data)
{
    struct tr_server_worker *worker = data;
    if (worker->is_stopping)
        return;
    worker->is_stopping = true;
    if (worker->http)
        tr_http_server_close(worker->http, STOP_MS, http_closed, worker);
    if (!worker->rest)
        return;
    tr_mcp_quiet(worker->mcp);
    tr_loop_timer_start(&worker->drain, 0, CHECK_MS);
}

static void cut_here(void *data)
{
    struct tr_server_worker *worker = data;
    stop_here(worker);
    end_here(worker);
    if (worker->stdio)
        tr_mcp_stdio_cut(worker->stdio);
    if (worker->http)
        tr_http_server_cut(worker->http);
}

static void input_ended(void *data)
{
    struct tr_server_worker *worker = data;
    tr_loop_timer_start(&worker->drain, 0, CHECK_MS);
}

tr_status tr_server_worker_serve_stdio(struct tr_server_worker *worker,
                                       struct tr_err *err)
{
    return tr_mcp_stdio_open(worker->mcp, input_ended, worker, &worker->stdio,
                             err);
}

/* A loop whose inbox had no room for the stop was stopped itself: then it stops
 * here, in the same two steps. */
void tr_server_worker_run(struct tr_server_worker *worker)
{
    tr_loop_run(worker->loop);
    stop_here(worker);
    tr_loop_run(worker->loop);
    cut_here(worker);
    tr_loop_run(worker->loop);
}

static void *run(void *data)
{
    struct tr_server_worker *worker = data;
    tr_server_worker_run(worker);
    atomic_store(&worker->thread_done, true);
    return NULL;
}

tr_status tr_server_worker_start(struct tr_server_worker *worker,
                                 struct tr_err *err)
{
    TR_TRY(tr_loop_thread_start(&worker->thread, run, worker, err));
    worker->has_thread = true;
    return TR_OK;
}

void tr_server_worker_stop(struct tr_server_worker *worker, bool at_once)
{
    tr_loop_post_fn *fn = at_once ? cut_here : stop_here;
    if (worker->loop && tr_loop_post(worker->loop, fn, worker, NULL) != TR_OK)
        tr_loop_stop(worker->loop);
}

static void use_keys(void *data)
{
    struct tr_server_worker *worker = data;
    worker->env.calls.keys = atomic_load(&worker->keys);
    tr_mcp_use_keys(worker->mcp, worker->env.calls.keys);
}

/* A loop whose inbox is full goes on with the keys it has. */
void tr_server_worker_take_keys(struct tr_server_worker *worker,
                                const struct tr_crypto_keys *keys)
{
    atomic_store(&worker->keys, keys);
    tr_status ignored = tr_loop_post(worker->loop, use_keys, worker, NULL);
    (void)ignored;
}

void tr_server_worker_join(struct tr_server_worker *worker)
{
    if (worker->has_thread)
        (void)pthread_join(worker->thread, NULL);
    else if (worker->rest) {
        stop_here(worker);
        tr_server_worker_run(worker);
    }
}

bool tr_server_worker_settle(struct tr_server_worker *worker)
{
    bool is_waiting = worker->mcp && tr_mcp_is_relaying(worker->mcp);
    if (!worker->loop)
        return false;
    tr_loop_hold(worker->loop);
    (void)tr_loop_turn(worker->loop);
    tr_loop_release(worker->loop);
    return is_waiting;
}

void tr_server_worker_close(struct tr_server_worker *worker)
{
    tr_rest_free(worker->rest);
    tr_mcp_free(worker->mcp);
    tr_access_bearer_free(worker->bearer);
    tr_server_env_close(&worker->env);
    tr_loop_log_lines_free(worker->log);
    tr_loop_free(worker->loop);
    (void)pthread_mutex_destroy(&worker->sample_lock);
}
