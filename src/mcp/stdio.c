#include "mcp/inside.h"
#include "mcp/peer.h"
#include "mcp/transport.h"
#include "net/lines.h"
#include "net/stream.h"

#define READ_BYTES ((size_t)64 * 1024)

/* The sink is first: every request of this transport shares it. */
struct tr_mcp_stdio {
    struct tr_mcp_sink sink;
    struct tr_mcp_peer peer;
    struct tr_call_given *given; /* or NULL */
    struct tr_net_stream *stream;
    struct tr_net_lines lines;
    tr_mcp_stdio_fn *ended;
    tr_mcp_stdio_fn *closed;
    void *data;
    bool is_ended;
    bool is_cut; /* nobody hears any more what is sent */
    bool is_closing;
    char input[READ_BYTES];
};

static void end(struct tr_mcp_stdio *stdio)
{
    if (stdio->is_ended)
        return;
    stdio->is_ended = true;
    stdio->ended(stdio->data);
}

static void write_parts(struct tr_mcp_sink *sink, const tr_str *parts,
                        size_t count)
{
    struct tr_mcp_stdio *stdio = (struct tr_mcp_stdio *)(void *)sink;
    if (!stdio->is_closing &&
        tr_net_stream_write(stdio->stream, parts, count, NULL) != TR_OK)
        end(stdio);
}

static void send(struct tr_mcp_sink *sink, tr_str message)
{
    tr_str parts[] = {message, TR_STR("\n")};
    write_parts(sink, parts, TR_LEN(parts));
}

/* The sink lives as long as the transport. */
static void release(struct tr_mcp_sink *sink)
{
    (void)sink;
}

static void send_lines(struct tr_mcp_sink *sink, tr_str messages)
{
    write_parts(sink, &messages, 1);
}

static size_t queued(const struct tr_mcp_sink *sink)
{
    const struct tr_mcp_stdio *stdio =
        (const struct tr_mcp_stdio *)(const void *)sink;
    return stdio->stream ? tr_net_stream_queued(stdio->stream) : 0;
}

static const struct tr_mcp_sink_ops sink_ops = {
    .send = send,
    .answer = tr_mcp_sink_answer_headless,
    .accept = tr_mcp_sink_accept_headless,
    .release = release,
};

static const struct tr_mcp_feed_ops feed_ops = {
    .after = TR_STR_INIT("\n"),
    .send = send_lines,
    .queued = queued,
};

static void on_line(void *data, tr_status status, tr_str line)
{
    struct tr_mcp_stdio *stdio = data;
    if (stdio->is_closing)
        return; /* too late: nothing new is begun */
    if (status != TR_OK)
        tr_mcp_peer_refuse(&stdio->peer);
    else if (tr_str_trim(line).len)
        tr_mcp_peer_take(&stdio->peer, line);
}

static char *room(void *owner, size_t *size)
{
    struct tr_mcp_stdio *stdio = owner;
    *size = sizeof(stdio->input);
    return stdio->input;
}

static void on_read(void *owner, char *bytes, size_t count)
{
    struct tr_mcp_stdio *stdio = owner;
    tr_net_lines_feed(&stdio->lines, (tr_str){bytes, count}, on_line, stdio);
}

static void on_end(void *owner, tr_status why)
{
    struct tr_mcp_stdio *stdio = owner;
    if (why == TR_OK)
        tr_net_lines_end(&stdio->lines, on_line, stdio);
    else
        stdio->is_cut = true;
    end(stdio);
}

bool tr_mcp_stdio_is_cut(const struct tr_mcp_stdio *stdio)
{
    return stdio->is_cut;
}

static void on_closed(void *owner)
{
    struct tr_mcp_stdio *stdio = owner;
    tr_mcp_stdio_fn *closed = stdio->closed;
    void *data = stdio->data;
    tr_net_lines_done(&stdio->lines);
    tr_mcp_peer_done(&stdio->peer);
    free(stdio->given);
    free(stdio);
    if (closed)
        closed(data);
}

tr_status tr_mcp_stdio_open(struct tr_mcp *mcp, tr_mcp_stdio_fn *ended,
                            void *data, struct tr_mcp_stdio **out,
                            struct tr_err *err)
{
    static const struct tr_net_stream_ops ops = {
        .room = room,
        .on_read = on_read,
        .on_end = on_end,
        .on_closed = on_closed,
    };
    struct tr_mcp_stdio *stdio = calloc(1, sizeof(*stdio));
    if (!stdio)
        return tr_fail(err, TR_E_NOMEM, "no memory for standard input");
    stdio->sink = (struct tr_mcp_sink){
        .ops = &sink_ops, .feed = &feed_ops, .given = &stdio->given};
    stdio->peer = (struct tr_mcp_peer){
        .mcp = mcp, .sink = &stdio->sink, .brings_credentials = true};
    stdio->ended = ended;
    stdio->data = data;
    tr_status status =
        tr_mcp_peer_bring(&stdio->peer, mcp->opts.gate.rules.brought)
            ? tr_net_stdio_open(mcp->opts.loop, 0, &stdio->stream, err)
            : tr_fail(err, TR_E_NOMEM, "no memory for a token");
    if (status != TR_OK) {
        tr_mcp_peer_done(&stdio->peer);
        free(stdio);
        return status;
    }
    tr_net_lines_init(&stdio->lines, 0);
    tr_net_stream_start(stdio->stream, &ops, stdio);
    *out = stdio;
    return TR_OK;
}

void tr_mcp_stdio_close(struct tr_mcp_stdio *stdio, tr_mcp_stdio_fn *closed)
{
    if (!stdio)
        return;
    stdio->closed = closed;
    stdio->is_closing = true;
    stdio->is_ended = true;
    tr_net_stream_close_when_sent(stdio->stream);
}

void tr_mcp_stdio_cut(struct tr_mcp_stdio *stdio)
{
    tr_net_stream_close(stdio->stream);
}
