#include "mcp/relay.h"

#include "base/limits.h"
#include "loop/loop.h"
#include "mcp/http_sink.h"
#include "mcp/mcp.h"

/*
 * Its life: started by near, served by far, released by far, which tells near;
 * near lets go of the exchange and tells far, which frees it. Posts between
 * two loops keep their order, so nothing comes for it after that.
 */
struct relay {
    struct tr_sink sink; /* far's end; first, so that far finds us by it */
    struct tr_mcp *near;
    struct tr_mcp *far;
    struct tr_sink *exchange; /* near's end; NULL once it has let go */
    bool is_released;         /* far has no more use for it */
    tr_relay_fn *serve;
    struct tr_http_entry entry;
    char text[]; /* of the entry */
};

/* What goes from far to near. */
struct delivery {
    struct relay *relay;
    enum tr_message_kind kind;
    int status;
    size_t len;
    char text[];
};

static bool post(struct tr_mcp *to, tr_post_fn *fn, void *data)
{
    return tr_loop_post(to->opts.loop, fn, data, NULL) == TR_OK;
}

/* On far: near has let go. */
static void free_relay(void *data)
{
    free(data);
}

/* On near: far is done. */
static void let_go(void *data)
{
    struct relay *relay = data;
    if (relay->exchange) {
        relay->exchange->gone = NULL;
        relay->exchange->ops->release(relay->exchange);
        relay->exchange = NULL;
    }
    (void)post(relay->far, free_relay, relay);
}

static void release(struct tr_sink *sink)
{
    struct relay *relay = (struct relay *)(void *)sink;
    relay->is_released = true;
    (void)post(relay->near, let_go, relay);
}

/* On near. */
static void deliver(void *data)
{
    struct delivery *delivery = data;
    struct tr_sink *exchange = delivery->relay->exchange;
    if (exchange)
        exchange->ops->send(exchange, delivery->kind, delivery->status,
                            (tr_str){delivery->text, delivery->len});
    free(delivery);
}

/* On near: an open stream without a message. */
static void open_stream(void *data)
{
    struct relay *relay = data;
    if (relay->exchange)
        relay->exchange->ops->open(relay->exchange);
}

static void send(struct tr_sink *sink, enum tr_message_kind kind, int status,
                 tr_str message)
{
    struct relay *relay = (struct relay *)(void *)sink;
    struct delivery *delivery = calloc(1, sizeof(*delivery) + message.len);
    if (!delivery)
        return;
    delivery->relay = relay;
    delivery->kind = kind;
    delivery->status = status;
    delivery->len = message.len;
    memcpy(delivery->text, message.ptr, message.len);
    if (!post(relay->near, deliver, delivery))
        free(delivery);
}

static void open_now(struct tr_sink *sink)
{
    struct relay *relay = (struct relay *)(void *)sink;
    (void)post(relay->near, open_stream, relay);
}

/* On near: ends the exchange with a status and no message. */
struct ending {
    struct relay *relay;
    int status;
};

static void end_exchange(void *data)
{
    struct ending *ending = data;
    if (ending->relay->exchange)
        ending->relay->exchange->ops->end(ending->relay->exchange,
                                          ending->status);
    free(ending);
}

static void end(struct tr_sink *sink, int status)
{
    struct relay *relay = (struct relay *)(void *)sink;
    struct ending *ending = calloc(1, sizeof(*ending));
    if (!ending)
        return;
    *ending = (struct ending){relay, status};
    if (!post(relay->near, end_exchange, ending))
        free(ending);
}

static const struct tr_sink_ops ops = {
    .send = send,
    .open = open_now,
    .end = end,
    .release = release,
};

/* On far. */
static void tell_gone(void *data)
{
    struct relay *relay = data;
    if (!relay->is_released && relay->sink.gone)
        relay->sink.gone(relay->sink.owner);
}

/* On near. */
static void peer_gone(void *owner)
{
    struct relay *relay = owner;
    (void)post(relay->far, tell_gone, relay);
}

/* On far. */
static void serve_here(void *data)
{
    struct relay *relay = data;
    relay->serve(relay->far, &relay->entry, &relay->sink);
}

static tr_str copy_to(char **at, tr_str text)
{
    tr_str copy = {*at, text.len};
    if (text.len)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

void tr_relay_start(struct tr_http_exchange *x, struct tr_mcp *near,
                    struct tr_mcp *far, const struct tr_http_entry *entry,
                    tr_relay_fn *serve)
{
    size_t len = entry->session.len + entry->version.len +
                 entry->traceparent.len + entry->body.len;
    struct relay *relay = calloc(1, sizeof(*relay) + len);
    if (!relay) {
        tr_http_respond_text(x, 503, NULL);
        return;
    }
    char *at = relay->text;
    relay->sink.ops = &ops;
    relay->near = near;
    relay->far = far;
    relay->serve = serve;
    relay->entry = *entry;
    relay->entry.session = copy_to(&at, entry->session);
    relay->entry.version = copy_to(&at, entry->version);
    relay->entry.traceparent = copy_to(&at, entry->traceparent);
    relay->entry.body = copy_to(&at, entry->body);
    relay->exchange = tr_http_sink_create(x);
    if (!relay->exchange) {
        free(relay);
        return;
    }
    relay->exchange->gone = peer_gone;
    relay->exchange->owner = relay;
    if (!post(far, serve_here, relay)) {
        relay->exchange->ops->end(relay->exchange, 503);
        relay->exchange->ops->release(relay->exchange);
        free(relay);
    }
}
