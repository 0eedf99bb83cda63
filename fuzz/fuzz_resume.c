/*
 * Whatever a client says was the last event it saw, it gets what came after it
 * on that stream, or nothing: the input is the id.
 */
#include "mcp/channel.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "support/exchange.h"
#include "support/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STREAMS 3
#define EVENTS  5

struct stream {
    struct tr_mcp_sink *channel;
    struct exchange wire;
};

static void open_one(struct tr_mcp_session *session, struct stream *stream,
                     size_t number)
{
    char text[] = "0:0";
    struct tr_mcp_wire *wire = exchange_open(&stream->wire);
    stream->channel = tr_mcp_channel_open(session, &wire);
    if (!stream->channel)
        abort();
    text[0] = (char)('1' + number);
    for (size_t i = 1; i <= EVENTS; i++) {
        text[2] = (char)('0' + i);
        stream->channel->ops->send(stream->channel, tr_str_from(text));
    }
}

/* "event S-N S:N": the id and the data are of one stream, and go up by one. */
static void check(tr_str log, tr_str id)
{
    char last = id.len ? id.ptr[id.len - 1] : '0';
    tr_str line;
    while (tr_str_cut(log, '\n', &line, &log)) {
        if (!tr_str_starts(line, TR_STR("event ")))
            continue;
        const char *p = line.ptr + 6;
        if (line.len != 13 || p[0] != p[4] || p[2] != p[6] || p[2] != last + 1)
            abort();
        last = p[2];
    }
    if (last != '0' + EVENTS)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample sample;
    struct stream streams[STREAMS];
    struct exchange x;
    tr_str id = {(const char *)data, size};
    sample_open(&sample);
    const struct tr_access_authority nobody = {0};
    struct tr_mcp_session *session = tr_mcp_session_create(sample.mcp, &nobody);
    if (!session)
        abort();
    for (size_t i = 0; i < STREAMS; i++)
        open_one(session, &streams[i], i);
    struct tr_mcp_wire *wire = exchange_open(&x);
    if (tr_mcp_channel_resume(session, id, &wire) == TR_MCP_RESUMED)
        check(tr_buf_str(&x.log), id);
    for (size_t i = 0; i < STREAMS; i++)
        streams[i].channel->ops->release(streams[i].channel);
    sample_close(&sample);
    for (size_t i = 0; i < STREAMS; i++)
        exchange_done(&streams[i].wire);
    exchange_done(&x);
    return 0;
}
