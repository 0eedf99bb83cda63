#include "http/sse.h"

#include "base/test.h"
#include "loop/loop.h"
#include "support/peer.h"
#include "support/web.h"

#include <sys/socket.h>
#include <unistd.h>

struct fixture {
    struct tr_web web;
    struct tr_http_sse *sse;
    unsigned gone;
};

static void on_gone(struct tr_http_exchange *x, void *data)
{
    struct fixture *f = data;
    (void)x;
    f->gone++;
}

static void open_stream(struct tr_http_exchange *x, void *app)
{
    struct fixture *f = app;
    const tr_http_field field = {TR_STR("X-Test"), TR_STR("1")};
    tr_http_exchange_on_gone(x, on_gone, f);
    f->sse = tr_http_sse_open(x, &field, 1);
    tr_http_exchange_forget(x);
}

static int open_fixture(struct fixture *f, const struct tr_http_opts *opts,
                        const char *request)
{
    *f = (struct fixture){0};
    tr_web_open(&f->web, opts, open_stream, f);
    int fd = tr_peer_connect(f->web.port);
    tr_peer_send(f->web.loop, fd, tr_str_from(request));
    tr_peer_settle(f->web.loop);
    CHECK(f->sse);
    return fd;
}

#define CHECK_TEXT(actual, expected) assert_string_equal(actual, expected)
#define GET                          "GET /s HTTP/1.1\r\nHost: a\r\n\r\n"
#define HEAD(connection)                                                       \
    "HTTP/1.1 200 OK\r\n" TR_WEB_DATE connection                               \
    "Content-Type: text/event-stream\r\n"                                      \
    "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n"
#define CHUNKED_HEAD HEAD("") "Transfer-Encoding: chunked\r\nX-Test: 1\r\n\r\n"

static tr_status send_text(struct fixture *f, const char *data)
{
    return tr_http_sse_send(f->sse, TR_STR("message"), TR_STR(""),
                            tr_str_from(data), NULL);
}

TEST(sse_writes_events_as_the_standard_reads_them)
{
    static const struct {
        const char *event, *id, *data, *text;
    } rows[] = {
        {"message", "", "{}", "event: message\ndata: {}\n\n"},
        {"", "", "", "data: \n\n"},
        {"", "7", "x", "id: 7\ndata: x\n\n"},
        {"", "", "a\nb", "data: a\ndata: b\n\n"},
        {"", "", "a\r\nb\rc\n", "data: a\ndata: b\ndata: c\ndata: \n\n"},
        {"a\nb", "1\r2", "x", "event: a\nid: 1\ndata: x\n\n"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct fixture f;
        char expected[512];
        int fd = open_fixture(&f, NULL, GET);
        CHECK_OK(tr_http_sse_send(f.sse, tr_str_from(rows[i].event),
                                  tr_str_from(rows[i].id),
                                  tr_str_from(rows[i].data), NULL),
                 NULL);
        tr_http_sse_close(f.sse);
        (void)snprintf(expected, sizeof(expected),
                       CHUNKED_HEAD "%zx\r\n%s\r\n0\r\n\r\n",
                       strlen(rows[i].text), rows[i].text);
        CHECK_TEXT(tr_web_ask(&f.web, fd, "", "0\r\n\r\n"), expected);
        (void)close(fd);
        tr_web_close(&f.web);
    }
}

TEST(sse_sends_events_in_chunks_and_keeps_the_connection)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL, GET);
    CHECK_OK(send_text(&f, "1"), NULL);
    CHECK_OK(tr_http_sse_comment(f.sse, TR_STR("hi"), NULL), NULL);
    tr_http_sse_close(f.sse);
    CHECK_TEXT(tr_web_ask(&f.web, fd, "", "0\r\n\r\n"),
               CHUNKED_HEAD "18\r\nevent: message\ndata: 1\n\n\r\n"
                            "5\r\n:hi\n\n\r\n"
                            "0\r\n\r\n");
    f.sse = NULL;
    tr_peer_send(f.web.loop, fd, tr_str_from(GET));
    tr_peer_settle(f.web.loop);
    CHECK(f.sse);
    tr_http_sse_close(f.sse);
    CHECK_TEXT(tr_web_ask(&f.web, fd, "", "0\r\n\r\n"),
               CHUNKED_HEAD "0\r\n\r\n");
    CHECK_INT(f.gone, 0);
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(sse_ends_the_connection_of_a_peer_that_speaks_http_1_0)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL,
                          "GET /s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    CHECK_OK(send_text(&f, "1"), NULL);
    tr_http_sse_close(f.sse);
    CHECK_TEXT(tr_web_ask(&f.web, fd, "", ""),
               HEAD("Connection: close\r\n") "X-Test: 1\r\n\r\n"
                                             "event: message\ndata: 1\n\n");
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(sse_answers_head_without_events)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL, "HEAD /s HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK_OK(send_text(&f, "1"), NULL);
    tr_http_sse_close(f.sse);
    CHECK_TEXT(tr_web_ask(&f.web, fd, "", "\r\n\r\n"), CHUNKED_HEAD);
    CHECK(!tr_peer_has_ended(f.web.loop, fd));
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(sse_sends_a_comment_while_nothing_else_is_sent)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL, GET);
    CHECK_TEXT(tr_web_ask(&f.web, fd, "", "\r\n\r\n"), CHUNKED_HEAD);
    tr_loop_step(f.web.loop, 10000);
    CHECK_OK(send_text(&f, "1"), NULL);
    CHECK(strstr(tr_web_ask(&f.web, fd, "", "\n\n\r\n"), "data: 1"));
    tr_loop_step(f.web.loop, 14000);
    tr_peer_settle(f.web.loop);
    char byte;
    CHECK(recv(fd, &byte, 1, MSG_DONTWAIT) < 0);
    tr_loop_step(f.web.loop, 2000);
    CHECK_TEXT(tr_web_ask(&f.web, fd, "", "\n\n\r\n"), "3\r\n:\n\n\r\n");
    for (int i = 0; i < 40; i++) { /* an idle stream is not cut */
        tr_loop_step(f.web.loop, 15000);
        tr_peer_settle(f.web.loop);
    }
    CHECK_OK(send_text(&f, "2"), NULL);
    CHECK(strstr(tr_web_ask(&f.web, fd, "", "data: 2\n\n\r\n"), ":\n\n"));
    CHECK_INT(f.gone, 0);
    tr_http_sse_close(f.sse);
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(sse_tells_that_the_peer_has_gone)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL, GET);
    CHECK_OK(send_text(&f, "1"), NULL);
    tr_peer_settle(f.web.loop);
    (void)close(fd);
    tr_peer_settle(f.web.loop);
    CHECK_INT(f.gone, 1);
    CHECK_INT(send_text(&f, "2"), TR_E_CANCELLED);
    CHECK_INT(tr_http_sse_queued(f.sse), 0);
    CHECK_INT(tr_http_server_counts(f.web.server).exchanges, 1);
    tr_http_sse_close(f.sse);
    tr_web_close(&f.web);
}

/* The limit is the server's, beyond what the system buffers. */
TEST(sse_cuts_off_a_peer_that_does_not_read)
{
    struct fixture f;
    const struct tr_http_opts opts = {.max_sse_bytes = 100000,
                                      .send_buffer_bytes = 4096};
    static char data[10000];
    int fd = open_fixture(&f, &opts, GET);
    memset(data, 'd', sizeof(data) - 1);
    tr_status st = TR_OK;
    for (int i = 0; i < 10000 && st == TR_OK; i++) {
        st = send_text(&f, data);
        CHECK(tr_http_sse_queued(f.sse) < 100000 + 10100); /* and one event */
        (void)tr_loop_turn(f.web.loop);
    }
    CHECK_INT(st, TR_E_LIMIT);
    CHECK_INT(send_text(&f, "2"), TR_E_CANCELLED);
    tr_http_sse_close(f.sse);
    tr_peer_settle(f.web.loop);
    CHECK_INT(tr_http_server_counts(f.web.server).connections, 0);
    (void)close(fd);
    tr_web_close(&f.web);
}

/* It would wait in memory for as many streams as a turn has to tell. */
TEST(sse_hands_a_large_event_over_at_once_with_what_is_before_it)
{
    struct fixture f;
    static char data[8192];
    static char got[sizeof(data) + 500];
    int fd = open_fixture(&f, NULL, GET);
    memset(data, 'd', sizeof(data) - 1);
    (void)tr_peer_read(f.web.loop, fd, "\r\n\r\n", got, sizeof(got));
    CHECK_OK(send_text(&f, "small"), NULL);
    CHECK(tr_http_sse_queued(f.sse) > 0); /* until the turn ends */
    CHECK_OK(send_text(&f, data), NULL);
    CHECK_INT(tr_http_sse_queued(f.sse), 0);
    size_t len = tr_peer_read(f.web.loop, fd, "d\n\n\r\n", got, sizeof(got));
    CHECK(len > sizeof(data));
    CHECK(strstr(got, "data: small\n\n"));
    CHECK(strstr(got, "data: small\n\n") < strstr(got, "dddd"));
    tr_http_sse_close(f.sse);
    (void)close(fd);
    tr_web_close(&f.web);
}

/* What is to be sent does not count, only what is left unread. */
TEST(sse_sends_a_peer_that_reads_an_event_of_any_size)
{
    struct fixture f;
    const struct tr_http_opts opts = {.max_sse_bytes = 4096,
                                      .send_buffer_bytes = 65536};
    static char data[1000000];
    static char got[2100000];
    int fd = open_fixture(&f, &opts, GET);
    memset(data, 'd', sizeof(data) - 1);
    CHECK_OK(send_text(&f, "small"), NULL);
    CHECK_OK(send_text(&f, data), NULL);
    CHECK(tr_http_sse_queued(f.sse) > sizeof(data) / 2);
    (void)tr_peer_read(f.web.loop, fd, "d\n\n\r\n", got, sizeof(got));
    CHECK_OK(send_text(&f, data), NULL);
    size_t len = tr_peer_read(f.web.loop, fd, "d\n\n\r\n", got, sizeof(got));
    CHECK(len > sizeof(data) && len < sizeof(data) + 100);
    tr_http_sse_close(f.sse);
    (void)close(fd);
    tr_web_close(&f.web);
}

/* Here nothing new is sent: the clock notices. */
TEST(sse_cuts_off_a_peer_that_has_stopped_reading)
{
    struct fixture f;
    const struct tr_http_opts opts = {.send_buffer_bytes = 4096};
    static char data[900000];
    int fd = open_fixture(&f, &opts, GET);
    memset(data, 'd', sizeof(data) - 1);
    for (int i = 0; i < 100 && tr_http_sse_queued(f.sse) == 0; i++) {
        CHECK_OK(send_text(&f, data), NULL);
        tr_peer_settle(f.web.loop);
    }
    CHECK(tr_http_sse_queued(f.sse) > 0);
    tr_loop_step(f.web.loop, 20000);
    CHECK_INT(f.gone, 0);
    tr_loop_step(f.web.loop, 15000);
    CHECK_INT(f.gone, 1);
    tr_http_sse_close(f.sse);
    (void)close(fd);
    tr_web_close(&f.web);
}

TEST(sse_gathers_what_is_sent_in_one_turn)
{
    struct fixture f;
    int fd = open_fixture(&f, NULL, GET);
    CHECK_TEXT(tr_web_ask(&f.web, fd, "", "\r\n\r\n"), CHUNKED_HEAD);
    for (int i = 0; i < 5; i++)
        CHECK_OK(send_text(&f, "x"), NULL);
    CHECK(tr_http_sse_queued(f.sse) > 0);
    tr_peer_settle(f.web.loop);
    CHECK_INT(tr_http_sse_queued(f.sse), 0);
    char text[512];
    CHECK_INT(recv(fd, text, sizeof(text), MSG_DONTWAIT), 5 * 30);
    tr_http_sse_close(f.sse);
    (void)close(fd);
    tr_web_close(&f.web);
}
