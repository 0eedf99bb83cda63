/* Slow peers, too many peers, and the end of the server. */
#include "base/test.h"
#include "http/sse.h"
#include "loop/loop.h"
#include "support/peer.h"
#include "support/web.h"

#include <sys/socket.h>
#include <unistd.h>

struct fixture {
    struct tr_web web;
    struct tr_http_exchange *held;
    unsigned gone;
};

static void on_gone(struct tr_http_exchange *x, void *data)
{
    struct fixture *f = data;
    f->gone++;
    f->held = NULL;
    tr_http_respond_text(x, 503, NULL);
}

static void handle(struct tr_http_exchange *x, void *app)
{
    struct fixture *f = app;
    const struct tr_http_request *request = tr_http_exchange_request(x);
    if (!tr_str_eq(request->path, TR_STR("/hold"))) {
        tr_http_respond(x, 200, NULL, 0, request->body);
        return;
    }
    f->held = x;
    tr_http_exchange_on_gone(x, on_gone, f);
}

static int open_fixture(struct fixture *f, const struct tr_http_opts *opts)
{
    *f = (struct fixture){0};
    tr_web_open(&f->web, opts, handle, f);
    return tr_peer_connect(f->web.port);
}

static void send_text(struct fixture *f, int fd, const char *text)
{
    tr_peer_send(f->web.loop, fd, tr_str_from(text));
    tr_peer_settle(f->web.loop);
}

static size_t connections(const struct fixture *f)
{
    return tr_http_server_counts(f->web.server).connections;
}

TEST(http_closes_a_connection_that_is_not_used)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL);
    tr_peer_settle(f.web.loop);
    tr_loop_step(f.web.loop, 74000);
    CHECK(!tr_peer_has_ended(f.web.loop, fd));
    CHECK_INT(connections(&f), 1);
    tr_loop_step(f.web.loop, 2000);
    CHECK(tr_peer_has_ended(f.web.loop, fd));
    CHECK_INT(connections(&f), 0);
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_counts_idle_time_from_the_last_response)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL);
    for (int i = 0; i < 3; i++) {
        send_text(&f, fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        tr_loop_step(f.web.loop, 60000);
        CHECK(!tr_peer_has_ended(f.web.loop, fd));
    }
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_does_not_wait_for_a_head_that_trickles)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL);
    for (int i = 0; i < 14; i++) {
        send_text(&f, fd, "G");
        tr_loop_step(f.web.loop, 1000);
        CHECK_INT(tr_http_server_counts(f.web.server).refused, 0);
    }
    send_text(&f, fd, "G");
    tr_loop_step(f.web.loop, 2000);
    CHECK(strstr(tr_web_ask(&f.web, fd, "", ""), "HTTP/1.1 408 Request"));
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_does_not_wait_for_a_body_that_trickles)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL);
    send_text(&f, fd,
              "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n");
    for (int i = 0; i < 29; i++) {
        tr_loop_step(f.web.loop, 1000);
        send_text(&f, fd, "b");
        CHECK_INT(tr_http_server_counts(f.web.server).refused, 0);
    }
    tr_loop_step(f.web.loop, 3000);
    CHECK(strstr(tr_web_ask(&f.web, fd, "", ""), "HTTP/1.1 408 Request"));
    (void)close(fd);
    tr_web_close(&f.web);
}

/* 16 KiB a second is fast enough, however long it takes. */
TEST(http_waits_for_a_large_body_that_keeps_coming)
{
    struct fixture f;
    static char part[20000];
    int fd = open_fixture(&f, NULL);
    memset(part, 'p', sizeof(part));
    send_text(&f, fd,
              "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n");
    for (int i = 0; i < 100; i++) {
        tr_peer_send(f.web.loop, fd, (tr_str){part, sizeof(part)});
        tr_peer_settle(f.web.loop);
        tr_loop_step(f.web.loop, 1000);
    }
    CHECK_INT(tr_http_server_counts(f.web.server).refused, 0);
    CHECK_INT(tr_http_server_counts(f.web.server).requests, 1);
    (void)close(fd);
    tr_web_close(&f.web);
}

/* The clock of the server does not run against a handler. */
TEST(http_waits_for_a_handler_as_long_as_it_takes)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL);
    send_text(&f, fd, "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
    tr_loop_step(f.web.loop, 3600000);
    CHECK(f.held && f.gone == 0);
    tr_http_respond(f.held, 200, NULL, 0, TR_STR("late"));
    CHECK(strstr(tr_web_ask(&f.web, fd, "", "late"), "200 OK"));
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(http_turns_peers_away_when_there_are_too_many)
{
    struct fixture f;
    const struct tr_http_opts opts = {.max_connections = 1};
    int first = open_fixture(&f, &opts);
    tr_peer_settle(f.web.loop);
    int second = tr_peer_connect(f.web.port);
    CHECK(strstr(tr_web_ask(&f.web, second, "", ""),
                 "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"));
    (void)close(second);
    second = tr_peer_connect(f.web.port); /* and one that has sent already */
    CHECK(send(second, "GET / HTTP/1.1\r\n\r\n", 18, 0) == 18);
    CHECK(strstr(tr_web_ask(&f.web, second, "", ""), "HTTP/1.1 503"));
    (void)close(second);
    (void)close(first);
    tr_peer_settle(f.web.loop);
    first = tr_peer_connect(f.web.port);
    CHECK(strstr(tr_web_ask(&f.web, first, "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                            "\r\n\r\n"),
                 "200 OK"));
    (void)close(first);
    tr_web_close(&f.web);
}

TEST(http_ends_idle_connections_at_once_and_lets_running_ones_finish)
{
    struct fixture f;
    int running = open_fixture(&f, NULL);
    int idle = tr_peer_connect(f.web.port);
    send_text(&f, running, "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK_INT(connections(&f), 2);
    tr_web_start_close(&f.web, 5000);
    CHECK(tr_peer_has_ended(f.web.loop, idle));
    CHECK(!tr_peer_has_ended(f.web.loop, running));
    tr_http_respond(f.held, 200, NULL, 0, TR_STR("done"));
    CHECK(strstr(tr_web_ask(&f.web, running, "", ""),
                 "Connection: close\r\nContent-Length: 4\r\n\r\ndone"));
    CHECK_INT(f.gone, 0);
    (void)close(running);
    (void)close(idle);
    tr_web_close(&f.web);
}

TEST(http_cuts_off_what_is_still_running_at_the_deadline)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL);
    send_text(&f, fd, "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
    tr_web_start_close(&f.web, 5000);
    tr_loop_step(f.web.loop, 4999);
    CHECK_INT(f.gone, 0);
    tr_loop_step(f.web.loop, 1);
    CHECK_INT(f.gone, 1);
    CHECK(tr_peer_has_ended(f.web.loop, fd));
    (void)close(fd);
    tr_web_close(&f.web);
}

/* Nobody has to read for the server to end. */
TEST(http_ends_when_nobody_was_ever_there)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL);
    (void)close(fd);
    tr_web_start_close(&f.web, 0);
    tr_web_close(&f.web);
}

/* Descriptors and memory are where they were; the sanitizers count memory. */
TEST(http_survives_a_storm_of_aborted_requests)
{
    struct fixture f;
    int probe = open_fixture(&f, NULL);
    const struct linger at_once = {.l_onoff = 1};
    for (size_t i = tr_test_scaled(10000); i > 0; i--) {
        int fd = tr_peer_connect(f.web.port);
        static const char request[] = "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n";
        size_t len = tr_test_random_below(sizeof(request));
        tr_peer_send(f.web.loop, fd, (tr_str){request, len});
        if (i % 3)
            tr_peer_settle(f.web.loop);
        if (i % 2)
            (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once,
                             sizeof(at_once));
        (void)close(fd);
        if (i % 5)
            tr_peer_settle(f.web.loop);
    }
    tr_peer_settle(f.web.loop);
    tr_loop_step(f.web.loop, 3000);
    tr_peer_settle(f.web.loop);
    CHECK_INT(connections(&f), 1);
    CHECK_INT(tr_http_server_counts(f.web.server).exchanges, 0);
    (void)close(probe);
    tr_web_close(&f.web);
}
