/*
 * mcp/sink.h - where the messages for one request go.
 *
 * A transport makes a sink per request, or one for all of its requests. Sends
 * never block and never fail: what cannot be delivered is dropped, and `gone`
 * tells that the peer is no longer there.
 */
#ifndef TR_MCP_SINK_H
#define TR_MCP_SINK_H

#include "mcp/message.h"

struct tr_sink;

/* An event as a client that may resume its stream gets it. */
struct tr_event {
    tr_str type;       /* "message" when it is empty */
    tr_str id;         /* where to resume from, or empty */
    unsigned retry_ms; /* how long to wait before that; 0 is not said */
    tr_str data;       /* empty: only the id and the wait are told */
};

struct tr_sink_ops {
    /*
     * One message, without a line end; copied. After a response, nothing more
     * is sent. `status` is what HTTP answers with when it is the first.
     */
    void (*send)(struct tr_sink *sink, enum tr_message_kind kind, int status,
                 tr_str message);
    /* HTTP only, else NULL: makes it a stream of events now. */
    void (*open)(struct tr_sink *sink);
    /* HTTP only, else NULL: sends an event on the stream that it makes it. */
    void (*event)(struct tr_sink *sink, const struct tr_event *event);
    /* HTTP only, else NULL: ends it with a status and no message. */
    void (*end)(struct tr_sink *sink, int status);
    /* HTTP only, else NULL: tells the id of a new session with the response,
     * which must follow at once: the id is borrowed. */
    void (*name)(struct tr_sink *sink, tr_str session);
    /* HTTP only, else NULL: what the response, which must follow at once, says
     * of credentials (WWW-Authenticate); borrowed. */
    void (*challenge)(struct tr_sink *sink, tr_str challenge);
    /*
     * For who has many messages at once: each with `before` and `after` around
     * it, and none with a line end, they are sent in one piece. May be NULL.
     */
    void (*framed)(struct tr_sink *sink, tr_str messages);
    tr_str before;
    tr_str after;
    /* Bytes that the peer has not taken yet; NULL where nobody knows. */
    size_t (*queued)(const struct tr_sink *sink);
    /* The request is done with it, answered or not. */
    void (*release)(struct tr_sink *sink);
    /* Ends the stream of a client that polls; NULL where there is none. */
    void (*pause)(struct tr_sink *sink);
};

struct tr_sink {
    const struct tr_sink_ops *ops;
    /* Told once when the peer has gone; set by who uses the sink, or NULL. */
    void (*gone)(void *owner);
    void *owner;
};

#endif
