#include "mcp/http_sink.h"

#include "http/sse.h"
#include "loop/timer.h"
#include "mcp/origin.h"

struct http_sink {
    struct tr_sink base;
    struct tr_http_exchange *x; /* NULL once it has ended */
    struct tr_sse *sse;         /* NULL until it is a stream */
    struct tr_tick tick;        /* tells later that a send has failed */
    tr_str session;             /* its id, or empty */
    tr_str challenge;           /* of a refusal, or empty */
};

/* What every response of ours may have, and its content type. */
#define FIELDS_MAX (TR_ORIGIN_FIELDS + 3)

static struct http_sink *inside(struct tr_sink *sink)
{
    return (struct http_sink *)(void *)sink;
}

/* The stream and the exchange stay ours until we end them. */
static void tell_gone(void *data)
{
    struct http_sink *sink = data;
    if (sink->base.gone)
        sink->base.gone(sink->base.owner);
}

static void peer_gone(struct tr_http_exchange *x, void *data)
{
    (void)x;
    tell_gone(data);
}

static size_t extra_fields(const struct http_sink *sink, tr_http_field *out)
{
    size_t count = 0;
    if (sink->session.len)
        out[count++] = (tr_http_field){TR_STR("Mcp-Session-Id"), sink->session};
    if (sink->challenge.len)
        out[count++] =
            (tr_http_field){TR_STR("WWW-Authenticate"), sink->challenge};
    return count;
}

static void respond(struct http_sink *sink, int status, tr_str type,
                    tr_str body)
{
    tr_http_field fields[FIELDS_MAX];
    size_t count = extra_fields(sink, fields);
    struct tr_http_exchange *x = sink->x;
    if (type.len)
        fields[count++] = (tr_http_field){TR_STR("Content-Type"), type};
    sink->x = NULL;
    tr_http_respond(x, status, fields, count, body);
}

static void open_stream(struct tr_sink *base)
{
    struct http_sink *sink = inside(base);
    tr_http_field fields[FIELDS_MAX];
    if (!sink->x || sink->sse)
        return;
    size_t count = extra_fields(sink, fields);
    sink->sse = tr_sse_open(sink->x, fields, count);
    tr_http_exchange_forget(sink->x); /* nobody needs its bytes any more */
}

/*
 * A peer that does not take what we send is cut off. Whoever sends may be in
 * the middle of a list of sinks: it is told when it is done.
 */
static void check_sent(struct http_sink *sink, tr_status status)
{
    if (status != TR_OK)
        tr_tick_add(&sink->tick, tr_http_exchange_loop(sink->x));
}

static void send_event(struct tr_sink *base, const struct tr_event *event)
{
    struct http_sink *sink = inside(base);
    if (!sink->x)
        return;
    open_stream(base);
    if (event->data.len) {
        tr_str type = event->type.len ? event->type : TR_STR("message");
        check_sent(sink,
                   tr_sse_send(sink->sse, type, event->id, event->data, NULL));
        return;
    }
    char text[128];
    int len = snprintf(text, sizeof(text), "id: %.*s\nretry: %u\ndata: \n\n",
                       TR_FMT(event->id), event->retry_ms);
    check_sent(sink,
               tr_sse_send_raw(sink->sse, (tr_str){text, (size_t)len}, NULL));
}

static void send_message(struct http_sink *sink, tr_str message)
{
    struct tr_event event = {.data = message};
    send_event(&sink->base, &event);
}

static void end_stream(struct http_sink *sink)
{
    struct tr_sse *sse = sink->sse;
    sink->sse = NULL;
    sink->x = NULL;
    tr_sse_close(sse);
}

static void send(struct tr_sink *base, enum tr_message_kind kind, int status,
                 tr_str message)
{
    struct http_sink *sink = inside(base);
    if (!sink->x)
        return;
    if (kind != TR_MESSAGE_RESPONSE) {
        send_message(sink, message);
    } else if (sink->sse) {
        send_message(sink, message);
        end_stream(sink);
    } else {
        respond(sink, status, TR_STR("application/json"), message);
    }
}

/* Without an answer, the client sees a stream that ends. */
static void release(struct tr_sink *base)
{
    struct http_sink *sink = inside(base);
    if (sink->sse)
        end_stream(sink);
    else if (sink->x)
        respond(sink, 200, TR_STR("text/event-stream"), TR_STR(""));
    tr_tick_remove(&sink->tick);
    free(sink);
}

static void name_session(struct tr_sink *base, tr_str session)
{
    inside(base)->session = session;
}

static void challenge(struct tr_sink *base, tr_str text)
{
    inside(base)->challenge = text;
}

static void end(struct tr_sink *base, int status)
{
    struct http_sink *sink = inside(base);
    if (sink->x && !sink->sse)
        respond(sink, status, TR_STR(""), TR_STR(""));
}

static void send_framed(struct tr_sink *base, tr_str messages)
{
    struct http_sink *sink = inside(base);
    if (!sink->x)
        return;
    open_stream(base);
    check_sent(sink, tr_sse_send_raw(sink->sse, messages, NULL));
}

static size_t queued(const struct tr_sink *base)
{
    const struct http_sink *sink = (const struct http_sink *)(const void *)base;
    return sink->sse ? tr_sse_queued(sink->sse) : 0;
}

static const struct tr_sink_ops ops = {
    .send = send,
    .open = open_stream,
    .event = send_event,
    .end = end,
    .name = name_session,
    .challenge = challenge,
    .framed = send_framed,
    .before = TR_STR_INIT("event: message\ndata: "),
    .after = TR_STR_INIT("\n\n"),
    .queued = queued,
    .release = release,
};

struct tr_sink *tr_http_sink_create(struct tr_http_exchange *x)
{
    struct http_sink *sink = calloc(1, sizeof(*sink));
    if (!sink) {
        tr_http_respond_text(x, 503, NULL);
        return NULL;
    }
    sink->base.ops = &ops;
    sink->x = x;
    tr_tick_init(&sink->tick, tell_gone, sink);
    tr_http_exchange_on_gone(x, peer_gone, sink);
    return &sink->base;
}
