#include "mcp/mcp.h"

#include "base/limits.h"
#include "loop/loop.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "mcp/listen.h"
#include "mcp/relay.h"
#include "mcp/session.h"

/* How often a client that waits is told that its call still runs. */
#define HEARTBEAT_MS 15000

/* The shortest and the longest time between two sweeps of sessions. */
#define SWEEP_MIN_MS 250
#define SWEEP_MAX_MS 15000

/*
 * A heartbeat adds so little progress that the handler's own is always ahead of
 * it.
 */
#define HEARTBEAT_STEP 1e-6

static void beat(void *data)
{
    struct tr_mcp *mcp = data;
    uint64_t now = tr_loop_now_ms(mcp->opts.loop);
    for (struct tr_mcp_request *r = mcp->requests; r; r = r->next) {
        if (r->is_running && r->message.progress_token &&
            now - r->started_ms >= HEARTBEAT_MS)
            r->call.door->progress(&r->call, r->progress + HEARTBEAT_STEP, NULL,
                                   (tr_str){NULL, 0});
    }
}

static void sweep(void *data)
{
    tr_mcp_session_sweep(data);
}

/* Sweeps often enough that no session lives much longer than it may. */
static uint64_t sweep_ms(const struct tr_mcp_opts *opts)
{
    uint64_t ms = opts->session_timeout_ms / 4;
    return ms < SWEEP_MIN_MS   ? SWEEP_MIN_MS
           : ms > SWEEP_MAX_MS ? SWEEP_MAX_MS
                               : ms;
}

static void start_timers(struct tr_mcp *mcp)
{
    uint64_t period_ms = sweep_ms(&mcp->opts);
    tr_loop_timer_init(&mcp->heartbeat, mcp->opts.loop, beat, mcp);
    tr_loop_timer_start(&mcp->heartbeat, HEARTBEAT_MS, HEARTBEAT_MS);
    tr_loop_timer_init(&mcp->sweep, mcp->opts.loop, sweep, mcp);
    tr_loop_timer_start(&mcp->sweep, period_ms, period_ms);
}

tr_status tr_mcp_create(const struct tr_mcp_opts *opts, struct tr_mcp **out,
                        struct tr_err *err)
{
    struct tr_mcp *mcp = calloc(1, sizeof(*mcp));
    struct tr_mcp_session_table *table = calloc(1, sizeof(*table));
    if (!mcp || !table) {
        free(mcp);
        free(table);
        return tr_fail(err, TR_E_NOMEM, "no memory for the MCP server");
    }
    mcp->opts = *opts;
    mcp->table = table;
    tr_buf_init(&mcp->out, TR_LIMIT_MESSAGE);
    tr_status status = tr_gate_traces_init(&mcp->traces, err);
    if (status == TR_OK)
        status = tr_mcp_hub_join(opts->hub, mcp, err);
    if (status != TR_OK) {
        free(table);
        free(mcp);
        return status;
    }
    start_timers(mcp);
    tr_mcp_tell_init(mcp);
    *out = mcp;
    return TR_OK;
}

static void cancel_those_who_wait(struct tr_mcp *mcp)
{
    struct tr_mcp_request *request = mcp->requests;
    while (request) {
        struct tr_mcp_request *next = request->next;
        if (request->asker)
            tr_mcp_request_cancel(&request);
        request = next;
    }
}

void tr_mcp_quiet(struct tr_mcp *mcp)
{
    tr_loop_timer_stop(&mcp->heartbeat);
    tr_loop_timer_stop(&mcp->sweep);
    while (mcp->listens)
        tr_mcp_listen_end(mcp->listens);
    for (struct tr_mcp_session *s = mcp->sessions; s; s = s->next) {
        struct tr_mcp_sink *stream = s->peer ? NULL : s->stream;
        if (!stream)
            continue;
        s->stream = NULL;
        stream->ops->release(stream);
    }
    cancel_those_who_wait(mcp);
}

bool tr_mcp_is_idle(const struct tr_mcp *mcp)
{
    return !mcp->requests && !mcp->relays && !mcp->endings;
}

void tr_mcp_stop(struct tr_mcp *mcp)
{
    mcp->is_stopped = true;
    tr_mcp_quiet(mcp);
    tr_mcp_relay_stop(mcp);
    while (mcp->sessions)
        tr_mcp_session_free(mcp->sessions);
    struct tr_mcp_request *request = mcp->requests;
    while (request) {
        struct tr_mcp_request *next = request->next;
        tr_mcp_request_cancel(&request);
        request = next;
    }
}

void tr_mcp_free(struct tr_mcp *mcp)
{
    if (!mcp)
        return;
    tr_mcp_hub_leave(mcp->opts.hub, mcp);
    tr_mcp_tell_done(mcp);
    tr_mcp_watches_done(&mcp->watches);
    while (mcp->spare) {
        struct tr_mcp_request *next = mcp->spare->next;
        tr_arena_done(&mcp->spare->arena);
        free(mcp->spare);
        mcp->spare = next;
    }
    tr_buf_done(&mcp->out);
    free(mcp->table);
    free(mcp);
}

struct tr_mcp_gauges tr_mcp_measure(const struct tr_mcp *mcp)
{
    struct tr_mcp_gauges gauges = {0};
    for (const struct tr_mcp_session *s = mcp->sessions; s; s = s->next) {
        gauges.sessions++;
        gauges.streams += s->stream != NULL;
        gauges.subscriptions += s->watch_count;
    }
    for (const struct tr_mcp_listen *l = mcp->listens; l; l = l->next) {
        gauges.streams++;
        gauges.subscriptions += l->watch_count;
    }
    for (const struct tr_mcp_request *r = mcp->requests; r; r = r->next)
        gauges.running += r->is_running;
    return gauges;
}

const struct tr_mcp_access_log_counts *tr_mcp_counts(const struct tr_mcp *mcp)
{
    return &mcp->counts;
}

void tr_mcp_use_keys(struct tr_mcp *mcp, const struct tr_crypto_keys *keys)
{
    mcp->opts.keys = keys;
}

bool tr_mcp_is_relaying(const struct tr_mcp *mcp)
{
    return mcp->relays != NULL;
}
