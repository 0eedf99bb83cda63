/* A server without memory refuses, and lives on. */
#include "base/test.h"
#include "http/conn.h"
#include "http/server.h"
#include "http/sse.h"
#include "loop/loop.h"
#include "net/stream.h"
#include "support/peer.h"
#include "support/web.h"

#include <sys/socket.h>
#include <unistd.h>

/* Answers in full, or not at all: a part would be taken for the whole. */
static void handle(struct tr_http_exchange *x, void *app)
{
    tr_str copy = {NULL, 0};
    (void)app;
    if (tr_str_eq(tr_http_exchange_request(x)->path, TR_STR("/stream"))) {
        struct tr_http_sse *sse = tr_http_sse_open(x, NULL, 0);
        if (tr_http_sse_send(sse, TR_STR(""), TR_STR(""), TR_STR("OK"), NULL) !=
            TR_OK)
            CHECK(tr_web_is_gone(x));
        tr_http_sse_close(sse);
    } else if (tr_arena_copy(&x->arena, TR_STR("OK"), &copy)) {
        tr_http_respond(x, 200, NULL, 0, copy);
    } else {
        tr_http_respond_text(x, 503, NULL);
    }
}

struct scenario {
    struct tr_loop *loop;
    const char *request;
};

static bool is_answered(struct scenario *s, struct tr_http_server *server)
{
    int ends[2];
    char answer[4096] = "";
    struct tr_net_stream *stream = NULL;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(send(ends[1], s->request, strlen(s->request), 0) > 0);
    if (tr_net_stream_open(s->loop, ends[0], 0, &stream, NULL) == TR_OK)
        tr_http_conn_open(server, stream);
    tr_peer_settle(s->loop);
    ssize_t count = recv(ends[1], answer, sizeof(answer) - 1, MSG_DONTWAIT);
    (void)close(ends[1]);
    tr_peer_settle(s->loop);
    return count > 0 && strstr(answer, "200 OK") && strstr(answer, "OK\r\n") &&
           strstr(strstr(answer, "\r\n\r\n") + 4, "OK");
}

static tr_status serve_one(void *context, struct tr_err *err)
{
    struct scenario *s = context;
    struct tr_http_server *server = NULL;
    const struct tr_http_address at = {.address = TR_STR("127.0.0.1:0")};
    TR_TRY(tr_http_server_create(s->loop, NULL, handle, NULL, &server, err));
    tr_status st = tr_http_server_listen(server, &at, NULL, err);
    if (st == TR_OK && !is_answered(s, server))
        st = tr_fail(err, TR_E_NOMEM, "no answer");
    tr_http_server_close(server, 0, NULL, NULL);
    tr_loop_step(s->loop, 1);
    while (tr_loop_turn(s->loop))
        ;
    return st;
}

TEST(http_survives_every_allocation_that_fails)
{
    static const char *const requests[] = {
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
    };
    const struct tr_loop_opts opts = {.test_clock = true};
    struct scenario s = {0};
    CHECK_OK(tr_loop_create(&opts, &s.loop, NULL), NULL);
    for (size_t i = 0; i < TR_LEN(requests); i++) {
        s.request = requests[i];
        tr_test_sweep(serve_one, &s);
    }
    tr_loop_free(s.loop);
}
