#include "support/exchange.h"

static struct exchange *inside(struct tr_sink *sink)
{
    return (struct exchange *)(void *)sink;
}

static void see(const struct exchange *x, tr_str event_id, tr_str message)
{
    if (x->saw && message.len)
        x->saw(x->saw_data, event_id, message);
}

static void send(struct tr_sink *sink, enum tr_message_kind kind, int status,
                 tr_str message)
{
    (void)kind;
    see(inside(sink), TR_STR(""), message);
    tr_buf_putf(&inside(sink)->log, "%d %.*s\n", status, TR_FMT(message));
}

static void event(struct tr_sink *sink, const struct tr_event *event)
{
    see(inside(sink), event->id, event->data);
    tr_buf_putf(&inside(sink)->log, "event %.*s %.*s\n", TR_FMT(event->id),
                TR_FMT(event->data));
}

static void open_stream(struct tr_sink *sink)
{
    tr_buf_put(&inside(sink)->log, TR_STR("open\n"));
}

static void end(struct tr_sink *sink, int status)
{
    tr_buf_putf(&inside(sink)->log, "%d\n", status);
}

static void name(struct tr_sink *sink, tr_str session)
{
    (void)snprintf(inside(sink)->session, sizeof(inside(sink)->session), "%.*s",
                   TR_FMT(session));
}

static void release(struct tr_sink *sink)
{
    inside(sink)->is_released = true;
}

static const struct tr_sink_ops ops = {
    .send = send,
    .event = event,
    .open = open_stream,
    .end = end,
    .name = name,
    .release = release,
};

void exchange_init(struct exchange *x)
{
    *x = (struct exchange){.sink.ops = &ops};
    tr_buf_init(&x->log, (size_t)1 << 20);
}

void exchange_done(struct exchange *x)
{
    tr_buf_done(&x->log);
}

void exchange_lose(struct exchange *x)
{
    if (x->sink.gone)
        x->sink.gone(x->sink.owner);
}
