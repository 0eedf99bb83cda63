#include "server/metrics.h"

#include "access/authority.h"
#include "base/limits.h"
#include "loop/log_lines.h"
#include "loop/loop.h"
#include "mcp/transport.h"
#include "prov/log.h"
#include "server/worker.h"

/* How often, and how many times, it is checked whether all loops have shown
 * their counts. */
#define CHECK_MS  1
#define CHECK_MAX 250

/* A request that waits for the counts of all loops. */
struct asker {
    struct tr_http_exchange *x;
    struct tr_server_metrics *metrics;
    struct tr_loop_timer timer;
    uint64_t round;
    unsigned checks;
};

/* Runs on the worker's loop: copies its counts to where others read them. */
static void show(void *data)
{
    struct tr_server_worker *worker = data;
    struct tr_server_sample sample = {.mcp = tr_mcp_measure(worker->mcp),
                                      .access = *tr_mcp_counts(worker->mcp),
                                      .rest = *tr_rest_counts(worker->rest),
                                      .rest_running =
                                          tr_rest_running(worker->rest)};
    uint64_t round = atomic_load(&worker->metrics->round);
    if (worker->http) {
        sample.http = tr_http_server_counts(worker->http);
        sample.queued_bytes = tr_http_server_queued(worker->http);
    }
    if (worker->log)
        sample.dropped_lines = tr_loop_log_lines_dropped(worker->log);
    if (worker->env.calls.log)
        sample.lost_activities = tr_prov_log_lost(worker->env.calls.log);
    (void)pthread_mutex_lock(&worker->sample_lock);
    worker->sample = sample;
    (void)pthread_mutex_unlock(&worker->sample_lock);
    atomic_store(&worker->sampled, round);
}

static void add_http(struct tr_http_counts *to,
                     const struct tr_http_counts *from)
{
    to->connections += from->connections;
    to->exchanges += from->exchanges;
    to->buffered += from->buffered;
    to->accepted += from->accepted;
    to->requests += from->requests;
    to->refused += from->refused;
    to->timeouts += from->timeouts;
    for (size_t i = 0; i < TR_LEN(to->responses); i++)
        to->responses[i] += from->responses[i];
}

static void add_sample(struct tr_server_sample *to,
                       const struct tr_server_sample *from)
{
    add_http(&to->http, &from->http);
    to->queued_bytes += from->queued_bytes;
    to->dropped_lines += from->dropped_lines;
    to->lost_activities += from->lost_activities;
    to->mcp.sessions += from->mcp.sessions;
    to->mcp.streams += from->mcp.streams;
    to->mcp.subscriptions += from->mcp.subscriptions;
    to->mcp.running += from->mcp.running;
    tr_mcp_access_log_add(&to->access, &from->access);
    tr_rest_counts_add(&to->rest, &from->rest);
    to->rest_running += from->rest_running;
}

static struct tr_server_sample sum_of(const struct tr_server_metrics *metrics)
{
    struct tr_server_sample sum = {0};
    for (size_t i = 0; i < metrics->worker_count; i++) {
        struct tr_server_worker *worker = &metrics->workers[i];
        (void)pthread_mutex_lock(&worker->sample_lock);
        struct tr_server_sample one = worker->sample;
        (void)pthread_mutex_unlock(&worker->sample_lock);
        add_sample(&sum, &one);
    }
    return sum;
}

static void respond(struct tr_http_exchange *x,
                    const struct tr_server_metrics *metrics)
{
    static const tr_http_field type = {
        TR_STR_INIT("Content-Type"),
        TR_STR_INIT("text/plain; version=0.0.4; charset=utf-8")};
    struct tr_server_sample sum = sum_of(metrics);
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_METRICS);
    tr_server_metrics_write(&text, &sum, metrics);
    if (tr_buf_check(&text, NULL) == TR_OK)
        tr_http_respond(x, 200, &type, 1, tr_buf_str(&text));
    else
        tr_http_respond_text(x, 503, NULL);
    tr_buf_done(&text);
}

static bool all_have_shown(const struct asker *asker)
{
    for (size_t i = 0; i < asker->metrics->worker_count; i++) {
        if (atomic_load(&asker->metrics->workers[i].sampled) < asker->round)
            return false;
    }
    return true;
}

/* Of a loop that is too busy to show its counts, or ends, the last ones count.
 */
static void respond_when_shown(void *data)
{
    struct asker *asker = data;
    if (!all_have_shown(asker) && ++asker->checks < CHECK_MAX)
        return;
    tr_loop_timer_stop(&asker->timer);
    respond(asker->x, asker->metrics);
    free(asker);
}

static void wait_for_all(struct tr_http_exchange *x,
                         struct tr_server_worker *here, uint64_t round)
{
    struct tr_server_metrics *metrics = here->metrics;
    struct asker *asker = calloc(1, sizeof(*asker));
    if (!asker) {
        tr_http_respond_text(x, 503, NULL);
        return;
    }
    *asker = (struct asker){.x = x, .metrics = metrics, .round = round};
    for (size_t i = 0; i < metrics->worker_count; i++) {
        struct tr_server_worker *worker = &metrics->workers[i];
        if (worker == here)
            continue;
        tr_status ignored = tr_loop_post(worker->loop, show, worker, NULL);
        (void)ignored; /* its inbox is full: its last counts are used */
    }
    tr_loop_timer_init(&asker->timer, here->loop, respond_when_shown, asker);
    tr_loop_timer_start(&asker->timer, CHECK_MS, CHECK_MS);
}

/* Each proxy says so in its own way (RFC 9110, 7.6.3; RFC 7239; by custom). */
static bool is_forwarded(const struct tr_http_request *request)
{
    static const tr_str names[] = {
        TR_STR_INIT("Forwarded"),         TR_STR_INIT("Via"),
        TR_STR_INIT("X-Forwarded-For"),   TR_STR_INIT("X-Forwarded-Host"),
        TR_STR_INIT("X-Forwarded-Proto"), TR_STR_INIT("X-Real-IP"),
    };
    tr_str ignored;
    for (size_t i = 0; i < TR_LEN(names); i++) {
        if (tr_http_header_find(request, names[i], &ignored))
            return true;
    }
    return false;
}

/*
 * Whoever has a credential may read metrics; else only processes on this
 * machine, but not a proxy among them, which speaks for somebody else.
 */
static bool is_allowed(struct tr_http_exchange *x,
                       const struct tr_access_authority *authority)
{
    if (authority->is_authenticated)
        return true;
    return tr_http_exchange_is_local(x) &&
           !is_forwarded(tr_http_exchange_request(x));
}

void tr_server_metrics_get(struct tr_http_exchange *x, void *app)
{
    struct tr_server_worker *here = app;
    const struct tr_access_authority *authority = NULL;
    if (!tr_mcp_http_identify(&x, here->mcp, &authority))
        return;
    if (!is_allowed(x, authority)) {
        tr_http_respond_text(x, 403, "metrics are for this machine only\n");
        return;
    }
    uint64_t round = atomic_fetch_add(&here->metrics->round, 1) + 1;
    show(here);
    if (here->metrics->worker_count == 1)
        respond(x, here->metrics);
    else
        wait_for_all(x, here, round);
}
