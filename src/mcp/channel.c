#include "mcp/channel.h"

#include "loop/loop.h"
#include "mcp/inside.h"
#include "mcp/session.h"

#include <inttypes.h>

/* A client that polls should wait so long between two looks. */
#define RETRY_MS 500

/* A client that comes back may ask for this event again. */
struct kept {
    struct kept *next;
    uint64_t number;
    size_t len;
    char text[];
};

struct tr_mcp_channel {
    struct tr_mcp_sink sink;        /* first, so that writers find us by it */
    struct tr_mcp_session *session; /* NULL once it has ended */
    struct tr_mcp_wire *wire;       /* owned; NULL while nobody is connected */
    uint64_t number;                /* among those of the session */
    uint64_t sent;                  /* the number of the last event */
    uint64_t lost;                  /* the last one that is no longer kept */
    struct kept *first;
    struct kept *last;
    bool is_stream; /* the client has been told ids */
    bool is_ended;  /* there is no writer any more */
    uint64_t ended_ms;
    struct tr_mcp_channel *next; /* the next younger one of the session */
    struct tr_mcp_channel *previous;
};

static struct tr_mcp_channel *inside(struct tr_mcp_sink *sink)
{
    return (struct tr_mcp_channel *)(void *)sink;
}

static const struct tr_mcp_opts *opts_of(const struct tr_mcp_channel *channel)
{
    return &channel->session->mcp->opts;
}

/* An event takes so much of the session's memory. */
static size_t cost(size_t len)
{
    return sizeof(struct kept) + len;
}

static void drop_first(struct tr_mcp_channel *channel)
{
    struct kept *event = channel->first;
    channel->first = event->next;
    if (!channel->first)
        channel->last = NULL;
    channel->lost = event->number;
    if (channel->session)
        channel->session->kept_bytes -= cost(event->len);
    free(event);
}

static void unlink_channel(struct tr_mcp_session *session,
                           struct tr_mcp_channel *channel)
{
    if (channel->next)
        channel->next->previous = channel->previous;
    else
        session->last_channel = channel->previous;
    if (channel->previous)
        channel->previous->next = channel->next;
    else
        session->channels = channel->next;
}

/* Frees a channel that its session has let go of already. */
static void free_alone(struct tr_mcp_channel *channel)
{
    tr_mcp_wire_drop(&channel->wire);
    while (channel->first)
        drop_first(channel);
    free(channel);
}

static void free_channel(struct tr_mcp_session *session,
                         struct tr_mcp_channel *channel)
{
    unlink_channel(session, channel);
    free_alone(channel);
}

/*
 * The request goes on: "Disconnection SHOULD NOT be interpreted as the client
 * cancelling its request" (2025-03-26 to 2025-11-25, basic/transports, Sending
 * Messages to the Server).
 */
static void wire_gone(void *owner)
{
    struct tr_mcp_channel *channel = owner;
    tr_mcp_wire_drop(&channel->wire);
}

static void connect_wire(struct tr_mcp_channel *channel,
                         struct tr_mcp_wire **wire)
{
    channel->wire = *wire;
    channel->wire->sink.gone = wire_gone;
    channel->wire->sink.owner = channel;
    *wire = NULL;
}

/* Streams that have ended go first, then the oldest events of the oldest. */
static bool make_room(struct tr_mcp_session *session, size_t len)
{
    size_t max = session->mcp->opts.replay_bytes;
    if (len > max || cost(len) > max)
        return false;
    while (session->kept_bytes + cost(len) > max) {
        struct tr_mcp_channel *oldest = session->channels;
        struct tr_mcp_channel *ended = session->channels;
        while (oldest && !oldest->first)
            oldest = oldest->next;
        while (ended && !ended->is_ended)
            ended = ended->next;
        if (ended)
            free_channel(session, ended);
        else if (oldest)
            drop_first(oldest);
        else
            return false;
    }
    return true;
}

static void keep(struct tr_mcp_channel *channel, tr_str text)
{
    bool fits = make_room(channel->session, text.len);
    struct kept *event = fits ? calloc(1, sizeof(*event) + text.len) : NULL;
    if (!event) {
        while (channel->first)
            drop_first(channel);
        channel->lost = channel->sent;
        return;
    }
    event->number = channel->sent;
    event->len = text.len;
    memcpy(event->text, text.ptr, text.len);
    if (channel->last)
        channel->last->next = event;
    else
        channel->first = event;
    channel->last = event;
    channel->session->kept_bytes += cost(text.len);
}

static void send_event(struct tr_mcp_channel *channel, uint64_t number,
                       tr_str text)
{
    char id[48];
    int len = snprintf(id, sizeof(id), "%" PRIu64 "-%" PRIu64, channel->number,
                       number);
    bool numbered = opts_of(channel)->replay_bytes > 0;
    struct tr_mcp_event event = {
        .id = {id, numbered ? (size_t)len : 0},
        .retry_ms = RETRY_MS,
        .data = text,
    };
    channel->wire->ops->event(channel->wire, &event);
}

/*
 * Only clients since 2025-11-25 are primed with an event without data
 * (basic/transports, Sending Messages to the Server, 6): those before fail on
 * it.
 */
static bool is_polled(const struct tr_mcp_channel *channel)
{
    return tr_mcp_revision_has(channel->session->revision,
                               TR_MCP_HAS_PRIMING) &&
           opts_of(channel)->replay_bytes > 0;
}

static void start(struct tr_mcp_channel *channel)
{
    if (channel->is_stream || !channel->wire)
        return;
    channel->is_stream = true;
    channel->wire->ops->open(channel->wire);
    if (is_polled(channel))
        send_event(channel, 0, TR_STR(""));
}

void tr_mcp_channel_start(struct tr_mcp_sink *channel)
{
    start(inside(channel));
}

/* Nobody can come back to a stream that never began. */
static void send_on(struct tr_mcp_channel *channel, tr_str text)
{
    start(channel);
    if (!channel->is_stream)
        return;
    channel->sent++;
    keep(channel, text);
    if (channel->wire)
        send_event(channel, channel->sent, text);
}

static void send(struct tr_mcp_sink *sink, tr_str message)
{
    struct tr_mcp_channel *channel = inside(sink);
    if (channel->session)
        send_on(channel, message);
}

static void answer(struct tr_mcp_sink *sink, const struct tr_mcp_head *head,
                   tr_str message)
{
    struct tr_mcp_channel *channel = inside(sink);
    struct tr_mcp_sink *wire = channel->wire ? &channel->wire->sink : NULL;
    if (!channel->session)
        return;
    if (wire && !channel->is_stream)
        wire->ops->answer(wire, head, message);
    else
        send_on(channel, message);
    tr_mcp_wire_drop(&channel->wire);
}

static void accept(struct tr_mcp_sink *sink)
{
    struct tr_mcp_channel *channel = inside(sink);
    if (channel->wire && !channel->is_stream)
        channel->wire->sink.ops->accept(&channel->wire->sink);
}

static void release(struct tr_mcp_sink *sink)
{
    struct tr_mcp_channel *channel = inside(sink);
    struct tr_mcp_session *session = channel->session;
    if (!session) {
        free_alone(channel);
    } else if (!channel->first) {
        free_channel(session, channel);
    } else {
        tr_mcp_wire_drop(&channel->wire);
        channel->is_ended = true;
        channel->ended_ms = tr_loop_now_ms(session->mcp->opts.loop);
    }
}

void tr_mcp_channel_pause(struct tr_mcp_sink *channel)
{
    struct tr_mcp_channel *paused = inside(channel);
    if (!paused->session || !is_polled(paused))
        return;
    start(paused);
    tr_mcp_wire_drop(&paused->wire);
}

static const struct tr_mcp_sink_ops ops = {
    .send = send,
    .answer = answer,
    .accept = accept,
    .release = release,
};

struct tr_mcp_sink *tr_mcp_channel_open(struct tr_mcp_session *session,
                                        struct tr_mcp_wire **wire)
{
    struct tr_mcp_channel *channel = calloc(1, sizeof(*channel));
    if (!channel)
        return NULL;
    channel->previous = session->last_channel;
    if (session->last_channel)
        session->last_channel->next = channel;
    else
        session->channels = channel;
    session->last_channel = channel;
    channel->sink = (struct tr_mcp_sink){.ops = &ops, .has_head = true};
    channel->session = session;
    channel->number = ++session->channel_count;
    connect_wire(channel, wire);
    return &channel->sink;
}

/*
 * Reads "<channel>-<event>", as we write ids and no other way. They tell the
 * stream because another stream's events "MUST NOT" be replayed (2025-06-18,
 * basic/transports, Resumability and Redelivery).
 */
static bool read_id(tr_str id, uint64_t *channel, uint64_t *event)
{
    tr_str before;
    tr_str after;
    int64_t numbers[2];
    if (id.len > 40 || !tr_str_cut(id, '-', &before, &after) ||
        !tr_str_to_i64(before, &numbers[0]) ||
        !tr_str_to_i64(after, &numbers[1]) || numbers[0] < 1 || numbers[1] < 0)
        return false;
    *channel = (uint64_t)numbers[0];
    *event = (uint64_t)numbers[1];
    return true;
}

static struct tr_mcp_channel *find(const struct tr_mcp_session *session,
                                   uint64_t number)
{
    struct tr_mcp_channel *channel = session->channels;
    while (channel && channel->number != number)
        channel = channel->next;
    return channel;
}

enum tr_mcp_resumed tr_mcp_channel_resume(struct tr_mcp_session *session,
                                          tr_str id, struct tr_mcp_wire **wire)
{
    uint64_t number;
    uint64_t seen;
    if (!read_id(id, &number, &seen))
        return TR_MCP_RESUME_BAD;
    if (session->old_channels &&
        (number <= session->old_channels || number > session->channel_count))
        return TR_MCP_RESUME_ANEW;
    if (number > session->channel_count)
        return TR_MCP_RESUME_BAD;
    struct tr_mcp_channel *channel = find(session, number);
    if (!channel)
        return TR_MCP_RESUME_LOST;
    if (!channel->is_stream || seen > channel->sent)
        return TR_MCP_RESUME_BAD;
    if (seen < channel->lost)
        return TR_MCP_RESUME_LOST;
    tr_mcp_wire_drop(&channel->wire);
    connect_wire(channel, wire);
    channel->wire->ops->open(channel->wire);
    while (channel->first && channel->first->number <= seen)
        drop_first(channel); /* the client has them */
    for (struct kept *e = channel->first; e && channel->wire; e = e->next)
        send_event(channel, e->number, (tr_str){e->text, e->len});
    if (channel->is_ended)
        tr_mcp_wire_drop(&channel->wire);
    return TR_MCP_RESUMED;
}

bool tr_mcp_channel_is_connected(const struct tr_mcp_sink *channel)
{
    return ((const struct tr_mcp_channel *)(const void *)channel)->wire != NULL;
}

void tr_mcp_channel_sweep(struct tr_mcp_session *session, uint64_t then_ms)
{
    struct tr_mcp_channel *channel = session->channels;
    while (channel) {
        struct tr_mcp_channel *next = channel->next;
        if (channel->is_ended && channel->ended_ms < then_ms)
            free_channel(session, channel);
        channel = next;
    }
}

/* Channels that still have a writer wait for it without a session. */
void tr_mcp_channel_end_all(struct tr_mcp_session *session)
{
    struct tr_mcp_channel *channel = session->channels;
    session->channels = session->last_channel = NULL;
    while (channel) {
        struct tr_mcp_channel *next = channel->next;
        channel->session = NULL;
        if (channel->is_ended)
            free_alone(channel);
        else
            tr_mcp_wire_drop(&channel->wire);
        channel = next;
    }
}
