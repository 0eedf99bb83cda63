/*
 * bench/http.c - our HTTP server against the bare echo server.
 */
#include "bench.h"
#include "http/conn.h"
#include "http/server.h"
#include "http/sse.h"
#include "loop/loop.h"
#include "net/stream.h"

#include <uv.h>

#include <assert.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADERS                                                                \
    "Host: 127.0.0.1:8000\r\nAccept: application/json, text/event-stream\r\n"  \
    "Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"   \
    "Mcp-Method: tools/call\r\nUser-Agent: bench/1\r\n"
#define BODY_100                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"     \
    "\"name\":\"echo\",\"arguments\":{\"text\":\"12345\"}}}"

_Static_assert(sizeof(BODY_100) - 1 == 100, "a body of 100 bytes");

#define POST(path)                                                             \
    "POST " path " HTTP/1.1\r\n" HEADERS                                       \
    "Content-Length: 300\r\n\r\n" BODY_100 BODY_100 BODY_100

static void respond(struct tr_http_exchange *x, void *app)
{
    static char body[65536];
    int64_t size = 0;
    tr_str path = tr_str_skip(tr_http_exchange_request(x)->path, 1);
    const tr_http_field type = {TR_STR("Content-Type"),
                                TR_STR("application/json")};
    (void)app;
    bool known = tr_str_to_i64(path, &size);
    assert(known && size <= (int64_t)sizeof(body));
    (void)known;
    tr_http_respond(x, 200, &type, 1, (tr_str){body, (size_t)size});
}

/* A stream that stays open, as those that listen for changes do. */
static void stream(struct tr_http_exchange *x, void *app)
{
    (void)app;
    (void)tr_http_sse_open(x, NULL, 0);
    tr_http_exchange_forget(x);
}

struct door {
    uv_poll_t poll;
    int fd;
    struct tr_loop *loop;
    struct tr_http_server *server;
};

static void on_peer(uv_poll_t *poll, int rc, int events)
{
    struct door *door = poll->data;
    struct tr_net_stream *stream = NULL;
    (void)rc;
    (void)events;
    int fd = accept4(door->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0 &&
        tr_net_stream_open(door->loop, fd, 0, &stream, NULL) == TR_OK)
        tr_http_conn_open(door->server, stream);
}

static void serve_with(int fd, tr_http_handler_fn *handler)
{
    struct door door = {.fd = fd};
    tr_status st = tr_loop_create(NULL, &door.loop, NULL);
    if (st == TR_OK)
        st = tr_http_server_create(door.loop, NULL, handler, NULL, &door.server,
                                   NULL);
    assert(st == TR_OK);
    (void)st;
    (void)uv_poll_init(tr_loop_uv(door.loop), &door.poll, fd);
    door.poll.data = &door;
    (void)uv_poll_start(&door.poll, UV_READABLE, on_peer);
    tr_loop_run(door.loop);
}

static void serve(int fd)
{
    serve_with(fd, respond);
}

static void serve_streams(int fd)
{
    serve_with(fd, stream);
}

static bool report_idle(const char *name, tr_bench_serve_fn *work,
                        const char *request)
{
    struct tr_bench_server server = {0};
    tr_bench_raise_files(); /* before the fork: both need many */
    double bytes = -1;
    if (tr_bench_server_start(work, &server))
        bytes = tr_bench_hold(&server, tr_str_from(request), 5000);
    tr_bench_server_stop(&server);
    return tr_bench_report_bytes(name, bytes, 10000);
}

bool tr_bench_http(const char *only)
{
    const struct tr_bench_served_row rows[] = {
        {.name = "http: respond 300 B",
         .ours = serve,
         .our_request = TR_STR(POST("/300")),
         .floor_request = TR_STR(POST("/300")),
         .at_most = 1.2},
        {.name = "http: respond 20 KB",
         .ours = serve,
         .our_request = TR_STR(POST("/20000")),
         .floor_request = TR_STR(POST("/20000")),
         .at_most = 1.2},
    };
    bool met = true;
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (strstr(rows[i].name, only))
            met = tr_bench_report_served(&rows[i]) && met;
    }
    if (strstr("http: 5,000 idle connections", only))
        met =
            report_idle("http: 5,000 idle connections", serve, POST("/300")) &&
            met;
    if (strstr("http: 5,000 idle streams", only))
        met = report_idle("http: 5,000 idle streams", serve_streams,
                          POST("/300")) &&
              met;
    return met;
}
