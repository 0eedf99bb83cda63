#include "mcp/relay.h"

#include "base/limits.h"
#include "loop/loop.h"
#include "mcp/http_sink.h"
#include "mcp/mcp.h"

#include <stdatomic.h>

/*
 * Its life: started by near, served by far, released by far, which tells near;
 * near lets go of the exchange and tells far, which frees it. Parcels between
 * two loops keep their order, so nothing comes for it after that.
 */
struct tr_relay {
    struct tr_sink sink; /* far's end; first, so that far finds us by it */
    struct tr_mcp *near;
    struct tr_mcp *far;
    struct tr_sink *exchange; /* near's end; NULL once it has let go */
    char name[64];            /* near's: a session that its response tells */
    char challenge[512];      /* near's, likewise */
    bool is_released;         /* far has no more use for it */
    bool is_cut;              /* far's: near does not keep up */
    _Atomic size_t queued;    /* bytes on their way to near */
    struct tr_parcel start, gone, freed; /* to far */
    struct tr_parcel cut;                /* from far to itself */
    struct tr_parcel let_go;             /* to near */
    tr_relay_fn *serve;
    struct tr_http_entry entry;
    struct tr_relay *next; /* of near's */
    struct tr_relay *previous;
    char text[]; /* of the entry */
};

enum action { SEND, EVENT, OPEN, NAME, CHALLENGE, END };

/* What goes from far to near. */
struct delivery {
    struct tr_parcel parcel;
    struct tr_relay *relay;
    enum action action;
    enum tr_message_kind kind;
    int status;
    struct tr_event event;
    char text[]; /* of the event */
};

static void post(struct tr_mcp *to, struct tr_parcel *parcel, tr_post_fn *fn,
                 void *data)
{
    parcel->fn = fn;
    parcel->data = data;
    tr_loop_deliver(to->opts.loop, parcel);
}

static struct tr_relay *inside(struct tr_sink *sink)
{
    return (struct tr_relay *)(void *)sink;
}

/* On far: near has let go. */
static void free_relay(void *data)
{
    free(data);
}

static void drop_exchange(struct tr_relay *relay)
{
    if (!relay->exchange)
        return;
    relay->exchange->gone = NULL;
    relay->exchange->ops->release(relay->exchange);
    relay->exchange = NULL;
}

static void unlink_relay(struct tr_relay *relay)
{
    if (relay->next)
        relay->next->previous = relay->previous;
    if (relay->previous)
        relay->previous->next = relay->next;
    else
        relay->near->relays = relay->next;
}

/* On near: far is done. */
static void let_go(void *data)
{
    struct tr_relay *relay = data;
    drop_exchange(relay);
    unlink_relay(relay);
    post(relay->far, &relay->freed, free_relay, relay);
}

static void release(struct tr_sink *sink)
{
    struct tr_relay *relay = inside(sink);
    relay->is_released = true;
    post(relay->near, &relay->let_go, let_go, relay);
}

/* On far. */
static void tell_gone(void *data)
{
    struct tr_relay *relay = data;
    void (*gone)(void *owner) = relay->sink.gone;
    relay->sink.gone = NULL;
    if (!relay->is_released && gone)
        gone(relay->sink.owner);
}

/* On near: the response that follows borrows it. */
static void tell_name(struct tr_relay *relay, tr_str session)
{
    tr_str name = {relay->name, session.len};
    if (session.len > sizeof(relay->name))
        return;
    memcpy(relay->name, session.ptr, session.len);
    relay->exchange->ops->name(relay->exchange, name);
}

/* On near, likewise. */
static void tell_challenge(struct tr_relay *relay, tr_str text)
{
    tr_str challenge = {relay->challenge, text.len};
    if (text.len > sizeof(relay->challenge) || !relay->exchange->ops->challenge)
        return;
    memcpy(relay->challenge, text.ptr, text.len);
    relay->exchange->ops->challenge(relay->exchange, challenge);
}

/* On near. */
static void deliver(void *data)
{
    struct delivery *delivery = data;
    struct tr_sink *exchange = delivery->relay->exchange;
    const struct tr_event *event = &delivery->event;
    atomic_fetch_sub(&delivery->relay->queued, event->data.len);
    if (exchange && delivery->action == SEND)
        exchange->ops->send(exchange, delivery->kind, delivery->status,
                            event->data);
    else if (exchange && delivery->action == EVENT)
        exchange->ops->event(exchange, event);
    else if (exchange && delivery->action == OPEN)
        exchange->ops->open(exchange);
    else if (exchange && delivery->action == NAME)
        tell_name(delivery->relay, event->id);
    else if (exchange && delivery->action == CHALLENGE)
        tell_challenge(delivery->relay, event->id);
    else if (exchange)
        exchange->ops->end(exchange, delivery->status);
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

/* Nothing that could come later makes up for what is missing. */
static void cut(struct tr_relay *relay)
{
    relay->is_cut = true;
    post(relay->far, &relay->cut, tell_gone, relay);
}

static void pass(struct tr_relay *relay, const struct delivery *what)
{
    const struct tr_event *event = &what->event;
    size_t len = event->type.len + event->id.len + event->data.len;
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
    copy->event.type = copy_to(&at, event->type);
    copy->event.id = copy_to(&at, event->id);
    copy->event.data = copy_to(&at, event->data);
    atomic_fetch_add(&relay->queued, event->data.len);
    post(relay->near, &copy->parcel, deliver, copy);
}

static void send(struct tr_sink *sink, enum tr_message_kind kind, int status,
                 tr_str message)
{
    struct delivery what = {.action = SEND,
                            .kind = kind,
                            .status = status,
                            .event = {.data = message}};
    pass(inside(sink), &what);
}

static void send_event(struct tr_sink *sink, const struct tr_event *event)
{
    struct delivery what = {.action = EVENT, .event = *event};
    pass(inside(sink), &what);
}

static void open_stream(struct tr_sink *sink)
{
    struct delivery what = {.action = OPEN};
    pass(inside(sink), &what);
}

static void name(struct tr_sink *sink, tr_str session)
{
    struct delivery what = {.action = NAME, .event = {.id = session}};
    pass(inside(sink), &what);
}

static void challenge(struct tr_sink *sink, tr_str text)
{
    struct delivery what = {.action = CHALLENGE, .event = {.id = text}};
    pass(inside(sink), &what);
}

static void end(struct tr_sink *sink, int status)
{
    struct delivery what = {.action = END, .status = status};
    pass(inside(sink), &what);
}

static const struct tr_sink_ops ops = {
    .send = send,
    .event = send_event,
    .open = open_stream,
    .end = end,
    .name = name,
    .challenge = challenge,
    .release = release,
};

/* On near. */
static void peer_gone(void *owner)
{
    struct tr_relay *relay = owner;
    relay->exchange->gone = NULL;
    post(relay->far, &relay->gone, tell_gone, relay);
}

/* On far. */
static void serve_here(void *data)
{
    struct tr_relay *relay = data;
    relay->serve(relay->far, &relay->entry, &relay->sink);
}

static struct tr_relay *new_relay(const struct tr_http_entry *entry)
{
    const struct tr_authority *from = &entry->authority;
    size_t len = entry->session.len + entry->version.len + entry->resume.len +
                 entry->traceparent.len + entry->body.len +
                 from->principal.len + from->token_id.len;
    struct tr_relay *relay = calloc(1, sizeof(*relay) + len);
    if (!relay)
        return NULL;
    char *at = relay->text;
    relay->entry = *entry;
    relay->entry.session = copy_to(&at, entry->session);
    relay->entry.version = copy_to(&at, entry->version);
    relay->entry.resume = copy_to(&at, entry->resume);
    relay->entry.traceparent = copy_to(&at, entry->traceparent);
    relay->entry.body = copy_to(&at, entry->body);
    relay->entry.authority.principal = copy_to(&at, from->principal);
    relay->entry.authority.token_id = copy_to(&at, from->token_id);
    return relay;
}

void tr_relay_start(struct tr_http_exchange *x, struct tr_mcp *near,
                    struct tr_mcp *far, const struct tr_http_entry *entry,
                    tr_relay_fn *serve)
{
    struct tr_sink *exchange = tr_http_sink_create(x);
    struct tr_relay *relay = exchange ? new_relay(entry) : NULL;
    if (!relay) {
        if (exchange) {
            exchange->ops->end(exchange, 503);
            exchange->ops->release(exchange);
        }
        return;
    }
    relay->sink.ops = &ops;
    relay->near = near;
    relay->far = far;
    relay->serve = serve;
    relay->exchange = exchange;
    exchange->gone = peer_gone;
    exchange->owner = relay;
    relay->next = near->relays;
    if (near->relays)
        near->relays->previous = relay;
    near->relays = relay;
    post(far, &relay->start, serve_here, relay);
}

void tr_relay_stop(struct tr_mcp *near)
{
    for (struct tr_relay *r = near->relays; r; r = r->next) {
        if (!r->exchange)
            continue;
        bool told = !r->exchange->gone;
        drop_exchange(r);
        if (!told)
            post(r->far, &r->gone, tell_gone, r);
    }
}
