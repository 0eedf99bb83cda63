#include "mcp/http_sink.h"

#include "http/sse.h"
#include "mcp/origin.h"

struct http_sink {
    struct tr_sink base;
    struct tr_http_exchange *x; /* NULL once it has ended */
    struct tr_sse *sse;         /* NULL until it is a stream */
    char session[64];           /* its id, or empty */
};

/* What every response of ours may have, and its content type. */
#define FIELDS_MAX (TR_ORIGIN_FIELDS + 2)

static struct http_sink *inside(struct tr_sink *sink)
{
    return (struct http_sink *)(void *)sink;
}

/* The stream and the exchange stay ours until we end them. */
static void peer_gone(struct tr_http_exchange *x, void *data)
{
    struct http_sink *sink = data;
    (void)x;
    if (sink->base.gone)
        sink->base.gone(sink->base.owner);
}

static size_t extra_fields(const struct http_sink *sink, tr_http_field *out)
{
    if (!sink->session[0])
        return 0;
    *out =
        (tr_http_field){TR_STR("Mcp-Session-Id"), tr_str_from(sink->session)};
    return 1;
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

/* A peer that does not take it is cut off; `gone` will tell. */
static void send_event(struct http_sink *sink, tr_str message)
{
    open_stream(&sink->base);
    tr_status status =
        tr_sse_send(sink->sse, TR_STR("message"), TR_STR(""), message, NULL);
    (void)status;
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
        send_event(sink, message);
    } else if (sink->sse) {
        send_event(sink, message);
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
    free(sink);
}

static void name_session(struct tr_sink *base, tr_str session)
{
    struct http_sink *sink = inside(base);
    (void)snprintf(sink->session, sizeof(sink->session), "%.*s",
                   TR_FMT(session));
}

static void end(struct tr_sink *base, int status)
{
    struct http_sink *sink = inside(base);
    if (sink->x && !sink->sse)
        respond(sink, status, TR_STR(""), TR_STR(""));
}

static const struct tr_sink_ops ops = {
    .send = send,
    .open = open_stream,
    .end = end,
    .name = name_session,
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
    tr_http_exchange_on_gone(x, peer_gone, sink);
    return &sink->base;
}
