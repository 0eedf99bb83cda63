#include "support/exchange.h"

static struct exchange *inside(struct tr_mcp_sink *sink)
{
    return (struct exchange *)(void *)sink;
}

static void see(const struct exchange *x, tr_str event_id, tr_str message)
{
    if (x->saw && message.len)
        x->saw(x->saw_data, event_id, message);
}

static void send(struct tr_mcp_sink *sink, tr_str message)
{
    see(inside(sink), TR_STR(""), message);
    tr_buf_putf(&inside(sink)->log, "200 %.*s\n", TR_FMT(message));
}

static void answer(struct tr_mcp_sink *sink, const struct tr_mcp_head *head,
                   tr_str message)
{
    struct exchange *x = inside(sink);
    see(x, TR_STR(""), message);
    tr_buf_putf(&x->log, "%d %.*s\n", head->status, TR_FMT(message));
    if (head->session.len)
        (void)snprintf(x->session, sizeof(x->session), "%.*s",
                       TR_FMT(head->session));
}

static void accept(struct tr_mcp_sink *sink)
{
    tr_buf_put(&inside(sink)->log, TR_STR("202\n"));
}

static void release(struct tr_mcp_sink *sink)
{
    inside(sink)->is_released = true;
}

static void open_stream(struct tr_mcp_wire *wire)
{
    tr_buf_put(&inside(&wire->sink)->log, TR_STR("open\n"));
}

static void send_event(struct tr_mcp_wire *wire,
                       const struct tr_mcp_event *event)
{
    struct exchange *x = inside(&wire->sink);
    see(x, event->id, event->data);
    tr_buf_putf(&x->log, "event %.*s %.*s\n", TR_FMT(event->id),
                TR_FMT(event->data));
}

static void end(struct tr_mcp_wire *wire, int status)
{
    tr_buf_putf(&inside(&wire->sink)->log, "%d\n", status);
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

struct tr_mcp_wire *exchange_open(struct exchange *x)
{
    *x =
        (struct exchange){.wire = {.sink = {.ops = &sink_ops, .has_head = true},
                                   .ops = &wire_ops}};
    tr_buf_init(&x->log, (size_t)1 << 20);
    return &x->wire;
}

void exchange_done(struct exchange *x)
{
    tr_buf_done(&x->log);
}

void exchange_lose(struct exchange *x)
{
    if (x->wire.sink.gone)
        x->wire.sink.gone(x->wire.sink.owner);
}
