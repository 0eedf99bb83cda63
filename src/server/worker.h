/*
 * server/worker.h - one loop: its MCP server, its HTTP listener, its thread.
 */
#ifndef TR_SERVER_WORKER_H
#define TR_SERVER_WORKER_H

#include "base/err.h"
#include "mcp/mcp.h"

#include <pthread.h>

struct tr_http_server;
struct tr_mcp_stdio;

struct tr_worker {
    struct tr_loop *loop;
    struct tr_mcp *mcp;
    struct tr_http_server *http; /* NULL on stdio */
    struct tr_mcp_stdio *stdio;  /* NULL on HTTP */
    struct tr_timer drain;       /* waits for the last requests on stdio */
    unsigned drain_ticks;
    pthread_t thread;
    bool has_thread;
    bool is_stopping;
};

/* Makes the loop and its MCP server; `opts->loop` is filled in. */
TR_NODISCARD tr_status tr_worker_open(struct tr_worker *worker,
                                      struct tr_mcp_opts *opts,
                                      struct tr_err *err);

/* Serves standard input and output; the loop ends with them. */
TR_NODISCARD tr_status tr_worker_serve_stdio(struct tr_worker *worker,
                                             struct tr_err *err);

/* Runs the loop on a thread of its own. */
TR_NODISCARD tr_status tr_worker_start(struct tr_worker *worker,
                                       struct tr_err *err);

/* Has it end everything and stop. From any thread, once. */
void tr_worker_stop(struct tr_worker *worker);

/* Waits for its thread. */
void tr_worker_join(struct tr_worker *worker);

/*
 * Does what other loops have left to do here, on the caller's thread; false
 * when nothing was. For when no loop runs any more.
 */
bool tr_worker_settle(struct tr_worker *worker);

/* Frees. */
void tr_worker_close(struct tr_worker *worker);

#endif
