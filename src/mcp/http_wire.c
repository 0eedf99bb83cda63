#include "mcp/http_wire.h"

#include "base/buf.h"
#include "http/sse.h"
#include "loop/timer.h"

#include <assert.h>

struct http_wire {
    struct tr_mcp_wire base;
    struct tr_http_exchange *x; /* NULL once it has ended */
    struct tr_http_sse *sse;    /* NULL until it is a stream */
    struct tr_loop_tick tick;   /* tells later that a send has failed */
};

/* A response has a session's id, a challenge and a content type at most. */
#define FIELDS_MAX 3

static struct http_wire *inside(struct tr_mcp_sink *sink)
{
    return (struct http_wire *)(void *)sink;
}

/*
 * Only the owner is told: the stream and the exchange stay ours until we end
 * them.
 */
static void tell_gone(void *data)
{
    struct tr_mcp_sink *sink = data;
    if (sink->gone)
        sink->gone(sink->owner);
}

static void peer_gone(struct tr_http_exchange *x, void *data)
{
    (void)x;
    tell_gone(data);
}

static void respond(struct http_wire *wire, const struct tr_mcp_head *head,
                    tr_str type, struct tr_http_body body)
{
    tr_http_field fields[FIELDS_MAX] = {{.name = {NULL, 0}}};
    size_t count = 0;
    struct tr_http_exchange *x = wire->x;
    if (head->session.len)
        fields[count++] =
            (tr_http_field){TR_STR("Mcp-Session-Id"), head->session};
    if (head->challenge.len)
        fields[count++] =
            (tr_http_field){TR_STR("WWW-Authenticate"), head->challenge};
    if (type.len)
        fields[count++] = (tr_http_field){TR_STR("Content-Type"), type};
    wire->x = NULL;
    tr_http_respond_pieces(x, head->status, fields, count, body);
}

static void open_stream(struct tr_mcp_wire *base)
{
    struct http_wire *wire = inside(&base->sink);
    if (!wire->x || wire->sse)
        return;
    wire->sse = tr_http_sse_open(wire->x, NULL, 0);
    tr_http_exchange_forget(wire->x); /* nobody needs its bytes any more */
}

/*
 * Cuts off a peer that does not take what we send, in a later turn of the loop:
 * whoever sends may be in the middle of a list of sinks.
 */
static void check_sent(struct http_wire *wire, tr_status status)
{
    if (status != TR_OK)
        tr_loop_tick_add(&wire->tick, tr_http_exchange_loop(wire->x));
}

static void send_event(struct tr_mcp_wire *base,
                       const struct tr_mcp_event *event)
{
    struct http_wire *wire = inside(&base->sink);
    if (!wire->x)
        return;
    open_stream(base);
    if (event->data.len) {
        tr_str type = event->type.len ? event->type : TR_STR("message");
        check_sent(wire, tr_http_sse_send(wire->sse, type, event->id,
                                          event->data, NULL));
        return;
    }
    char text[128];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, sizeof(text));
    tr_buf_put(&buf, TR_STR("id: "));
    tr_buf_put(&buf, event->id);
    tr_buf_putf(&buf, "\nretry: %u\ndata: \n\n", event->retry_ms);
    check_sent(wire, tr_http_sse_send_raw(wire->sse, tr_buf_str(&buf), NULL));
}

static void end_with_status(struct tr_mcp_wire *base, int status)
{
    struct http_wire *wire = inside(&base->sink);
    struct tr_mcp_head head = {.status = status};
    if (wire->x && !wire->sse)
        respond(wire, &head, TR_STR(""), (struct tr_http_body){NULL, 0});
}

static void end_stream(struct http_wire *wire)
{
    struct tr_http_sse *sse = wire->sse;
    wire->sse = NULL;
    wire->x = NULL;
    tr_http_sse_close(sse);
}

static void send(struct tr_mcp_sink *sink, tr_str message)
{
    struct tr_mcp_event event = {.data = message};
    send_event(&inside(sink)->base, &event);
}

static void answer(struct tr_mcp_sink *sink, const struct tr_mcp_head *head,
                   tr_str message)
{
    struct http_wire *wire = inside(sink);
    if (!wire->x)
        return;
    if (wire->sse) {
        send(sink, message);
        end_stream(wire);
    } else {
        respond(wire, head, TR_STR("application/json"),
                (struct tr_http_body){&message, 1});
    }
}

static void answer_pieces(struct tr_mcp_sink *sink,
                          const struct tr_mcp_head *head,
                          const struct tr_mcp_pieces *pieces)
{
    struct http_wire *wire = inside(sink);
    const tr_str body[] = {pieces->before, pieces->piece, pieces->after};
    assert(!wire->sse && "nothing was sent before");
    if (wire->x)
        respond(wire, head, TR_STR("application/json"),
                (struct tr_http_body){body, TR_LEN(body)});
}

static void accept(struct tr_mcp_sink *sink)
{
    end_with_status(&inside(sink)->base, 202);
}

/* A request that had no answer ends as a stream without events. */
static void release(struct tr_mcp_sink *sink)
{
    static const struct tr_mcp_head head = {.status = 200};
    struct http_wire *wire = inside(sink);
    if (wire->sse)
        end_stream(wire);
    else if (wire->x)
        respond(wire, &head, TR_STR("text/event-stream"),
                (struct tr_http_body){NULL, 0});
    tr_loop_tick_remove(&wire->tick);
    free(wire);
}

static void send_framed(struct tr_mcp_sink *sink, tr_str messages)
{
    struct http_wire *wire = inside(sink);
    if (!wire->x)
        return;
    open_stream(&wire->base);
    check_sent(wire, tr_http_sse_send_raw(wire->sse, messages, NULL));
}

static size_t queued(const struct tr_mcp_sink *sink)
{
    const struct http_wire *wire = (const struct http_wire *)(const void *)sink;
    return wire->sse ? tr_http_sse_queued(wire->sse) : 0;
}

static const struct tr_mcp_sink_ops sink_ops = {
    .send = send,
    .answer = answer,
    .accept = accept,
    .release = release,
};

static const struct tr_mcp_feed_ops feed_ops = {
    .before = TR_STR_INIT("event: message\ndata: "),
    .after = TR_STR_INIT("\n\n"),
    .send = send_framed,
    .queued = queued,
};

static const struct tr_mcp_wire_ops wire_ops = {
    .open = open_stream,
    .event = send_event,
    .end = end_with_status,
};

struct tr_mcp_wire *tr_mcp_http_wire_create(struct tr_http_exchange **x)
{
    struct http_wire *wire = calloc(1, sizeof(*wire));
    struct tr_http_exchange *taken = *x;
    *x = NULL;
    if (!wire) {
        tr_http_respond_text(taken, 503, NULL);
        return NULL;
    }
    wire->base = (struct tr_mcp_wire){
        .sink = {.ops = &sink_ops,
                 .feed = &feed_ops,
                 .answer_pieces = answer_pieces,
                 .has_head = true},
        .ops = &wire_ops,
    };
    wire->x = taken;
    tr_loop_tick_init(&wire->tick, tell_gone, wire);
    tr_http_exchange_on_gone(taken, peer_gone, wire);
    return &wire->base;
}
