/*
 * load/stop.c - SIGTERM in the middle of everything: listen streams get their
 * final response and a proper end, streams of sessions and of calls end as
 * HTTP wants it, and no response is torn.
 */
#include "load/mcp.h"

#include <signal.h>

#define CALLERS  16
#define WAITERS  16
#define SESSIONS 8
#define AT_ONCE  64
#define CALLS    10 /* of each caller, before the signal */
#define SESSION  "2025-11-25"

struct stop_run {
    struct load *load;
    size_t listeners;
    size_t asked;    /* listen streams that were asked for */
    size_t ready;    /* streams, waiters and sessions that have begun */
    size_t finals;   /* responses of listen streams */
    size_t ends;     /* proper ends of streams */
    size_t answered; /* calls */
    bool is_stopping;
};

static struct stop_run *run_of(struct load_conn *conn)
{
    return conn->owner;
}

/* For messages: what the connection was for. */
static const char *name_of(const struct load_conn *conn);

static void count_end(struct load_conn *conn)
{
    run_of(conn)->ends++;
    if (!run_of(conn)->is_stopping)
        load_fail(conn->load, "a stream ended before the signal");
}

/* Nothing of a response may have come without its end. */
static void check_whole(struct load_conn *conn)
{
    if (!run_of(conn)->is_stopping)
        load_fail(conn->load, "a connection was closed before the signal");
    else if (conn->phase != LOAD_HEAD || conn->in.len || conn->text.len)
        load_fail(conn->load,
                  "a response to %s is torn: phase %d, %zu bytes left",
                  name_of(conn), (int)conn->phase, conn->left);
}

static void check_ended(struct load_conn *conn)
{
    check_whole(conn);
    if (conn->is_pending)
        load_fail(conn->load, "a stream was cut off without its end");
}

static void listen_event(struct load_conn *conn, const struct load_event *event)
{
    struct stop_run *run = run_of(conn);
    const struct tr_json *root = load_parse(conn->load, event->data);
    tr_str method = load_text(root, "/method");
    if (tr_str_eq(method, TR_STR("notifications/subscriptions/acknowledged")))
        run->ready++;
    else if (tr_str_eq(load_text(root, "/result/resultType"),
                       TR_STR("complete")) &&
             tr_str_eq(load_text(root, "/id"), TR_STR("L1")))
        run->finals++;
    else if (method.len == 0)
        load_fail(conn->load, "unexpected: %.*s", TR_FMT(event->data));
}

static const struct load_ops listen_ops = {
    .on_event = listen_event, .on_end = count_end, .on_closed = check_ended};

static void open_listener(struct stop_run *run)
{
    struct load_message message = {
        .revision = LOAD_MODERN,
        .id = "\"L1\"",
        .method = "subscriptions/listen",
        .params = "\"notifications\":{\"resourceSubscriptions\":[\"load:a\"]}"};
    struct load_conn *conn = load_open(run->load, &listen_ops, run);
    run->asked++;
    if (conn)
        load_post(conn, &message);
}

static void wait_event(struct load_conn *conn, const struct load_event *event)
{
    (void)event;
    if (conn->events == 1)
        run_of(conn)->ready++;
}

static const struct load_ops wait_ops = {
    .on_event = wait_event, .on_end = count_end, .on_closed = check_ended};

static void open_waiter(struct stop_run *run)
{
    struct load_message message = {
        .revision = LOAD_MODERN,
        .id = "1",
        .method = "tools/call",
        .name = "wait",
        .params = "\"name\":\"wait\",\"arguments\":{\"seconds\":600}",
        .meta = "\"progressToken\":1"};
    struct load_conn *conn = load_open(run->load, &wait_ops, run);
    if (conn)
        load_post(conn, &message);
}

/* The touches also go to every listen stream while it is being ended. */
static void call(struct load_conn *conn)
{
    struct load_message message = {
        .revision = LOAD_MODERN,
        .id = "1",
        .method = "tools/call",
        .name = "touch",
        .params = "\"name\":\"touch\",\"arguments\":{\"uris\":[\"load:a\"]}"};
    load_post(conn, &message);
}

static void call_body(struct load_conn *conn, tr_str body)
{
    const struct tr_json *root = load_parse(conn->load, body);
    if (conn->status != 200 || !tr_json_find(root, TR_STR("result")))
        load_fail(conn->load, "a call got %d: %.*s", conn->status,
                  TR_FMT(body));
    run_of(conn)->answered++;
    call(conn);
}

/* A call that was cancelled by the stop ends without an answer. */
static const struct load_ops call_ops = {
    .on_body = call_body, .on_end = count_end, .on_closed = check_whole};

static void stream_bytes(struct load_conn *conn)
{
    if (conn->events == 0 && conn->phase == LOAD_HEAD)
        run_of(conn)->ready++;
}

static const struct load_ops stream_ops = {
    .on_bytes = stream_bytes, .on_end = count_end, .on_closed = check_ended};

static void session_body(struct load_conn *conn, tr_str body)
{
    (void)body;
    struct load_conn *stream = load_open(conn->load, &stream_ops, conn->owner);
    if (stream)
        load_ask(stream, "GET", "/mcp", conn->session, TR_STR(""));
    load_close(conn, false);
}

static void open_session(struct stop_run *run)
{
    static const struct load_ops ops = {.on_body = session_body,
                                        .on_closed = check_whole};
    struct load_message message = {
        .id = "1",
        .method = "initialize",
        .params = "\"protocolVersion\":\"" SESSION "\",\"capabilities\":{},"
                  "\"clientInfo\":{\"name\":\"load\",\"version\":\"1\"}"};
    struct load_conn *conn = load_open(run->load, &ops, run);
    if (conn)
        load_post(conn, &message);
}

static const char *name_of(const struct load_conn *conn)
{
    if (conn->ops == &listen_ops)
        return "listen";
    if (conn->ops == &wait_ops)
        return "a long call";
    return conn->ops == &call_ops ? "a call" : "GET";
}

static bool is_busy(void *data)
{
    struct stop_run *run = data;
    size_t others = WAITERS + SESSIONS;
    while (run->asked < run->listeners &&
           run->asked + others < run->ready + AT_ONCE + others)
        open_listener(run);
    return run->ready >= run->listeners + others &&
           run->answered >= CALLERS * CALLS;
}

static bool all_gone(void *data)
{
    return ((struct stop_run *)data)->load->count == 0;
}

void load_stop(struct load *load, const struct load_args *args)
{
    struct stop_run run = {.load = load, .listeners = args->count};
    for (int i = 0; i < CALLERS; i++) {
        struct load_conn *conn = load_open(load, &call_ops, &run);
        if (conn)
            call(conn);
    }
    for (int i = 0; i < WAITERS; i++)
        open_waiter(&run);
    for (int i = 0; i < SESSIONS; i++)
        open_session(&run);
    if (!load_run(load, is_busy, &run))
        return;
    run.is_stopping = true;
    (void)kill(args->pid, SIGTERM);
    if (!load_run(load, all_gone, &run))
        return;
    if (run.finals != run.listeners ||
        run.ends < run.listeners + WAITERS + SESSIONS)
        load_fail(load, "%zu of %zu final responses, %zu ends", run.finals,
                  run.listeners, run.ends);
}
