/*
 * net/stream.h - a connected byte stream on a loop: socket, pipe, terminal or
 * file, or a pair of them.
 *
 * What cannot be sent at once is queued up to a maximum. The owner is told
 * through its ops, never from inside a call that it makes. Closing has two
 * steps: after tr_net_stream_close only `on_closed` is called, then the stream
 * is freed.
 */
#ifndef TR_NET_STREAM_H
#define TR_NET_STREAM_H

#include "base/err.h"

struct tr_loop;
struct tr_net_stream;

struct tr_net_stream_ops {
    /* Returns memory for what comes next, at least a byte, or NULL to break. */
    char *(*room)(void *owner, size_t *size);

    /* `count` bytes have arrived at what `room` returned. */
    void (*on_read)(void *owner, char *bytes, size_t count);

    /*
     * The peer sends no more (TR_OK), or the stream is broken: each at most
     * once, and nothing after the latter. A pair is also broken as soon as
     * nobody reads the pipe or local socket it writes to.
     */
    void (*on_end)(void *owner, tr_status why);

    /* The queue is empty again. May be NULL. */
    void (*on_drain)(void *owner);

    /* The last call; the stream is freed after it. May be NULL. */
    void (*on_closed)(void *owner);
};

/*
 * Opens `fd`, or the pair `in` and `out`. Takes them: they are closed with the
 * stream, also when opening fails; 0, 1 and 2 stay open. `max_queue` bounds the
 * bytes that wait to be sent; 0 takes TR_LIMIT_STREAM_QUEUE.
 */
TR_NODISCARD tr_status tr_net_stream_open(struct tr_loop *loop, int fd,
                                          size_t max_queue,
                                          struct tr_net_stream **out,
                                          struct tr_err *err);
TR_NODISCARD tr_status tr_net_stream_open_pair(struct tr_loop *loop,
                                               const int in_out[2],
                                               size_t max_queue,
                                               struct tr_net_stream **out,
                                               struct tr_err *err);

/*
 * Standard input and output as one stream. From now on, what the process prints
 * goes to standard error: standard output is the protocol's. To be called once.
 */
TR_NODISCARD tr_status tr_net_stdio_open(struct tr_loop *loop, size_t max_queue,
                                         struct tr_net_stream **out,
                                         struct tr_err *err);

/* Names the owner and starts reading. To be called before anything else. */
void tr_net_stream_start(struct tr_net_stream *stream,
                         const struct tr_net_stream_ops *ops, void *owner);

/* Stops and starts reading; while paused, the peer's end is not seen either. */
void tr_net_stream_pause(struct tr_net_stream *stream);
void tr_net_stream_resume(struct tr_net_stream *stream);

/*
 * Copies the parts to the queue, which is sent at the end of the turn, all in
 * one piece. TR_E_LIMIT when they do not fit: then none of them is queued.
 * TR_E_IO when the stream is broken.
 */
TR_NODISCARD tr_status tr_net_stream_write(struct tr_net_stream *stream,
                                           const tr_str *parts, size_t count,
                                           struct tr_err *err);

/* Sends now what the system takes of the queue. */
void tr_net_stream_push(struct tr_net_stream *stream);

/* As tr_net_stream_write, but now, and without copying what can be sent. */
TR_NODISCARD tr_status tr_net_stream_send(struct tr_net_stream *stream,
                                          const tr_str *parts, size_t count,
                                          struct tr_err *err);

/* The most parts that one call takes. */
#define TR_NET_STREAM_PARTS 8

/* Bytes the system has not taken yet, and all it has taken so far. */
size_t tr_net_stream_queued(const struct tr_net_stream *stream);
uint64_t tr_net_stream_sent(const struct tr_net_stream *stream);

/* Ends our side once the queue is sent; the peer may go on sending. */
void tr_net_stream_finish(struct tr_net_stream *stream);

/* Closes once the queue is sent. A peer that does not read delays it. */
void tr_net_stream_close_when_sent(struct tr_net_stream *stream);

/* Closes now; what is queued is lost. */
void tr_net_stream_close(struct tr_net_stream *stream);

/* Whether the peer is on this machine, as far as its address tells. */
bool tr_net_stream_is_local(const struct tr_net_stream *stream);

#endif
