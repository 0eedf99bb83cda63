#include "support/web.h"

#include "base/test.h"
#include "http/conn.h"
#include "loop/loop.h"
#include "support/peer.h"

void tr_web_open(struct tr_web *web, const struct tr_http_opts *opts,
                 tr_http_handler_fn *handler, void *app)
{
    struct tr_err err = {0};
    const struct tr_loop_opts loop_opts = {.test_clock = true};
    const struct tr_http_address at = {.address = TR_STR("127.0.0.1:0")};
    *web = (struct tr_web){0};
    CHECK_OK(tr_loop_create(&loop_opts, &web->loop, &err), &err);
    CHECK_OK(tr_http_server_create(web->loop, opts, handler, app, &web->server,
                                   &err),
             &err);
    CHECK_OK(tr_http_server_listen(web->server, &at, &web->port, &err), &err);
    CHECK(web->port > 0);
}

static void on_closed(void *data)
{
    ((struct tr_web *)data)->closed = true;
}

static bool is_closed(void *data)
{
    return ((struct tr_web *)data)->closed;
}

void tr_web_start_close(struct tr_web *web, unsigned deadline_ms)
{
    tr_http_server_close(web->server, deadline_ms, on_closed, web);
    web->server = NULL;
}

void tr_web_close(struct tr_web *web)
{
    if (web->server) {
        tr_web_start_close(web, 1000);
        tr_loop_step(web->loop, 1000);
    }
    tr_peer_until(web->loop, is_closed, web);
    while (tr_loop_turn(web->loop))
        ;
    tr_loop_free(web->loop);
}

const char *tr_web_ask(struct tr_web *web, int fd, const char *text,
                       const char *end)
{
    static char answer[65536];
    tr_peer_send(web->loop, fd, tr_str_from(text));
    (void)tr_peer_read(web->loop, fd, end, answer, sizeof(answer));
    return answer;
}

bool tr_web_is_gone(const struct tr_http_exchange *x)
{
    return !x->conn || x->conn->ended;
}
