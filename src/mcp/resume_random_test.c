/* Streams that lose their connections at any time lose nothing else. */
#include "base/test.h"
#include "mcp/channel.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "support/exchange.h"
#include "support/sample.h"

#define STREAMS 4

/* What the client of one stream has seen of it. */
struct reader {
    struct tr_mcp_sink *channel;
    struct exchange wire;
    bool is_connected;
    uint64_t sent; /* by the server */
    uint64_t seen; /* by the client: each once, in order */
    char last[32]; /* the id to come back with, or "" */
};

/* Each event says which stream and which number it is. */
static void take_line(struct reader *reader, size_t number, tr_str line)
{
    char wanted[64];
    tr_str id;
    tr_str data;
    if (!tr_str_starts(line, TR_STR("event ")))
        return;
    CHECK(tr_str_cut(tr_str_skip(line, 6), ' ', &id, &data));
    (void)snprintf(reader->last, sizeof(reader->last), "%.*s", TR_FMT(id));
    if (!data.len)
        return;
    (void)snprintf(wanted, sizeof(wanted), "%zu:%llu", number,
                   (unsigned long long)++reader->seen);
    CHECK_STR(data, wanted);
}

/* The client gets what has arrived before its connection broke: all, or only
 * the first lines of it. */
static void read_wire(struct reader *reader, size_t number, size_t max_lines)
{
    tr_str rest = tr_buf_str(&reader->wire.log);
    tr_str line;
    while (max_lines-- && tr_str_cut(rest, '\n', &line, &rest))
        take_line(reader, number, line);
    tr_buf_clear(&reader->wire.log);
}

static void send_one(struct reader *reader, size_t number)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "%zu:%llu", number,
                       (unsigned long long)++reader->sent);
    reader->channel->ops->send(reader->channel, (tr_str){text, (size_t)len});
}

static void disconnect(struct reader *reader, size_t number)
{
    if (!reader->is_connected)
        return;
    read_wire(reader, number, tr_test_random_below(6));
    exchange_lose(&reader->wire);
    CHECK(reader->wire.is_released);
    exchange_done(&reader->wire);
    reader->is_connected = false;
}

static void reconnect(struct tr_mcp_session *session, struct reader *reader)
{
    struct tr_mcp_wire *wire = exchange_open(&reader->wire);
    CHECK_INT(tr_mcp_channel_resume(session, tr_str_from(reader->last), &wire),
              TR_MCP_RESUMED);
    reader->is_connected = true;
}

/* A client that has not even seen the first event has nothing to name. */
static void open_reader(struct tr_mcp_session *session, struct reader *reader,
                        size_t number)
{
    *reader = (struct reader){.is_connected = true};
    struct tr_mcp_wire *wire = exchange_open(&reader->wire);
    reader->channel = tr_mcp_channel_open(session, &wire);
    CHECK(reader->channel);
    tr_mcp_channel_start(reader->channel);
    read_wire(reader, number, SIZE_MAX);
    CHECK(reader->last[0]);
}

static void step(struct tr_mcp_session *session, struct reader *readers)
{
    size_t number = tr_test_random_below(STREAMS);
    struct reader *reader = &readers[number];
    switch (tr_test_random_below(8)) {
    case 0:
        disconnect(reader, number);
        return;
    case 1:
        if (!reader->is_connected)
            reconnect(session, reader);
        return;
    case 2:
        if (reader->is_connected)
            read_wire(reader, number, SIZE_MAX);
        return;
    default:
        send_one(reader, number);
    }
}

TEST(streams_that_break_at_random_lose_and_repeat_nothing)
{
    struct sample sample;
    struct reader readers[STREAMS];
    sample_open(&sample);
    sample.mcp->opts.replay_bytes = (size_t)64 << 20;
    const struct tr_access_authority nobody = {0};
    struct tr_mcp_session *session = tr_mcp_session_create(sample.mcp, &nobody);
    CHECK(session);
    for (size_t i = 0; i < STREAMS; i++)
        open_reader(session, &readers[i], i);
    for (size_t events = tr_test_scaled(20000); events > 0; events--)
        step(session, readers);
    for (size_t i = 0; i < STREAMS; i++) {
        disconnect(&readers[i], i);
        reconnect(session, &readers[i]);
        readers[i].channel->ops->release(readers[i].channel);
        read_wire(&readers[i], i, SIZE_MAX);
        CHECK_INT(readers[i].seen, readers[i].sent);
        exchange_done(&readers[i].wire);
    }
    sample_close(&sample);
}
