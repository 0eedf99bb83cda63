#include "http/conn.h"

#include "base/time.h"
#include "loop/loop.h"
#include "net/stream.h"

/* What is asked for at least, once a request has begun. */
#define LEAST_ROOM TR_KIB(1)

/* While a peer leaves more than this unread, its next request has to wait. */
#define UNREAD_MAX TR_KIB(64)

static void set_phase(struct tr_http_conn *conn, enum tr_http_phase phase)
{
    conn->phase = phase;
    conn->in_body = false;
    conn->since_ms = tr_loop_now_ms(conn->server->loop);
}

static void wait_for_request(struct tr_http_conn *conn)
{
    if (conn->x)
        tr_http_exchange_recycle(conn->x);
    conn->x = NULL;
    set_phase(conn, TR_HTTP_CONN_WAITING);
}

void tr_http_conn_close(struct tr_http_conn *conn)
{
    if (conn->phase == TR_HTTP_CONN_CLOSED)
        return;
    if (conn->phase == TR_HTTP_CONN_READING)
        tr_http_exchange_recycle(conn->x);
    else if (conn->x)
        conn->x->conn = NULL; /* the handler still has the exchange */
    conn->x = NULL;
    conn->phase = TR_HTTP_CONN_CLOSED;
    tr_loop_tick_remove(&conn->tick);
    tr_net_stream_close(conn->stream);
}

void tr_http_conn_cut(struct tr_http_conn *conn)
{
    struct tr_http_exchange *x =
        conn->phase == TR_HTTP_CONN_READING ? NULL : conn->x;
    tr_http_conn_close(conn);
    if (x)
        tr_http_exchange_tell_gone(x);
}

/*
 * Our side ends after the response, and the peer's bytes are read and dropped:
 * closing with bytes unread could destroy the response (RFC 9112, section 9.6).
 */
static void linger(struct tr_http_conn *conn)
{
    if (conn->x)
        tr_http_exchange_recycle(conn->x);
    conn->x = NULL;
    set_phase(conn, TR_HTTP_CONN_LINGERING);
    if (conn->ended) {
        tr_net_stream_close_when_sent(conn->stream);
    } else {
        tr_net_stream_finish(conn->stream);
        tr_net_stream_resume(conn->stream);
    }
}

void tr_http_conn_retire(struct tr_http_conn *conn)
{
    if (conn->phase != TR_HTTP_CONN_WAITING &&
        (conn->phase != TR_HTTP_CONN_READING || conn->x->in.len > 0))
        return;
    conn->ended = true; /* whatever it sends now is too late */
    linger(conn);
}

/* The bytes that came too early become the input of the next request. */
static bool take_ahead(struct tr_http_conn *conn)
{
    struct tr_http_exchange *x = conn->x;
    size_t rest = x->in.len - x->reader.at;
    if (rest && x->reader.at)
        memmove(x->in.ptr, x->in.ptr + x->reader.at, rest);
    x->in.len = rest;
    tr_buf_put(&x->in, tr_buf_str(&conn->ahead));
    tr_buf_done(&conn->ahead);
    tr_http_exchange_count(x);
    return x->in.failed == TR_OK;
}

void tr_http_conn_next(struct tr_http_conn *conn, bool keep)
{
    if (!keep || !take_ahead(conn)) {
        linger(conn);
        return;
    }
    if (conn->x->in.len == 0) {
        wait_for_request(conn);
    } else {
        tr_arena_reset(&conn->x->arena);
        tr_http_reader_reset(&conn->x->reader);
        conn->x->is_judged = false;
        set_phase(conn, TR_HTTP_CONN_READING);
        if (!conn->in_step)
            tr_loop_tick_add(&conn->tick, conn->server->loop);
    }
    tr_net_stream_resume(conn->stream);
}

/* From here on the exchange can be responded to. */
static void enter(struct tr_http_conn *conn)
{
    struct tr_http_exchange *x = conn->x;
    struct tr_http_server *server = conn->server;
    tr_http_reader_request(&x->reader, x->in.ptr, &x->request);
    conn->phase = TR_HTTP_CONN_RUNNING;
    x->is_reported = false;
    if (server->opts.report)
        x->started_ns = tr_time_ticks_ns();
    server->counts.requests++;
    server->counts.exchanges++;
}

/* Asks the judge; false when the exchange has ended with that. */
static bool is_let_through(struct tr_http_exchange *x)
{
    tr_http_judge_fn *judge = x->server->opts.judge;
    x->found = NULL;
    x->route = NULL;
    x->shared = (tr_str){NULL, 0};
    x->is_judged = true;
    return !judge || judge(x, x->server->app);
}

/* The head is there, and its body is not: nobody has to send that in vain. */
static void judge_head(struct tr_http_conn *conn)
{
    struct tr_http_exchange *x = conn->x;
    if (!conn->server->opts.judge)
        return;
    enter(conn);
    x->lacks_body = true;
    if (!is_let_through(x))
        return;
    x->lacks_body = false;
    conn->phase = TR_HTTP_CONN_READING;
    conn->server->counts.requests--;
    conn->server->counts.exchanges--;
}

static void run_handler(struct tr_http_conn *conn)
{
    struct tr_http_exchange *x = conn->x;
    enter(conn);
    if (x->is_judged || is_let_through(x))
        x->server->handler(x, x->server->app);
}

/* The buffer grows as bytes arrive, not as they are announced. */
static size_t wanted_room(const struct tr_http_exchange *x)
{
    if (!x->in.len)
        return TR_HTTP_FIRST_ROOM;
    size_t wanted = tr_http_reader_missing(&x->reader, x->in.len);
    if (wanted > x->in.cap)
        wanted = x->in.cap;
    return wanted < LEAST_ROOM ? LEAST_ROOM : wanted;
}

/*
 * Whether the rest can be kept, beside what all requests hold already. One that
 * holds all of that itself is alone, and has its own limit.
 */
static bool rest_fits(const struct tr_http_exchange *x)
{
    const struct tr_buf *in = &x->in;
    size_t missing = tr_http_reader_missing(&x->reader, in->len);
    size_t room = in->cap - in->len;
    size_t grown = in->cap > in->max / 2 ? in->max : in->cap * 2;
    size_t more = room < wanted_room(x) ? grown - in->cap : 0;
    if (missing > room && more < missing - room)
        more = missing - room;
    size_t all = x->server->counts.buffered;
    return more == 0 || all == x->counted ||
           all + more <= x->server->opts.max_buffered_bytes;
}

static void go_on_reading(struct tr_http_conn *conn)
{
    struct tr_http_exchange *x = conn->x;
    x->found = NULL;
    if (!rest_fits(x)) {
        conn->server->counts.refused++;
        tr_http_refuse_conn(conn, 503, "too much is arriving; try again");
        return;
    }
    if (!conn->in_body && x->reader.body) {
        set_phase(conn, TR_HTTP_CONN_READING);
        conn->in_body = true;
    }
    if (tr_http_reader_continues(&x->reader)) {
        const tr_str go = TR_STR("HTTP/1.1 100 Continue\r\n\r\n");
        if (tr_net_stream_send(conn->stream, &go, 1, NULL) != TR_OK)
            tr_http_conn_close(conn);
    }
}

/* One request, if it is complete; false when there is nothing more to do. */
static bool step(struct tr_http_conn *conn)
{
    struct tr_http_exchange *x = conn->x;
    if (conn->phase != TR_HTTP_CONN_READING)
        return false;
    if (tr_net_stream_queued(conn->stream) > UNREAD_MAX) {
        tr_net_stream_pause(conn->stream);
        x->found = NULL;
        return false;
    }
    switch (tr_http_reader_feed(&x->reader, x->in.ptr, &x->in.len)) {
    case TR_HTTP_MORE:
        go_on_reading(conn);
        return false;
    case TR_HTTP_HEAD:
        judge_head(conn);
        return true;
    case TR_HTTP_REFUSED:
        conn->server->counts.refused++;
        tr_http_refuse_conn(conn, x->reader.refused, x->reader.why);
        return false;
    case TR_HTTP_READY:
        run_handler(conn);
        return true;
    }
    return false;
}

/* A handler that responds at once continues this loop, not a deeper call. */
static void steps(struct tr_http_conn *conn)
{
    if (conn->in_step)
        return;
    conn->in_step = true;
    while (step(conn))
        ;
    conn->in_step = false;
    bool stuck = conn->phase == TR_HTTP_CONN_WAITING ||
                 (conn->phase == TR_HTTP_CONN_READING &&
                  tr_net_stream_queued(conn->stream) <= UNREAD_MAX);
    if (conn->ended && stuck)
        linger(conn);
}

static void on_tick(void *data)
{
    steps(data);
}

static void on_drain(void *owner)
{
    struct tr_http_conn *conn = owner;
    if (conn->phase == TR_HTTP_CONN_READING) {
        tr_net_stream_resume(conn->stream);
        steps(conn);
    }
}

static char *room_for_request(struct tr_http_conn *conn, size_t *size)
{
    struct tr_buf *in = &conn->x->in;
    char *room = tr_buf_room(in, wanted_room(conn->x));
    tr_http_exchange_count(conn->x);
    *size = in->cap - in->len;
    return room;
}

static char *room(void *owner, size_t *size)
{
    struct tr_http_conn *conn = owner;
    if (conn->phase == TR_HTTP_CONN_WAITING) {
        conn->x = tr_http_exchange_take(conn->server);
        if (!conn->x)
            return NULL;
        conn->x->conn = conn;
        set_phase(conn, TR_HTTP_CONN_READING);
    }
    if (conn->phase == TR_HTTP_CONN_READING)
        return room_for_request(conn, size);
    *size = sizeof(conn->server->scratch);
    if (conn->phase == TR_HTTP_CONN_LINGERING &&
        *size > TR_LIMIT_HTTP_DRAIN - conn->drained)
        *size = TR_LIMIT_HTTP_DRAIN - conn->drained;
    return conn->server->scratch;
}

static void on_read(void *owner, char *bytes, size_t count)
{
    struct tr_http_conn *conn = owner;
    switch (conn->phase) {
    case TR_HTTP_CONN_READING:
        conn->x->in.len += count;
        steps(conn);
        break;
    case TR_HTTP_CONN_RUNNING:
    case TR_HTTP_CONN_STREAMING:
        tr_buf_put(&conn->ahead, (tr_str){bytes, count});
        if (conn->ahead.failed)
            tr_http_conn_cut(conn);
        else if (conn->ahead.len >= TR_LIMIT_HTTP_AHEAD)
            tr_net_stream_pause(conn->stream);
        break;
    case TR_HTTP_CONN_LINGERING:
        /* Then it is read no more, which is not yet a reset: the peer can
         * still see the response. */
        conn->drained += count;
        if (conn->drained >= TR_LIMIT_HTTP_DRAIN)
            tr_net_stream_pause(conn->stream);
        break;
    case TR_HTTP_CONN_WAITING:
    case TR_HTTP_CONN_CLOSED:
        break;
    }
}

static void on_end(void *owner, tr_status why)
{
    struct tr_http_conn *conn = owner;
    conn->ended = true;
    if (why != TR_OK || conn->phase == TR_HTTP_CONN_STREAMING) {
        tr_http_conn_cut(conn);
    } else if (conn->phase == TR_HTTP_CONN_RUNNING) {
        /* The peer may only have ended its side: the response is still sent. */
        tr_http_exchange_tell_gone(conn->x);
    } else if (conn->phase == TR_HTTP_CONN_LINGERING) {
        tr_net_stream_close_when_sent(conn->stream);
    } else {
        steps(conn);
    }
}

static void on_closed(void *owner)
{
    struct tr_http_conn *conn = owner;
    struct tr_http_server *server = conn->server;
    /* A stream that closes by itself has no exchange any more. */
    tr_loop_tick_remove(&conn->tick);
    *conn->link = conn->next;
    if (conn->next)
        conn->next->link = conn->link;
    tr_buf_done(&conn->ahead);
    free(conn);
    server->counts.connections--;
    if (server->counts.connections == 0)
        tr_loop_timer_stop(&server->sweep);
    tr_http_server_check(server);
}

static const struct tr_net_stream_ops ops = {
    .room = room,
    .on_read = on_read,
    .on_end = on_end,
    .on_drain = on_drain,
    .on_closed = on_closed,
};

void tr_http_conn_open(struct tr_http_server *server,
                       struct tr_net_stream *stream)
{
    struct tr_http_conn *conn = calloc(1, sizeof(*conn));
    if (!conn) {
        tr_net_stream_close(stream);
        return;
    }
    conn->server = server;
    conn->stream = stream;
    tr_loop_tick_init(&conn->tick, on_tick, conn);
    tr_buf_init(&conn->ahead, TR_LIMIT_HTTP_AHEAD + sizeof(server->scratch));
    conn->next = server->conns;
    conn->link = &server->conns;
    if (conn->next)
        conn->next->link = &conn->next;
    server->conns = conn;
    if (server->counts.connections++ == 0)
        tr_loop_timer_start(&server->sweep, 1000, 1000);
    set_phase(conn, TR_HTTP_CONN_WAITING);
    conn->sent_ms = conn->since_ms;
    tr_net_stream_start(stream, &ops, conn);
}
