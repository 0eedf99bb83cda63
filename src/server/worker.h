/*
 * server/worker.h - one loop: its MCP server, its HTTP server, its thread.
 */
#ifndef TR_SERVER_WORKER_H
#define TR_SERVER_WORKER_H

#include "base/err.h"
#include "mcp/mcp.h"
#include "prov/log.h"
#include "rest/rest.h"
#include "server/env.h"
#include "server/metrics.h"

#include <pthread.h>
#include <stdatomic.h>

struct tr_access_bearer;
struct tr_server_gate;
struct tr_server_issuer;
struct tr_server_slow;
struct tr_server_watch;
struct tr_http_server;
struct tr_loop_log_target;
struct tr_mcp_stdio;

struct tr_server_worker {
    struct tr_loop *loop;
    struct tr_server_env env;          /* of its calls */
    struct tr_access_bearer *bearer;   /* checks the credentials of callers */
    const struct tr_server_gate *gate; /* of the process */
    struct tr_mcp *mcp;
    struct tr_rest *rest;
    struct tr_http_server *http;   /* NULL on stdio, and once it has closed */
    struct tr_mcp_stdio *stdio;    /* NULL on HTTP, and once it has closed */
    struct tr_loop_timer drain;    /* waits for the last requests */
    struct tr_loop_timer deadline; /* for a client that does not read */
    unsigned draining_ms;          /* how long it has waited */
    struct tr_server_changes *changes; /* which the first ends; else NULL */
    struct tr_server_issuer *issuer;   /* likewise */
    struct tr_server_slow *slow;       /* likewise */
    struct tr_server_watch *watch;     /* likewise */
    struct tr_loop_log_lines *log;     /* of requests and faults */
    struct tr_server_metrics *metrics; /* of the process */
    pthread_mutex_t sample_lock; /* guards `sample`: other loops read it */
    struct tr_server_sample sample;
    _Atomic uint64_t sampled;                    /* the round of `sample` */
    _Atomic(const struct tr_crypto_keys *) keys; /* to be taken up */
    pthread_t thread;
    bool has_thread;
    _Atomic bool thread_done; /* its thread has nothing more to do */
    bool is_stopping;         /* nothing new is taken */
    bool drained;             /* nothing runs any more */
};

struct tr_server_worker_opts {
    struct tr_mcp_opts mcp;   /* without its loop, its environment, its log */
    struct tr_rest_opts rest; /* likewise */
    struct tr_prov_keep keep; /* how long provenance stays */
    struct tr_graph_store *store; /* outlives it, as what follows does */
    const struct tr_server_gate *gate;
    struct tr_call_idempotency_queue *idempotency_queue;
    struct tr_call_race_queue *race_queue;
    struct tr_query_scans *scans;
    const struct tr_doctor_outside *doctor;
    const struct tr_meta_outside *meta;
    const struct tr_fetch_opts *fetch; /* without a loop */
    struct tr_server_metrics *metrics;
    struct tr_loop_log_target *log; /* of requests and faults */
};

/* Makes the loop and its MCP server. */
TR_NODISCARD tr_status tr_server_worker_open(
    struct tr_server_worker *worker, const struct tr_server_worker_opts *opts,
    struct tr_err *err);

/* A line of the log for an HTTP request; `app` is the worker. */
tr_http_report_fn tr_server_worker_report;

/* Serves a connection, a socket which it takes. On its loop. */
void tr_server_worker_take(struct tr_server_worker *worker, int fd);

/* Serves standard input and output; the loop ends with them. */
TR_NODISCARD tr_status tr_server_worker_serve_stdio(
    struct tr_server_worker *worker, struct tr_err *err);

/* Runs the loop until it has been stopped and everything on it has ended. */
void tr_server_worker_run(struct tr_server_worker *worker);

/* The same on a thread of its own. */
TR_NODISCARD tr_status tr_server_worker_start(struct tr_server_worker *worker,
                                              struct tr_err *err);

/*
 * Has it end everything and stop: soon, or without waiting for handlers and
 * peers. From any thread, as often as one likes.
 */
void tr_server_worker_stop(struct tr_server_worker *worker, bool at_once);

/* Has it use other keys, which outlive it. From the first loop's thread. */
void tr_server_worker_take_keys(struct tr_server_worker *worker,
                                const struct tr_crypto_keys *keys);

/* Waits for its thread, or ends what was never started. */
void tr_server_worker_join(struct tr_server_worker *worker);

/*
 * After all have joined: does on the caller's thread what other loops have left
 * to do here; false when there was nothing.
 */
bool tr_server_worker_settle(struct tr_server_worker *worker);

/* After all have joined: they may post to each other until then. */
void tr_server_worker_close(struct tr_server_worker *worker);

#endif
