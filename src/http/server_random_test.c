/*
 * Many clients that pipeline, dawdle and hang up, against handlers that answer
 * now, later, or with a stream: every client gets its answers in its order.
 */
#include "base/test.h"
#include "http/sse.h"
#include "loop/loop.h"
#include "support/peer.h"
#include "support/web.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS  8
#define REQUESTS 20
#define STEPS    1000000
#define HELD     (CLIENTS * 64)

/* A handler that has not answered; `sse` when it streams. */
struct held {
    struct tr_http_exchange *x;
    struct tr_http_sse *sse;
    char id[16];
};

struct client {
    int fd;
    char text[REQUESTS * 200]; /* all its requests */
    size_t len;
    size_t sent;
    char partial[16]; /* of an id that has not arrived completely */
    size_t partial_len;
    unsigned got; /* answers so far */
};

struct world {
    struct tr_web web;
    struct client clients[CLIENTS];
    struct held held[HELD];
    size_t held_count;
    unsigned gone;
};

static void on_gone(struct tr_http_exchange *x, void *data)
{
    struct world *w = data;
    CHECK(tr_web_is_gone(x));
    w->gone++;
}

static void handle(struct tr_http_exchange *x, void *app)
{
    struct world *w = app;
    const struct tr_http_request *request = tr_http_exchange_request(x);
    tr_str body = request->body;
    if (tr_str_eq(request->path, TR_STR("/now")) || w->held_count == HELD) {
        tr_http_respond(x, 200, NULL, 0, body);
        return;
    }
    struct held *held = &w->held[w->held_count++];
    *held = (struct held){.x = x};
    CHECK(body.len < sizeof(held->id));
    memcpy(held->id, body.ptr, body.len);
    tr_http_exchange_on_gone(x, on_gone, w);
    if (tr_str_eq(request->path, TR_STR("/stream")))
        held->sse = tr_http_sse_open(x, NULL, 0);
    if (tr_test_random_below(2))
        tr_http_exchange_forget(x);
}

static void answer(struct world *w, size_t i)
{
    struct held held = w->held[i];
    tr_str id = tr_str_from(held.id);
    w->held[i] = w->held[--w->held_count];
    if (!held.sse) {
        tr_http_respond(held.x, 200, NULL, 0, id);
        return;
    }
    tr_status st = tr_http_sse_send(held.sse, TR_STR(""), TR_STR(""), id, NULL);
    CHECK(st == TR_OK || st == TR_E_CANCELLED);
    tr_http_sse_close(held.sse);
}

static void put_request(struct client *c, const char *path, const char *id)
{
    char *at = c->text + c->len;
    size_t room = sizeof(c->text) - c->len;
    int len = tr_test_random_below(2)
                  ? snprintf(at, room,
                             "POST /%s HTTP/1.1\r\nHost: a\r\n"
                             "Content-Length: %zu\r\n\r\n%s",
                             path, strlen(id), id)
                  : snprintf(at, room,
                             "POST /%s HTTP/1.1\r\nHost: a\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"
                             "%zx\r\n%s\r\n0\r\n\r\n",
                             path, strlen(id), id);
    CHECK(len > 0 && (size_t)len < room);
    c->len += (size_t)len;
}

static void open_client(struct world *w, struct client *c)
{
    static const char *const paths[] = {"now", "later", "stream"};
    *c = (struct client){.fd = tr_peer_connect(w->web.port)};
    for (unsigned i = 0; i < REQUESTS; i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "#%u;", i);
        put_request(c, paths[tr_test_random_below(3)], id);
    }
}

static void send_some(struct client *c)
{
    size_t count = 1 + tr_test_random_below(300);
    if (count > c->len - c->sent)
        count = c->len - c->sent;
    ssize_t sent =
        send(c->fd, c->text + c->sent, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    CHECK(sent >= 0 || errno == EAGAIN);
    c->sent += sent > 0 ? (size_t)sent : 0;
}

/* Ids stand between '#' and ';', which nothing else has. */
static void take(struct client *c, char byte)
{
    if (byte == '#')
        c->partial_len = 0;
    else if (c->partial_len == sizeof(c->partial))
        return;
    if (byte == ';' && c->partial[0] == '#') {
        int64_t id = -1;
        CHECK(tr_str_to_i64((tr_str){c->partial + 1, c->partial_len - 1}, &id));
        CHECK_INT(id, c->got);
        c->got++;
        c->partial[0] = '\0';
    } else {
        c->partial[c->partial_len++] = byte;
    }
}

static void read_some(struct client *c)
{
    char bytes[512];
    ssize_t count = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    CHECK(count > 0 || (count < 0 && errno == EAGAIN));
    for (ssize_t i = 0; i < count; i++)
        take(c, bytes[i]);
}

static void hang_up(struct world *w, struct client *c)
{
    const struct linger at_once = {.l_onoff = 1};
    if (tr_test_random_below(2))
        (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once,
                         sizeof(at_once));
    (void)close(c->fd);
    open_client(w, c);
}

static void step(struct world *w)
{
    struct client *c = &w->clients[tr_test_random_below(CLIENTS)];
    switch (tr_test_random_below(6)) {
    case 0:
        send_some(c);
        break;
    case 1:
        read_some(c);
        break;
    case 2:
        if (w->held_count)
            answer(w, tr_test_random_below(w->held_count));
        break;
    case 3:
        if (c->got == REQUESTS || tr_test_random_below(100) == 0)
            hang_up(w, c);
        break;
    default:
        (void)tr_loop_turn(w->web.loop);
    }
}

static bool all_done(void *data)
{
    struct world *w = data;
    bool done = true;
    while (w->held_count)
        answer(w, 0);
    for (size_t i = 0; i < CLIENTS; i++) {
        send_some(&w->clients[i]);
        read_some(&w->clients[i]);
        done = done && w->clients[i].got == REQUESTS;
    }
    return done;
}

TEST(http_answers_everybody_in_order_whatever_happens)
{
    static struct world w;
    w = (struct world){0};
    tr_web_open(&w.web, NULL, handle, &w);
    for (size_t i = 0; i < CLIENTS; i++)
        open_client(&w, &w.clients[i]);
    for (size_t i = tr_test_scaled(STEPS); i > 0; i--)
        step(&w);
    tr_peer_until(w.web.loop, all_done, &w);
    for (size_t i = 0; i < CLIENTS; i++)
        (void)close(w.clients[i].fd);
    tr_peer_settle(w.web.loop);
    CHECK_INT(tr_http_server_counts(w.web.server).exchanges, 0);
    tr_web_close(&w.web);
}
