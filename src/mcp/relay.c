#include "mcp/relay.h"

#include "base/limits.h"
#include "loop/loop.h"
#include "mcp/http_wire.h"
#include "mcp/inside.h"

#include <stdatomic.h>

/*
 * The life of a relay: near starts it, far serves it, releases it and tells
 * near; near lets go of the exchange and tells far, which frees it. Parcels
 * between two loops keep their order, so nothing comes for it after that.
 */
struct tr_mcp_relay {
    struct tr_mcp_wire wire; /* far's end; first, so that far finds us by it */
    struct tr_mcp *near;
    struct tr_mcp *far;
    struct tr_mcp_wire *exchange; /* near's end; NULL once it has let go */
    bool is_released;             /* far has no more use for it */
    bool is_cut;                  /* far's: near does not keep up */
    _Atomic size_t queued;        /* bytes on their way to near */
    struct tr_loop_parcel start, gone, freed; /* to far */
    struct tr_loop_parcel cut;                /* from far to itself */
    struct tr_loop_parcel let_go;             /* to near */
    tr_mcp_relay_fn *serve;
    struct tr_mcp_http_entry entry;
    struct tr_mcp_relay *next; /* of near's */
    struct tr_mcp_relay *previous;
    char text[]; /* of the entry */
};

enum action { SEND, ANSWER, ACCEPT, OPEN, EVENT, END };

/* A delivery goes from far to near. */
struct delivery {
    struct tr_loop_parcel parcel;
    struct tr_mcp_relay *relay;
    enum action action;
    struct tr_mcp_head head;   /* of an answer, or only its status */
    struct tr_mcp_event event; /* or a message as its data */
    char text[];               /* of both */
};

static void post(struct tr_mcp *to, struct tr_loop_parcel *parcel,
                 tr_loop_post_fn *fn, void *data)
{
    parcel->fn = fn;
    parcel->data = data;
    tr_loop_deliver(to->opts.loop, parcel);
}

static struct tr_mcp_relay *inside(struct tr_mcp_sink *sink)
{
    return (struct tr_mcp_relay *)(void *)sink;
}

/* Runs on far, when near has let go. */
static void free_relay(void *data)
{
    free(data);
}

static void unlink_relay(struct tr_mcp_relay *relay)
{
    if (relay->next)
        relay->next->previous = relay->previous;
    if (relay->previous)
        relay->previous->next = relay->next;
    else
        relay->near->relays = relay->next;
}

/* Runs on near, when far is done. */
static void let_go(void *data)
{
    struct tr_mcp_relay *relay = data;
    tr_mcp_wire_drop(&relay->exchange);
    unlink_relay(relay);
    post(relay->far, &relay->freed, free_relay, relay);
}

static void release(struct tr_mcp_sink *sink)
{
    struct tr_mcp_relay *relay = inside(sink);
    relay->is_released = true;
    post(relay->near, &relay->let_go, let_go, relay);
}

/* On far. */
static void tell_gone(void *data)
{
    struct tr_mcp_relay *relay = data;
    struct tr_mcp_sink *sink = &relay->wire.sink;
    void (*gone)(void *owner) = sink->gone;
    sink->gone = NULL;
    if (!relay->is_released && gone)
        gone(sink->owner);
}

static void play(struct tr_mcp_wire *to, const struct delivery *what)
{
    switch (what->action) {
    case SEND:
        to->sink.ops->send(&to->sink, what->event.data);
        break;
    case ANSWER:
        to->sink.ops->answer(&to->sink, &what->head, what->event.data);
        break;
    case ACCEPT:
        to->sink.ops->accept(&to->sink);
        break;
    case OPEN:
        to->ops->open(to);
        break;
    case EVENT:
        to->ops->event(to, &what->event);
        break;
    case END:
        to->ops->end(to, what->head.status);
        break;
    }
}

/* On near. */
static void deliver(void *data)
{
    struct delivery *delivery = data;
    struct tr_mcp_relay *relay = delivery->relay;
    atomic_fetch_sub(&relay->queued, delivery->event.data.len);
    if (relay->exchange)
        play(relay->exchange, delivery);
    free(delivery);
}

static tr_str copy_to(char **at, tr_str text)
{
    tr_str copy = {*at, text.len};
    if (text.len)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

/*
 * Cuts near off: once a message is lost, nothing that comes later makes up for
 * it.
 */
static void cut(struct tr_mcp_relay *relay)
{
    relay->is_cut = true;
    post(relay->far, &relay->cut, tell_gone, relay);
}

static void pass(struct tr_mcp_relay *relay, const struct delivery *what)
{
    const struct tr_mcp_event *event = &what->event;
    size_t len = what->head.session.len + what->head.challenge.len +
                 event->type.len + event->id.len + event->data.len;
    if (relay->is_cut)
        return;
    bool full = atomic_load(&relay->queued) > TR_LIMIT_SSE_QUEUE;
    struct delivery *copy = full ? NULL : calloc(1, sizeof(*copy) + len);
    if (!copy) {
        cut(relay);
        return;
    }
    char *at = copy->text;
    *copy = *what;
    copy->relay = relay;
    copy->head.session = copy_to(&at, what->head.session);
    copy->head.challenge = copy_to(&at, what->head.challenge);
    copy->event.type = copy_to(&at, event->type);
    copy->event.id = copy_to(&at, event->id);
    copy->event.data = copy_to(&at, event->data);
    atomic_fetch_add(&relay->queued, event->data.len);
    post(relay->near, &copy->parcel, deliver, copy);
}

static void send(struct tr_mcp_sink *sink, tr_str message)
{
    struct delivery what = {.action = SEND, .event = {.data = message}};
    pass(inside(sink), &what);
}

static void answer(struct tr_mcp_sink *sink, const struct tr_mcp_head *head,
                   tr_str message)
{
    struct delivery what = {
        .action = ANSWER, .head = *head, .event = {.data = message}};
    pass(inside(sink), &what);
}

static void accept(struct tr_mcp_sink *sink)
{
    struct delivery what = {.action = ACCEPT};
    pass(inside(sink), &what);
}

static void open_stream(struct tr_mcp_wire *wire)
{
    struct delivery what = {.action = OPEN};
    pass(inside(&wire->sink), &what);
}

static void send_event(struct tr_mcp_wire *wire,
                       const struct tr_mcp_event *event)
{
    struct delivery what = {.action = EVENT, .event = *event};
    pass(inside(&wire->sink), &what);
}

static void end(struct tr_mcp_wire *wire, int status)
{
    struct delivery what = {.action = END, .head = {.status = status}};
    pass(inside(&wire->sink), &what);
}

static const struct tr_mcp_sink_ops sink_ops = {
    .send = send,
    .answer = answer,
    .accept = accept,
    .release = release,
};

static const struct tr_mcp_wire_ops wire_ops = {
    .open = open_stream,
    .event = send_event,
    .end = end,
};

/* On near. */
static void peer_gone(void *owner)
{
    struct tr_mcp_relay *relay = owner;
    relay->exchange->sink.gone = NULL;
    post(relay->far, &relay->gone, tell_gone, relay);
}

/* On far. */
static void serve_here(void *data)
{
    struct tr_mcp_relay *relay = data;
    struct tr_mcp_wire *wire = &relay->wire;
    relay->serve(relay->far, &relay->entry, &wire);
}

static struct tr_mcp_relay *new_relay(const struct tr_mcp_http_entry *entry)
{
    const struct tr_access_authority *from = &entry->authority;
    size_t len = entry->session.len + entry->version.len + entry->resume.len +
                 entry->traceparent.len + entry->body.len + entry->token.len +
                 from->principal.len + from->token_id.len;
    struct tr_mcp_relay *relay = calloc(1, sizeof(*relay) + len);
    if (!relay)
        return NULL;
    char *at = relay->text;
    relay->entry = *entry;
    relay->entry.session = copy_to(&at, entry->session);
    relay->entry.version = copy_to(&at, entry->version);
    relay->entry.resume = copy_to(&at, entry->resume);
    relay->entry.traceparent = copy_to(&at, entry->traceparent);
    relay->entry.body = copy_to(&at, entry->body);
    relay->entry.token = copy_to(&at, entry->token);
    relay->entry.authority.principal = copy_to(&at, from->principal);
    relay->entry.authority.token_id = copy_to(&at, from->token_id);
    return relay;
}

void tr_mcp_relay_start(struct tr_http_exchange **x, struct tr_mcp *near,
                        struct tr_mcp *far,
                        const struct tr_mcp_http_entry *entry,
                        tr_mcp_relay_fn *serve)
{
    struct tr_mcp_wire *exchange = tr_mcp_http_wire_create(x);
    if (!exchange)
        return;
    struct tr_mcp_relay *relay = new_relay(entry);
    if (!relay) {
        tr_mcp_wire_end(&exchange, 503);
        return;
    }
    relay->wire = (struct tr_mcp_wire){
        .sink = {.ops = &sink_ops, .has_head = true},
        .ops = &wire_ops,
    };
    relay->near = near;
    relay->far = far;
    relay->serve = serve;
    relay->exchange = exchange;
    exchange->sink.gone = peer_gone;
    exchange->sink.owner = relay;
    relay->next = near->relays;
    if (near->relays)
        near->relays->previous = relay;
    near->relays = relay;
    post(far, &relay->start, serve_here, relay);
}

void tr_mcp_relay_stop(struct tr_mcp *near)
{
    for (struct tr_mcp_relay *r = near->relays; r; r = r->next) {
        if (!r->exchange)
            continue;
        bool told = !r->exchange->sink.gone;
        tr_mcp_wire_drop(&r->exchange);
        if (!told)
            post(r->far, &r->gone, tell_gone, r);
    }
}
