#include "http/server.h"

#include "http/conn.h"
#include "loop/loop.h"
#include "net/listener.h"
#include "net/stream.h"

#include <sys/socket.h>
#include <unistd.h>

static struct tr_http_opts with_defaults(const struct tr_http_opts *given)
{
    struct tr_http_opts o = given ? *given : (struct tr_http_opts){0};
    if (o.max_connections == 0)
        o.max_connections = TR_LIMIT_HTTP_CONNECTIONS;
    if (o.max_response_bytes == 0)
        o.max_response_bytes = TR_LIMIT_STREAM_QUEUE;
    if (o.max_buffered_bytes == 0)
        o.max_buffered_bytes = TR_LIMIT_HTTP_BUFFERED;
    if (o.max_sse_bytes == 0)
        o.max_sse_bytes = TR_LIMIT_SSE_QUEUE;
    if (o.head_timeout_ms == 0)
        o.head_timeout_ms = 1000 * TR_LIMIT_HTTP_HEAD_S;
    if (o.body_timeout_ms == 0)
        o.body_timeout_ms = 1000 * TR_LIMIT_HTTP_BODY_S;
    if (o.idle_timeout_ms == 0)
        o.idle_timeout_ms = 1000 * TR_LIMIT_HTTP_IDLE_S;
    if (o.write_timeout_ms == 0)
        o.write_timeout_ms = 1000 * TR_LIMIT_HTTP_WRITE_S;
    if (o.sse_comment_ms == 0)
        o.sse_comment_ms = 15000;
    return o;
}

/* A connection that is cut stays in the list until its stream is closed. */
static void on_sweep(void *data)
{
    struct tr_http_server *server = data;
    struct tr_http_conn *next = NULL;
    for (struct tr_http_conn *conn = server->conns; conn; conn = next) {
        next = conn->next;
        tr_http_conn_check(conn);
    }
}

void tr_http_server_cut(struct tr_http_server *server)
{
    struct tr_http_conn *next = NULL;
    for (struct tr_http_conn *conn = server->conns; conn; conn = next) {
        next = conn->next;
        tr_http_conn_cut(conn);
    }
}

static void on_deadline(void *data)
{
    tr_http_server_cut(data);
}

static void on_end(void *data)
{
    struct tr_http_server *server = data;
    while (server->free) {
        struct tr_http_exchange *x = server->free;
        server->free = x->next_free;
        tr_http_exchange_free(x);
    }
    tr_loop_timer_stop(&server->sweep);
    tr_loop_timer_stop(&server->deadline);
    tr_loop_release(server->loop);
    tr_buf_done(&server->event);
    tr_http_closed_fn *closed = server->closed;
    void *closed_data = server->closed_data;
    free(server);
    if (closed)
        closed(closed_data);
}

void tr_http_server_check(struct tr_http_server *server)
{
    if (server->closing && server->counts.connections == 0 &&
        server->counts.exchanges == 0)
        tr_loop_tick_add(&server->end, server->loop);
}

tr_status tr_http_server_create(struct tr_loop *loop,
                                const struct tr_http_opts *opts,
                                tr_http_handler_fn *handler, void *app,
                                struct tr_http_server **out, struct tr_err *err)
{
    struct tr_http_server *server = calloc(1, sizeof(*server));
    if (!server)
        return tr_fail(err, TR_E_NOMEM, "creating an HTTP server");
    server->loop = loop;
    server->opts = with_defaults(opts);
    server->handler = handler;
    server->app = app;
    tr_loop_timer_init(&server->sweep, loop, on_sweep, server);
    tr_loop_timer_init(&server->deadline, loop, on_deadline, server);
    tr_loop_tick_init(&server->end, on_end, server);
    tr_buf_init(&server->event, server->opts.max_response_bytes);
    tr_loop_hold(loop);
    *out = server;
    return TR_OK;
}

/*
 * Sends a 503 in one piece, whether the peer reads it or not. What the peer has
 * sent is read first: closing a socket with unread bytes resets the connection,
 * and the 503 would be lost.
 */
static void turn_away(struct tr_http_server *server, int fd)
{
    static const char busy[] =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
        "Content-Length: 0\r\nConnection: close\r\n\r\n";
    ssize_t ignored =
        send(fd, busy, sizeof(busy) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)ignored;
    (void)shutdown(fd, SHUT_WR);
    ignored = recv(fd, server->scratch, sizeof(server->scratch), MSG_DONTWAIT);
    (void)ignored;
    (void)close(fd);
    server->counts.refused++;
}

void tr_http_server_take(struct tr_http_server *server, int fd)
{
    struct tr_net_stream *stream = NULL;
    int size = server->opts.send_buffer_bytes;
    server->counts.accepted++;
    if (server->counts.connections >= server->opts.max_connections) {
        turn_away(server, fd);
        return;
    }
    if (size)
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    if (tr_net_stream_open(server->loop, fd, server->opts.max_response_bytes,
                           &stream, NULL) == TR_OK)
        tr_http_conn_open(server, stream);
}

static void on_accept(void *owner, int fd)
{
    tr_http_server_take(owner, fd);
}

tr_status tr_http_server_listen(struct tr_http_server *server,
                                const struct tr_http_address *at,
                                unsigned *port, struct tr_err *err)
{
    struct tr_http_listener *entry = calloc(1, sizeof(*entry));
    if (!entry)
        return tr_fail(err, TR_E_NOMEM, "listening");
    const struct tr_net_listen_opts opts = {
        .address = at->address,
        .path = at->path,
        .on_accept = on_accept,
        .owner = server,
    };
    tr_status st =
        tr_net_listener_open(server->loop, &opts, &entry->listener, err);
    if (st != TR_OK) {
        free(entry);
        return st;
    }
    entry->next = server->listeners;
    server->listeners = entry;
    if (port)
        *port = tr_net_listener_port(entry->listener);
    return TR_OK;
}

size_t tr_http_server_queued(const struct tr_http_server *server)
{
    size_t queued = 0;
    for (struct tr_http_conn *conn = server->conns; conn; conn = conn->next)
        queued += tr_net_stream_queued(conn->stream);
    return queued;
}

struct tr_http_counts tr_http_server_counts(const struct tr_http_server *server)
{
    return server->counts;
}

void tr_http_server_close(struct tr_http_server *server, unsigned deadline_ms,
                          tr_http_closed_fn *closed, void *data)
{
    server->closing = true;
    server->closed = closed;
    server->closed_data = data;
    while (server->listeners) {
        struct tr_http_listener *entry = server->listeners;
        server->listeners = entry->next;
        tr_net_listener_close(entry->listener);
        free(entry);
    }
    struct tr_http_conn *next = NULL;
    for (struct tr_http_conn *conn = server->conns; conn; conn = next) {
        next = conn->next;
        tr_http_conn_retire(conn);
    }
    tr_loop_timer_start(&server->deadline, deadline_ms, 0);
    tr_http_server_check(server);
}
