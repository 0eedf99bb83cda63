/*
 * server/metrics.h - what the process has done and has, for GET /metrics.
 *
 * Loops count for themselves, without locks. A request for metrics has each
 * loop copy its counts to where others can read them; that is all they share.
 */
#ifndef TR_SERVER_METRICS_H
#define TR_SERVER_METRICS_H

#include "base/buf.h"
#include "fetch/fetch.h"
#include "http/server.h"
#include "lua/app.h"
#include "mcp/access_log.h"
#include "mcp/mcp.h"
#include "rest/rest.h"

#include <stdatomic.h>

struct tr_graph_store;
struct tr_server_worker;

/* What one loop shows of itself, or all of them together. */
struct tr_server_sample {
    struct tr_http_counts http;
    size_t queued_bytes;
    uint64_t dropped_lines;
    uint64_t lost_activities;
    struct tr_mcp_gauges mcp;
    struct tr_mcp_access_log_counts access;
    struct tr_rest_counts rest;
    size_t rest_running;
};

/* What the process has, and where its loops are. */
struct tr_server_metrics {
    struct tr_server_worker *workers;
    size_t worker_count;
    struct tr_lua_counts lua;
    struct tr_fetch_totals *fetch; /* NULL: nobody can go out */
    _Atomic uint64_t reloads;
    _Atomic uint64_t failed_reloads;
    _Atomic uint64_t changes; /* rows of the store's feed that were read */
    struct tr_graph_store *store;
    _Atomic uint64_t round; /* how many requests there were */
};

/* GET /metrics; `app` is the loop's struct tr_server_worker. */
tr_http_handler_fn tr_server_metrics_get;

/* The text that Prometheus reads, format 0.0.4. */
void tr_server_metrics_write(struct tr_buf *out,
                             const struct tr_server_sample *sum,
                             const struct tr_server_metrics *metrics);

#endif
