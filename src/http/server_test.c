#include "http/server.h"

#include "base/test.h"
#include "loop/loop.h"
#include "support/peer.h"
#include "support/web.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct fixture {
    struct tr_web web;
    struct tr_http_exchange *held; /* by /hold */
    unsigned gone;
};

static void on_echo(struct tr_http_exchange *x, void *app)
{
    const struct tr_http_request *request = tr_http_exchange_request(x);
    (void)app;
    const tr_http_field type = {TR_STR("Content-Type"), TR_STR("text/plain")};
    tr_http_respond(x, 200, &type, 1, request->body);
}

static void on_gone(struct tr_http_exchange *x, void *data)
{
    struct fixture *f = data;
    CHECK(x == f->held);
    CHECK(tr_web_is_gone(x));
    f->gone++;
}

static void on_hold(struct tr_http_exchange *x, void *app)
{
    struct fixture *f = app;
    f->held = x;
    tr_http_exchange_on_gone(x, on_gone, f);
}

/* Responds with as many bytes as the query says. */
static void on_large(struct tr_http_exchange *x, void *app)
{
    int64_t len = 0;
    (void)app;
    CHECK(tr_str_to_i64(tr_http_exchange_request(x)->query, &len));
    static char bytes[1000000];
    CHECK(len <= (int64_t)sizeof(bytes));
    memset(bytes, 'x', (size_t)len);
    tr_http_respond(x, 200, NULL, 0, (tr_str){bytes, (size_t)len});
}

static void on_bad_field(struct tr_http_exchange *x, void *app)
{
    (void)app;
    const tr_http_field bad = {TR_STR("A"), TR_STR("b\r\nC: d")};
    tr_http_respond(x, 200, &bad, 1, TR_STR("no"));
}

static void on_empty(struct tr_http_exchange *x, void *app)
{
    (void)app;
    tr_http_respond(x, 204, NULL, 0, TR_STR("not sent"));
}

static void on_peer(struct tr_http_exchange *x, void *app)
{
    (void)app;
    tr_http_respond(x, 200, NULL, 0,
                    tr_http_exchange_is_local(x) ? TR_STR("local")
                                                 : TR_STR("elsewhere"));
}

static const struct tr_http_route routes[] = {
    {TR_STR_INIT("GET"), TR_STR_INIT("/echo"), on_echo, NULL, false},
    {TR_STR_INIT("POST"), TR_STR_INIT("/echo"), on_echo, NULL, true},
    {TR_STR_INIT("POST"), TR_STR_INIT("/hold"), on_hold, NULL, true},
    {TR_STR_INIT("GET"), TR_STR_INIT("/large"), on_large, NULL, false},
    {TR_STR_INIT("GET"), TR_STR_INIT("/bad"), on_bad_field, NULL, false},
    {TR_STR_INIT("GET"), TR_STR_INIT("/empty"), on_empty, NULL, false},
    {TR_STR_INIT("GET"), TR_STR_INIT("/peer"), on_peer, NULL, false},
};

static void route(struct tr_http_exchange *x, void *app)
{
    const struct tr_http_routes table = {routes, TR_LEN(routes)};
    if (tr_http_route_find(table, x))
        tr_http_route_run(x, app);
}

static void open_server(struct fixture *f, const struct tr_http_opts *opts)
{
    *f = (struct fixture){0};
    tr_web_open(&f->web, opts, route, f);
}

static const char *ask(struct fixture *f, int fd, const char *text,
                       const char *end)
{
    return tr_web_ask(&f->web, fd, text, end);
}

#define CHECK_TEXT(actual, expected) assert_string_equal(actual, expected)
#define DATE                         TR_WEB_DATE
#define OK_HEAD                      "HTTP/1.1 200 OK\r\n" DATE

TEST(http_server_keeps_a_connection_for_many_requests)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    for (int i = 0; i < 5; i++)
        CHECK_TEXT(ask(&f, fd,
                       "POST /echo HTTP/1.1\r\nHost: a\r\n"
                       "Content-Length: 5\r\n\r\nhello",
                       "hello"),
                   OK_HEAD "Content-Length: 5\r\n"
                           "Content-Type: text/plain\r\n\r\nhello");
    CHECK_INT(tr_http_server_counts(f.web.server).requests, 5);
    CHECK_INT(tr_http_server_counts(f.web.server).connections, 1);
    CHECK(!tr_peer_has_ended(f.web.loop, fd));
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_closes_when_it_is_asked_to)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    CHECK_TEXT(ask(&f, fd,
                   "GET /echo HTTP/1.1\r\nHost: a\r\n"
                   "Connection: close\r\n\r\n",
                   ""),
               OK_HEAD "Connection: close\r\nContent-Length: 0\r\n"
                       "Content-Type: text/plain\r\n\r\n");
    (void)close(fd);
    fd = tr_peer_connect(f.web.port);
    CHECK_TEXT(ask(&f, fd, "GET /echo HTTP/1.0\r\n\r\n", ""),
               OK_HEAD "Connection: close\r\nContent-Length: 0\r\n"
                       "Content-Type: text/plain\r\n\r\n");
    (void)close(fd);
    fd = tr_peer_connect(f.web.port);
    CHECK_TEXT(ask(&f, fd,
                   "GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
                   "plain\r\n\r\n"),
               OK_HEAD "Connection: keep-alive\r\nContent-Length: 0\r\n"
                       "Content-Type: text/plain\r\n\r\n");
    (void)close(fd);
    tr_web_close(&f.web);
}

/* The last response too, when the peer has ended its side. */
TEST(http_server_answers_pipelined_requests_in_order)
{
    struct fixture f;
    char text[1024] = "";
    size_t len = 0;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    for (int i = 0; i < 9; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "POST /echo HTTP/1.1\r\nHost: a\r\n"
                                "Content-Length: 2\r\n\r\n#%d",
                                i);
    tr_peer_send(f.web.loop, fd, (tr_str){text, len});
    CHECK(shutdown(fd, SHUT_WR) == 0);
    const char *answer = ask(&f, fd, "", "");
    char marks[16] = "";
    size_t count = 0;
    for (; *answer; answer++) {
        if (*answer == '#' && count + 1 < sizeof(marks))
            marks[count++] = answer[1];
    }
    CHECK_TEXT(marks, "012345678");
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_answers_pipelined_requests_behind_a_slow_one_in_order)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    tr_peer_send(f.web.loop, fd,
                 TR_STR("POST /hold HTTP/1.1\r\nHost: a\r\n"
                        "Content-Length: 0\r\n\r\n"
                        "POST /echo HTTP/1.1\r\nHost: a\r\n"
                        "Content-Length: 1\r\n\r\n"));
    tr_peer_settle(f.web.loop);
    CHECK(f.held);
    tr_peer_send(f.web.loop, fd, TR_STR("2POST /echo HTTP/1.1\r\nHost: a\r\n"));
    tr_peer_settle(f.web.loop);
    tr_peer_send(f.web.loop, fd, TR_STR("Content-Length: 1\r\n\r\n3"));
    tr_peer_settle(f.web.loop);
    CHECK_INT(tr_http_server_counts(f.web.server).requests, 1);
    tr_http_respond(f.held, 200, NULL, 0, TR_STR("1"));
    const char *answer = ask(&f, fd, "", "\r\n\r\n3");
    CHECK(strstr(answer, "\r\n\r\n1HTTP"));
    CHECK(strstr(answer, "\r\n\r\n2HTTP"));
    CHECK_INT(f.gone, 0);
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_reads_chunked_bodies_and_says_100_continue)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    CHECK_TEXT(ask(&f, fd,
                   "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n",
                   "\r\n\r\n"),
               "HTTP/1.1 100 Continue\r\n\r\n");
    const char *answer =
        ask(&f, fd, "3\r\nabc\r\n4;x\r\ndefg\r\n0\r\nT: x\r\n\r\n", "abcdefg");
    CHECK(strstr(answer, "Content-Length: 7\r\n"));
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_sends_no_body_where_none_belongs)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    CHECK_TEXT(
        ask(&f, fd, "HEAD /large?9 HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n"),
        OK_HEAD "Content-Length: 9\r\n\r\n");
    CHECK_TEXT(
        ask(&f, fd, "GET /empty HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n"),
        "HTTP/1.1 204 No Content\r\n" DATE "\r\n");
    CHECK_TEXT(
        ask(&f, fd, "HEAD /none HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n"),
        "HTTP/1.1 404 Not Found\r\n" DATE "Content-Length: 9\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n\r\n");
    CHECK(strstr(
        ask(&f, fd, "GET /large?4 HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\nxxxx"),
        "xxxx"));
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_routes_by_path_and_method)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    CHECK(strstr(ask(&f, fd, "GET /ech HTTP/1.1\r\nHost: a\r\n\r\n",
                     "\r\n\r\nNot Found"),
                 "404"));
    CHECK(strstr(ask(&f, fd, "PUT /echo HTTP/1.1\r\nHost: a\r\n\r\n",
                     "\r\n\r\nMethod Not Allowed"),
                 "Allow: GET, HEAD, POST\r\n"));
    CHECK(strstr(
        ask(&f, fd, "GET /peer HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\nlocal"),
        "200"));
    (void)close(fd);
    tr_web_close(&f.web);
}

/* The peer must see the answer although it has sent more than was read. */
TEST(http_server_answers_what_it_refuses_and_closes)
{
    struct fixture f;
    char junk[3000];
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    tr_peer_send(f.web.loop, fd,
                 TR_STR("POST /echo HTTP/1.1\r\nHost: a\r\n"
                        "Content-Length: 99999999\r\n\r\n"));
    memset(junk, 'j', sizeof(junk));
    for (int i = 0; i < 100; i++)
        tr_peer_send(f.web.loop, fd, (tr_str){junk, sizeof(junk)});
    CHECK_TEXT(ask(&f, fd, "", ""),
               "HTTP/1.1 413 Content Too Large\r\n" DATE
               "Connection: close\r\nContent-Length: 22\r\n"
               "Content-Type: text/plain; charset=utf-8\r\n\r\n"
               "the body is too large\n");
    CHECK_INT(tr_http_server_counts(f.web.server).refused, 1);
    CHECK_INT(tr_http_server_counts(f.web.server).requests, 0);
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_never_sends_a_field_that_splits_a_response)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    CHECK_TEXT(ask(&f, fd, "GET /bad HTTP/1.1\r\nHost: a\r\n\r\n", ""),
               "HTTP/1.1 500 Internal Server Error\r\n" TR_WEB_DATE
               "Connection: close\r\nContent-Length: 0\r\n\r\n");
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_tells_a_running_handler_that_its_peer_has_closed)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    tr_peer_send(f.web.loop, fd,
                 TR_STR("POST /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
    tr_peer_settle(f.web.loop);
    CHECK(f.held && f.gone == 0);
    CHECK(!tr_web_is_gone(f.held));
    (void)close(fd);
    tr_peer_settle(f.web.loop);
    CHECK_INT(f.gone, 1);
    CHECK_INT(tr_http_server_counts(f.web.server).exchanges, 1);
    tr_http_respond(f.held, 200, NULL, 0, TR_STR("late"));
    CHECK_INT(tr_http_server_counts(f.web.server).exchanges, 0);
    tr_peer_settle(f.web.loop);
    CHECK_INT(tr_http_server_counts(f.web.server).connections, 0);
    tr_web_close(&f.web);
}

TEST(http_server_tells_a_running_handler_of_a_reset)
{
    struct fixture f;
    const struct linger at_once = {.l_onoff = 1};
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    tr_peer_send(f.web.loop, fd,
                 TR_STR("POST /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
    tr_peer_settle(f.web.loop);
    CHECK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) ==
          0);
    (void)close(fd);
    tr_peer_settle(f.web.loop);
    CHECK_INT(f.gone, 1);
    CHECK_INT(tr_http_server_counts(f.web.server).connections, 0);
    tr_http_respond(f.held, 200, NULL, 0, TR_STR("late"));
    tr_web_close(&f.web);
}

/* A peer that has ended its side may still read. */
TEST(http_server_answers_a_half_closed_peer)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    tr_peer_send(f.web.loop, fd,
                 TR_STR("POST /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
    CHECK(shutdown(fd, SHUT_WR) == 0);
    tr_peer_settle(f.web.loop);
    CHECK_INT(f.gone, 1);
    tr_http_respond(f.held, 200, NULL, 0, TR_STR("late"));
    CHECK_TEXT(ask(&f, fd, "", ""), OK_HEAD "Connection: close\r\n"
                                            "Content-Length: 4\r\n\r\nlate");
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_forgets_a_request_but_not_what_came_with_it)
{
    struct fixture f;
    open_server(&f, NULL);
    int fd = tr_peer_connect(f.web.port);
    tr_peer_send(f.web.loop, fd,
                 TR_STR("POST /hold HTTP/1.1\r\nHost: a\r\n\r\nPOST /echo "));
    tr_peer_settle(f.web.loop);
    tr_peer_send(f.web.loop, fd, TR_STR("HTTP/1.1\r\nHost: a\r\n"));
    tr_peer_settle(f.web.loop);
    tr_http_exchange_forget(f.held);
    tr_peer_send(f.web.loop, fd, TR_STR("Content-Length: 2\r\n\r\nOK"));
    tr_peer_settle(f.web.loop);
    tr_http_respond(f.held, 202, NULL, 0, TR_STR(""));
    CHECK(strstr(ask(&f, fd, "", "\r\n\r\nOK"), "202 Accepted"));
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_server_listens_on_a_unix_socket_too)
{
    struct fixture f;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char folder[] = "/tmp/trails-XXXXXX";
    CHECK(mkdtemp(folder));
    (void)snprintf(name.sun_path, sizeof(name.sun_path), "%s/s", folder);
    open_server(&f, NULL);
    const struct tr_http_address at = {.path = tr_str_from(name.sun_path)};
    CHECK_OK(tr_http_server_listen(f.web.server, &at, NULL, NULL), NULL);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&name, sizeof(name)) == 0);
    CHECK(strstr(
        ask(&f, fd, "GET /peer HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\nlocal"),
        "200 OK"));
    (void)close(fd);
    tr_web_close(&f.web);
    CHECK(rmdir(folder) == 0);
}
