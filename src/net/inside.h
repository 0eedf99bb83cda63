/*
 * net/inside.h - what a stream is made of; for the files of net/ only.
 */
#ifndef TR_NET_INSIDE_H
#define TR_NET_INSIDE_H

#include "base/buf.h"
#include "loop/timer.h"
#include "net/stream.h"

#include <uv.h>

union tr_net_handle {
    uv_handle_t any;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
    uv_tty_t tty;
    uv_idle_t idle; /* reads a file, a piece per turn */
};

/*
 * What every write touches comes first: with thousands of streams, a line of
 * the cache that need not be fetched is worth more than an instruction.
 */
struct tr_net_stream {
    struct tr_loop *loop;
    const struct tr_net_stream_ops *ops; /* NULL until it is started */
    void *owner;
    union tr_net_handle *out; /* &in, or owned; NULL when `out_file` is set */
    int in_file;              /* -1 when it is no file */
    int out_file;
    int socket; /* for TCP, the descriptor of `in`; else -1 */
    unsigned open_handles;
    bool reading;
    bool writing;
    bool drained;   /* the owner has yet to be told that the queue is empty */
    bool finishing; /* our side ends when the queue is empty */
    bool finished;  /* our side has ended */
    bool close_when_sent;
    bool broken;
    bool end_told;
    bool break_told;
    bool closing;
    struct tr_loop_tick flush;
    struct tr_buf pending; /* waits for the end of the turn, or for `sending` */
    size_t max_queue;
    uint64_t accepted;     /* bytes sent or queued so far */
    struct tr_buf sending; /* libuv is writing it */
    union tr_net_handle in;
    uv_poll_t *hang_up; /* of `out`, where reading would not tell; or NULL */
    union {
        uv_write_t write;
        uv_shutdown_t shutdown;
    } request;
};

/* Stops the calls to `on_read`, for every kind of stream. */
void tr_net_stream_stop_reading(struct tr_net_stream *stream);

/* Writes without waiting. Returns the bytes, or a negative libuv error. */
ssize_t tr_net_stream_try(struct tr_net_stream *stream, uv_buf_t *bufs,
                          unsigned count);

/* Marks the stream as broken; the owner is told at the end of the turn. */
void tr_net_stream_break(struct tr_net_stream *stream);

/* `count` bytes have arrived; or it is a negative libuv error. */
void tr_net_stream_got(struct tr_net_stream *stream, char *bytes,
                       ssize_t count);

/* Sends what is pending; called at the end of a turn, or after a write. */
void tr_net_stream_flush(void *data);

#endif
