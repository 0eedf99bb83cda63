/*
 * mcp/sink.h - where the messages for one request go.
 *
 * A transport makes a sink per request, or one for all of its requests. Sends
 * never block and never fail: what cannot be delivered is dropped, and `gone`
 * tells that the peer is no longer there. Each table of functions is complete:
 * whoever has a sink of a kind can call all of it.
 */
#ifndef TR_MCP_SINK_H
#define TR_MCP_SINK_H

#include "base/str.h"

struct tr_call_given;
struct tr_mcp_sink;

/* What HTTP says before a response; other transports have no use for it. */
struct tr_mcp_head {
    int status;
    tr_str session;   /* the id of a new session, or empty */
    tr_str challenge; /* WWW-Authenticate of a refusal, or empty */
};

/* Every text that is passed is copied. */
struct tr_mcp_sink_ops {
    /* A notification, or a question of ours; without a line end. */
    void (*send)(struct tr_mcp_sink *sink, tr_str message);
    /* The response; nothing is sent after it. */
    void (*answer)(struct tr_mcp_sink *sink, const struct tr_mcp_head *head,
                   tr_str message);
    /* What has come wants no response: HTTP says 202, others say nothing. */
    void (*accept)(struct tr_mcp_sink *sink);
    /* The request is done with it, answered or not. */
    void (*release)(struct tr_mcp_sink *sink);
};

/*
 * How a transport of a stateless revision sends many notifications in one
 * piece: whoever has them puts `before` and `after` around each.
 */
struct tr_mcp_feed_ops {
    tr_str before;
    tr_str after;
    void (*send)(struct tr_mcp_sink *sink, tr_str messages);
    /* Bytes that the peer has not taken yet. */
    size_t (*queued)(const struct tr_mcp_sink *sink);
};

/* An answer with a large piece in it that stands elsewhere already. */
struct tr_mcp_pieces {
    tr_str before;
    tr_str piece;
    tr_str after;
};

typedef void tr_mcp_answer_pieces_fn(struct tr_mcp_sink *sink,
                                     const struct tr_mcp_head *head,
                                     const struct tr_mcp_pieces *pieces);

struct tr_mcp_sink {
    const struct tr_mcp_sink_ops *ops;
    const struct tr_mcp_feed_ops *feed; /* NULL: nobody can listen over it */
    /* As `answer`, without copying what can be sent at once. NULL: it takes
     * whole answers only. Nothing must have been sent before. */
    tr_mcp_answer_pieces_fn *answer_pieces;
    bool has_head; /* a response has one, unless something was sent before */
    /* Told once when the peer has gone; set by who uses the sink, or NULL. */
    void (*gone)(void *owner);
    void *owner;
    struct tr_call_given **given; /* of a connection (mcp/given.h), or NULL */
};

/*
 * `answer` and `accept` of a sink that has no heads: a response is sent as any
 * other message, and what wants none is passed over.
 */
static inline void tr_mcp_sink_answer_headless(struct tr_mcp_sink *sink,
                                               const struct tr_mcp_head *head,
                                               tr_str message)
{
    (void)head;
    sink->ops->send(sink, message);
}

static inline void tr_mcp_sink_accept_headless(struct tr_mcp_sink *sink)
{
    (void)sink;
}

/* An event as a client that may resume its stream gets it. */
struct tr_mcp_event {
    tr_str type;       /* "message" when it is empty */
    tr_str id;         /* where to resume from, or empty */
    unsigned retry_ms; /* how long to wait before that; 0 is not said */
    tr_str data;       /* empty: only the id and the wait are told */
};

/* A wire is a sink that is one HTTP exchange, on this loop or on another. */
struct tr_mcp_wire;

struct tr_mcp_wire_ops {
    /* Makes it a stream of events now. */
    void (*open)(struct tr_mcp_wire *wire);
    /* Sends an event on the stream that it makes it. */
    void (*event)(struct tr_mcp_wire *wire, const struct tr_mcp_event *event);
    /* Ends it with a status and no message, unless it is a stream. */
    void (*end)(struct tr_mcp_wire *wire, int status);
};

struct tr_mcp_wire {
    struct tr_mcp_sink
        sink; /* first: a request that came over it knows only this */
    const struct tr_mcp_wire_ops *ops;
};

/* Releases the wire; its owner is told nothing more. NULL is allowed. */
static inline void tr_mcp_wire_drop(struct tr_mcp_wire **wire)
{
    struct tr_mcp_wire *dropped = *wire;
    *wire = NULL;
    if (!dropped)
        return;
    dropped->sink.gone = NULL;
    dropped->sink.ops->release(&dropped->sink);
}

/* Answers with a status alone, and releases the wire. */
static inline void tr_mcp_wire_end(struct tr_mcp_wire **wire, int status)
{
    (*wire)->ops->end(*wire, status);
    tr_mcp_wire_drop(wire);
}

#endif
