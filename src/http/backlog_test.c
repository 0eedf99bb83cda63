/* Responses that are larger, or more, than the peer takes at once. */
#include "base/test.h"
#include "loop/loop.h"
#include "support/peer.h"
#include "support/web.h"

#include <sys/socket.h>
#include <unistd.h>

/* Responds with as many bytes as the query says. */
static void respond(struct tr_http_exchange *x, void *app)
{
    static char bytes[1000000];
    int64_t len = 0;
    (void)app;
    CHECK(tr_str_to_i64(tr_http_exchange_request(x)->query, &len));
    CHECK(len <= (int64_t)sizeof(bytes));
    memset(bytes, 'x', (size_t)len);
    tr_http_respond(x, 200, NULL, 0, (tr_str){bytes, (size_t)len});
}

TEST(http_sends_large_responses_as_fast_as_the_peer_reads)
{
    enum { LEN = 1000000 };
    struct tr_web web;
    const struct tr_http_opts opts = {.send_buffer_bytes = 4096};
    char *answer = calloc(1, 2 * LEN);
    tr_web_open(&web, &opts, respond, NULL);
    int fd = tr_peer_connect(web.port);
    tr_peer_send(web.loop, fd,
                 TR_STR("GET /large?1000000 HTTP/1.1\r\nHost: a\r\n"
                        "Connection: close\r\n\r\n"));
    tr_peer_settle(web.loop);
    tr_loop_step(web.loop, 5000);
    size_t len = tr_peer_read(web.loop, fd, "", answer, 2 * LEN);
    CHECK(len > LEN && len < LEN + 200);
    CHECK(answer[len - 1] == 'x');
    free(answer);
    (void)close(fd);
    tr_web_close(&web);
}

/* The pieces are the caller's again when it has responded. */
static void respond_in_pieces(struct tr_http_exchange *x, void *app)
{
    enum { LEN = 300000 };
    static char bytes[TR_HTTP_PIECES][LEN];
    tr_str pieces[TR_HTTP_PIECES];
    (void)app;
    for (int i = 0; i < TR_HTTP_PIECES; i++) {
        memset(bytes[i], 'a' + i, LEN);
        pieces[i] = (tr_str){bytes[i], i == 1 ? 0 : LEN};
    }
    tr_http_respond_pieces(x, 200, NULL, 0,
                           (struct tr_http_body){pieces, TR_HTTP_PIECES});
    memset(bytes, '!', sizeof(bytes));
}

TEST(http_sends_the_pieces_of_a_body_one_after_the_other)
{
    struct tr_web web;
    const struct tr_http_opts opts = {.send_buffer_bytes = 4096};
    static char answer[1000000];
    tr_web_open(&web, &opts, respond_in_pieces, NULL);
    int fd = tr_peer_connect(web.port);
    tr_peer_send(web.loop, fd,
                 TR_STR("GET / HTTP/1.1\r\nHost: a\r\n"
                        "Connection: close\r\n\r\n"));
    tr_peer_settle(web.loop);
    size_t len = tr_peer_read(web.loop, fd, "", answer, sizeof(answer));
    const char *body = strstr(answer, "\r\n\r\n") + 4;
    CHECK(strstr(answer, "Content-Length: 900000\r\n"));
    CHECK_INT(answer + len - body, 900000);
    CHECK_INT(strspn(body, "a"), 300000);
    CHECK_INT(strspn(body + 300000, "c"), 300000);
    CHECK_INT(strspn(body + 600000, "d"), 300000);
    (void)close(fd);
    tr_web_close(&web);
}

TEST(http_sends_no_piece_where_no_body_belongs)
{
    struct tr_web web;
    static char answer[2000];
    tr_web_open(&web, NULL, respond_in_pieces, NULL);
    int fd = tr_peer_connect(web.port);
    tr_peer_send(web.loop, fd,
                 TR_STR("HEAD / HTTP/1.1\r\nHost: a\r\n"
                        "Connection: close\r\n\r\n"));
    tr_peer_settle(web.loop);
    size_t len = tr_peer_read(web.loop, fd, "", answer, sizeof(answer));
    CHECK(strstr(answer, "Content-Length: 900000\r\n"));
    CHECK(len > 4 && memcmp(answer + len - 4, "\r\n\r\n", 4) == 0);
    (void)close(fd);
    tr_web_close(&web);
}

/* One at a time: the next is not begun while much of the last is unread. */
TEST(http_does_not_pile_up_responses_for_a_peer_that_does_not_read)
{
    struct tr_web web;
    const struct tr_http_opts opts = {.send_buffer_bytes = 4096};
    static char answer[4 * 1024 * 1024];
    tr_web_open(&web, &opts, respond, NULL);
    int fd = tr_peer_connect(web.port);
    for (int i = 0; i < 4; i++)
        tr_peer_send(web.loop, fd,
                     TR_STR("GET /large?1000000 HTTP/1.1\r\nHost: a\r\n\r\n"));
    tr_peer_settle(web.loop);
    CHECK(tr_http_server_counts(web.server).requests < 4);
    CHECK(shutdown(fd, SHUT_WR) == 0);
    CHECK(tr_peer_read(web.loop, fd, "", answer, sizeof(answer)) > 4000000);
    CHECK_INT(tr_http_server_counts(web.server).requests, 4);
    (void)close(fd);
    tr_web_close(&web);
}

/* The queue fills and empties within one turn, without the peer's doing. */
TEST(http_answers_more_pipelined_requests_than_it_queues_answers)
{
    enum { COUNT = 100, LEN = 2000 };
    struct tr_web web;
    static char answers[COUNT * (LEN + 200)];
    tr_web_open(&web, NULL, respond, NULL);
    int fd = tr_peer_connect(web.port);
    for (int i = 0; i < COUNT; i++)
        tr_peer_send(web.loop, fd,
                     TR_STR("GET /large?2000 HTTP/1.1\r\nHost: a\r\n\r\n"));
    CHECK(shutdown(fd, SHUT_WR) == 0);
    CHECK(tr_peer_read(web.loop, fd, "", answers, sizeof(answers)) >
          COUNT * LEN);
    CHECK_INT(tr_http_server_counts(web.server).requests, COUNT);
    (void)close(fd);
    tr_web_close(&web);
}
