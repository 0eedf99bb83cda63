/* How long a connection may take for what it does. */
#include "http/conn.h"
#include "loop/loop.h"
#include "net/stream.h"

/* A body must arrive at least this fast, after the first seconds. */
#define BODY_BYTES_PER_SECOND TR_KIB(16)

/* How long the peer has to close, after the last response was sent. */
#define LINGER_MS 2000

/* Whether bytes wait for the peer, and it has taken none for too long. */
static bool is_stalled(struct tr_http_conn *conn, uint64_t now_ms)
{
    uint64_t sent = tr_net_stream_sent(conn->stream);
    if (sent != conn->sent || tr_net_stream_queued(conn->stream) == 0) {
        conn->sent = sent;
        conn->sent_ms = now_ms;
        return false;
    }
    return now_ms - conn->sent_ms >= conn->server->opts.write_timeout_ms;
}

static uint64_t time_for_body(const struct tr_http_conn *conn)
{
    const struct tr_http_exchange *x = conn->x;
    size_t received = x->in.len - x->reader.body;
    return conn->server->opts.body_timeout_ms +
           (uint64_t)received * 1000 / BODY_BYTES_PER_SECOND;
}

static void check_reading(struct tr_http_conn *conn, uint64_t passed_ms)
{
    const struct tr_http_opts *opts = &conn->server->opts;
    if (conn->x->in.len == 0) {
        if (passed_ms >= opts->idle_timeout_ms)
            tr_http_conn_close(conn);
        return;
    }
    uint64_t allowed_ms =
        conn->in_body ? time_for_body(conn) : opts->head_timeout_ms;
    if (passed_ms >= allowed_ms) {
        conn->server->counts.refused++;
        conn->server->counts.timeouts++;
        tr_http_refuse_conn(conn, 408, "the request took too long");
    }
}

static void check_stream(struct tr_http_conn *conn, uint64_t now_ms)
{
    struct tr_http_sse *sse = &conn->x->sse;
    if (now_ms - sse->sent_ms < conn->server->opts.sse_comment_ms)
        return;
    if (tr_http_sse_comment(sse, TR_STR(""), NULL) != TR_OK &&
        conn->phase != TR_HTTP_CONN_CLOSED)
        tr_http_conn_cut(conn);
}

void tr_http_conn_check(struct tr_http_conn *conn)
{
    uint64_t now_ms = tr_loop_now_ms(conn->server->loop);
    uint64_t passed_ms = now_ms - conn->since_ms;
    if (conn->phase == TR_HTTP_CONN_CLOSED)
        return;
    if (is_stalled(conn, now_ms)) {
        conn->server->counts.timeouts++;
        tr_http_conn_cut(conn);
        return;
    }
    switch (conn->phase) {
    case TR_HTTP_CONN_WAITING:
        if (passed_ms >= conn->server->opts.idle_timeout_ms)
            tr_http_conn_close(conn);
        break;
    case TR_HTTP_CONN_READING:
        check_reading(conn, passed_ms);
        break;
    case TR_HTTP_CONN_STREAMING:
        check_stream(conn, now_ms);
        break;
    case TR_HTTP_CONN_LINGERING:
        if (passed_ms >= LINGER_MS && tr_net_stream_queued(conn->stream) == 0)
            tr_http_conn_close(conn);
        break;
    case TR_HTTP_CONN_RUNNING: /* its handler has its own deadline */
    case TR_HTTP_CONN_CLOSED:
        break;
    }
}
