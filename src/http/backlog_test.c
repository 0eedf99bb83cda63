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
