/*
 * What is refused is refused when its head is there: nobody has to send a body
 * in vain, and nobody can fill our memory with one.
 */
#include "base/test.h"
#include "http/conn.h"
#include "loop/loop.h"
#include "support/peer.h"
#include "support/web.h"

#include <unistd.h>

struct fixture {
    struct tr_web web;
    unsigned judged;
    unsigned handled;
    unsigned found; /* how often the handler got what the judge has left */
};

static void handle(struct tr_http_exchange *x, void *app)
{
    struct fixture *f = app;
    f->handled++;
    f->found += tr_http_exchange_left(x) == f;
    tr_http_route_run(x, app);
}

static void echo(struct tr_http_exchange *x, void *app)
{
    (void)app;
    tr_http_respond(x, 200, NULL, 0, tr_http_exchange_request(x)->body);
}

static bool turn_away(struct tr_http_exchange *x, void *app)
{
    (void)app;
    tr_http_respond_text(x, 401, "turned away");
    return false;
}

static const struct tr_http_route routes[] = {
    {TR_STR_INIT("POST"), TR_STR_INIT("/in"), echo, NULL, true},
    {TR_STR_INIT("POST"), TR_STR_INIT("/out"), echo, turn_away, true},
    {TR_STR_INIT("GET"), TR_STR_INIT("/in"), echo, NULL, false},
};

static bool judge(struct tr_http_exchange *x, void *app)
{
    struct fixture *f = app;
    f->judged++;
    const struct tr_http_routes table = {routes, TR_LEN(routes)};
    const struct tr_http_route *route = tr_http_route_find(table, x);
    tr_http_exchange_leave(x, f);
    return route && (!route->judge || route->judge(x, app));
}

static void open_fixture(struct fixture *f, size_t max_buffered_bytes)
{
    const struct tr_http_opts opts = {
        .judge = judge,
        .max_buffered_bytes = max_buffered_bytes,
        .limits = {.body_bytes = TR_MIB(4)},
    };
    *f = (struct fixture){0};
    tr_web_open(&f->web, &opts, handle, f);
}

static struct tr_http_counts counts(const struct fixture *f)
{
    return tr_http_server_counts(f->web.server);
}

static void check_starts(const char *answer, const char *with)
{
    if (strncmp(answer, with, strlen(with)) != 0)
        fail_msg("%s\nis not\n%s", answer, with);
}

#define HOST    "Host: a\r\n"
#define LARGE   HOST "Content-Length: 4194304\r\n"
#define CHUNKED HOST "Transfer-Encoding: chunked\r\n"
#define EXPECT  "Expect: 100-continue\r\n"

TEST(http_refuses_with_the_head_and_closes)
{
    static const struct {
        const char *head;
        const char *status;
    } rows[] = {
        {"POST /out HTTP/1.1\r\n" LARGE "\r\n", "HTTP/1.1 401 "},
        {"POST /out HTTP/1.1\r\n" CHUNKED "\r\n", "HTTP/1.1 401 "},
        {"POST /out HTTP/1.1\r\n" EXPECT LARGE "\r\n", "HTTP/1.1 401 "},
        {"POST /out HTTP/1.1\r\n" EXPECT CHUNKED "\r\n", "HTTP/1.1 401 "},
        {"POST /none HTTP/1.1\r\n" LARGE "\r\n", "HTTP/1.1 404 "},
        {"PUT /in HTTP/1.1\r\n" LARGE "\r\n", "HTTP/1.1 405 "},
        {"GET /in HTTP/1.1\r\n" LARGE "\r\n", "HTTP/1.1 413 "},
        {"GET /in HTTP/1.1\r\n" CHUNKED "\r\n", "HTTP/1.1 413 "},
        /* The same when the body is there already: no race decides. */
        {"POST /out HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab",
         "HTTP/1.1 401 "},
    };
    struct fixture f;
    open_fixture(&f, 0);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        int fd = tr_peer_connect(f.web.port);
        const char *answer = tr_web_ask(&f.web, fd, rows[i].head, "");
        check_starts(answer, rows[i].status);
        CHECK(strstr(answer, "\r\nConnection: close\r\n"));
        (void)close(fd);
        CHECK_INT(f.judged, i + 1);
        CHECK_INT(counts(&f).requests, i + 1);
    }
    CHECK_INT(f.handled, 0);
    CHECK_INT(counts(&f).exchanges, 0);
    CHECK_INT(counts(&f).buffered, 0);
    tr_web_close(&f.web);
}

TEST(http_keeps_the_connection_of_a_refusal_without_body)
{
    struct fixture f;
    open_fixture(&f, 0);
    int fd = tr_peer_connect(f.web.port);
    for (size_t i = 0; i < 3; i++)
        check_starts(tr_web_ask(&f.web, fd,
                                "POST /out HTTP/1.1\r\n" HOST
                                "Content-Length: 0\r\n\r\n",
                                "away"),
                     "HTTP/1.1 401 ");
    CHECK_INT(f.judged, 3);
    CHECK_INT(counts(&f).requests, 3);
    (void)close(fd);
    tr_web_close(&f.web);
}

/* What the judge found is the handler's, unless it had to wait. */
TEST(http_judges_each_request_once)
{
    struct fixture f;
    open_fixture(&f, 0);
    int fd = tr_peer_connect(f.web.port);
    check_starts(tr_web_ask(&f.web, fd,
                            "POST /in HTTP/1.1\r\n" HOST
                            "Content-Length: 5\r\n\r\nhello",
                            "hello"),
                 "HTTP/1.1 200 ");
    CHECK_INT(f.judged, 1);
    CHECK_INT(f.found, 1);
    check_starts(
        tr_web_ask(&f.web, fd, "GET /in HTTP/1.1\r\n" HOST "\r\n", "\r\n\r\n"),
        "HTTP/1.1 200 ");
    CHECK_INT(f.judged, 2);
    CHECK_INT(f.found, 2);
    check_starts(tr_web_ask(&f.web, fd,
                            "POST /in HTTP/1.1\r\n" EXPECT HOST
                            "Content-Length: 5\r\n\r\n",
                            "\r\n\r\n"),
                 "HTTP/1.1 100 Continue\r\n");
    CHECK_INT(f.judged, 3);
    CHECK_INT(f.handled, 2);
    CHECK_INT(counts(&f).exchanges, 0);
    check_starts(tr_web_ask(&f.web, fd, "again", "again"), "HTTP/1.1 200 ");
    CHECK_INT(f.judged, 3);
    CHECK_INT(f.handled, 3);
    CHECK_INT(f.found, 2);
    CHECK_INT(counts(&f).requests, 3);
    (void)close(fd);
    tr_web_close(&f.web);
}

static void send_some(struct fixture *f, int fd, size_t count)
{
    static char bytes[16384];
    while (count) {
        size_t some = count < sizeof(bytes) ? count : sizeof(bytes);
        tr_peer_send(f->web.loop, fd, (tr_str){bytes, some});
        count -= some;
    }
    tr_peer_settle(f->web.loop);
}

/* Its response is there to be read as long as we do not close. */
TEST(http_drains_so_much_and_no_more)
{
    struct fixture f;
    open_fixture(&f, 0);
    int fd = tr_peer_connect(f.web.port);
    tr_peer_send(f.web.loop, fd, TR_STR("POST /out HTTP/1.1\r\n" LARGE "\r\n"));
    tr_peer_settle(f.web.loop);
    send_some(&f, fd, 40000);
    const struct tr_http_conn *conn = f.web.server->conns;
    CHECK(conn->phase == TR_HTTP_CONN_LINGERING && !conn->x);
    CHECK_INT(conn->drained, 40000);
    send_some(&f, fd, 200000);
    CHECK_INT(conn->drained, TR_LIMIT_HTTP_DRAIN);
    CHECK_INT(counts(&f).buffered, 0);
    char answer[1024];
    (void)tr_peer_read(f.web.loop, fd, "away", answer, sizeof(answer));
    check_starts(answer, "HTTP/1.1 401 ");
    tr_loop_step(f.web.loop, 3000);
    tr_peer_settle(f.web.loop);
    CHECK_INT(counts(&f).connections, 0);
    (void)close(fd);
    tr_web_close(&f.web);
}

#define PEERS 40

static void begin_body(struct fixture *f, int fd, size_t count)
{
    tr_peer_send(f->web.loop, fd, TR_STR("POST /in HTTP/1.1\r\n" LARGE "\r\n"));
    send_some(f, fd, count);
}

/* Peers that are let in send bodies that never end. */
TEST(http_bounds_all_bodies_together)
{
    struct fixture f;
    int fds[PEERS];
    open_fixture(&f, TR_MIB(8));
    for (size_t i = 0; i < PEERS; i++) {
        fds[i] = tr_peer_connect(f.web.port);
        begin_body(&f, fds[i], 500000);
        CHECK(counts(&f).buffered <= TR_MIB(8));
    }
    CHECK(counts(&f).buffered > TR_MIB(4));
    CHECK(counts(&f).refused > PEERS / 2);
    CHECK_INT(counts(&f).refused, counts(&f).responses[5]);
    int last = tr_peer_connect(f.web.port);
    const char *answer = tr_web_ask(
        &f.web, last, "POST /in HTTP/1.1\r\n" EXPECT LARGE "\r\n", "again\n");
    check_starts(answer, "HTTP/1.1 503 ");
    CHECK(strstr(answer, "\r\nRetry-After: 1\r\n"));
    CHECK(strstr(answer, "\r\nConnection: close\r\n"));
    (void)close(last);
    /* A small request needs nothing of that. */
    last = tr_peer_connect(f.web.port);
    check_starts(tr_web_ask(&f.web, last,
                            "POST /in HTTP/1.1\r\n" HOST
                            "Content-Length: 5\r\n\r\nhello",
                            "hello"),
                 "HTTP/1.1 200 ");
    (void)close(last);
    for (size_t i = 0; i < PEERS; i++)
        (void)close(fds[i]);
    tr_peer_settle(f.web.loop);
    CHECK_INT(counts(&f).buffered, 0);
    tr_web_close(&f.web);
}

/* What the limit of one body allows is never too much for all of them. */
TEST(http_has_room_for_one_body_whatever_the_bound)
{
    struct fixture f;
    open_fixture(&f, 1);
    int fd = tr_peer_connect(f.web.port);
    begin_body(&f, fd, 4194304);
    CHECK_INT(f.handled, 1);
    CHECK_INT(counts(&f).responses[2], 1);
    (void)close(fd);
    tr_web_close(&f.web);
}
