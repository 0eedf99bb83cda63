/* What a server tells of the requests it has served. */
#include "base/test.h"
#include "http/sse.h"
#include "loop/loop.h"
#include "support/peer.h"
#include "support/web.h"

#include <unistd.h>

struct fixture {
    struct tr_web web;
    struct tr_http_exchange *held;
    struct tr_http_sse *sse;
    struct tr_buf told; /* "GET /path 200 5;" for each */
};

static void handle(struct tr_http_exchange *x, void *app)
{
    struct fixture *f = app;
    tr_str path = tr_http_exchange_request(x)->path;
    CHECK(tr_http_exchange_is_local(x));
    if (tr_str_eq(path, TR_STR("/hold"))) {
        f->held = x;
    } else if (tr_str_eq(path, TR_STR("/stream"))) {
        f->sse = tr_http_sse_open(x, NULL, 0);
    } else if (tr_str_eq(path, TR_STR("/own"))) {
        tr_http_exchange_take_report(x);
        tr_http_respond(x, 200, NULL, 0, TR_STR("own"));
    } else {
        tr_http_respond(x, 404, NULL, 0, TR_STR("hello"));
    }
}

static void report(void *app, const struct tr_http_report *told)
{
    struct fixture *f = app;
    tr_buf_putf(&f->told, "%.*s %.*s %d %llu;", TR_FMT(told->method),
                TR_FMT(told->path), told->status,
                (unsigned long long)told->bytes);
    CHECK(told->micros < 1000 * 1000 * 1000);
}

static int open_fixture(struct fixture *f)
{
    const struct tr_http_opts opts = {.report = report};
    *f = (struct fixture){0};
    tr_buf_init(&f->told, 10000);
    tr_web_open(&f->web, &opts, handle, f);
    return tr_peer_connect(f->web.port);
}

static void close_fixture(struct fixture *f, int fd)
{
    (void)close(fd);
    tr_web_close(&f->web);
    tr_buf_done(&f->told);
}

#define GET(target) "GET " target " HTTP/1.1\r\nHost: a\r\n\r\n"

TEST(http_tells_once_of_each_request_that_nobody_else_tells_of)
{
    struct fixture f;
    int fd = open_fixture(&f);
    tr_peer_send(f.web.loop, fd,
                 TR_STR(GET("/a?secret=1") GET("/own") GET("/b#c")));
    tr_peer_settle(f.web.loop);
    CHECK_STR(tr_buf_str(&f.told), "GET /a 404 5;  400 19;");
    struct tr_http_counts counts = tr_http_server_counts(f.web.server);
    CHECK_INT(counts.responses[2], 1);
    CHECK_INT(counts.responses[4], 2);
    CHECK_INT(counts.requests, 2);
    CHECK_INT(counts.refused, 1);
    close_fixture(&f, fd);
}

TEST(http_tells_of_a_stream_when_it_begins)
{
    struct fixture f;
    int fd = open_fixture(&f);
    tr_peer_send(f.web.loop, fd, TR_STR(GET("/stream")));
    tr_peer_settle(f.web.loop);
    CHECK_STR(tr_buf_str(&f.told), "GET /stream 200 0;");
    tr_http_sse_close(f.sse);
    tr_peer_settle(f.web.loop);
    CHECK_STR(tr_buf_str(&f.told), "GET /stream 200 0;");
    close_fixture(&f, fd);
}

TEST(http_tells_of_a_peer_that_did_not_wait)
{
    struct fixture f;
    int fd = open_fixture(&f);
    tr_peer_send(f.web.loop, fd, TR_STR(GET("/hold")));
    tr_peer_settle(f.web.loop);
    tr_web_start_close(&f.web, 1000);
    tr_loop_step(f.web.loop, 1000); /* cuts it off */
    tr_http_respond_text(f.held, 200, NULL);
    CHECK_STR(tr_buf_str(&f.told), "GET /hold 499 0;");
    close_fixture(&f, fd);
}

TEST(http_can_be_told_not_to_wait_for_its_deadline)
{
    struct fixture f;
    int fd = open_fixture(&f);
    tr_peer_send(f.web.loop, fd, TR_STR(GET("/hold")));
    tr_peer_settle(f.web.loop);
    struct tr_http_server *server = f.web.server;
    tr_web_start_close(&f.web, 5000);
    tr_peer_settle(f.web.loop);
    tr_http_server_cut(server);
    CHECK(tr_peer_has_ended(f.web.loop, fd));
    tr_http_respond_text(f.held, 200, NULL);
    close_fixture(&f, fd);
}

TEST(http_adds_up_what_waits_for_its_peers)
{
    struct fixture f;
    static char data[32000000]; /* more than the system takes of it */
    int fd = open_fixture(&f);
    memset(data, 'd', sizeof(data) - 1);
    tr_peer_send(f.web.loop, fd, TR_STR(GET("/stream")));
    tr_peer_settle(f.web.loop);
    CHECK_INT(tr_http_server_queued(f.web.server), 0);
    CHECK_OK(tr_http_sse_send(f.sse, TR_STR(""), TR_STR(""),
                              (tr_str){data, sizeof(data) - 1}, NULL),
             NULL);
    CHECK(tr_http_server_queued(f.web.server) > sizeof(data) / 4);
    CHECK(tr_http_server_queued(f.web.server) < sizeof(data) + TR_KIB(1));
    tr_http_sse_close(f.sse);
    close_fixture(&f, fd);
}
