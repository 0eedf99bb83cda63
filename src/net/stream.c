#include "net/stream.h"

#include "net/inside.h"

#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

static size_t total_len(const tr_str *parts, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += parts[i].len;
    return len;
}

/* Appends all parts, without the first `skip` bytes of them. */
static void put_parts(struct tr_buf *buf, const tr_str *parts, size_t count,
                      size_t skip)
{
    for (size_t i = 0; i < count; i++) {
        if (skip < parts[i].len) {
            tr_buf_put(buf, tr_str_skip(parts[i], skip));
            skip = 0;
        } else {
            skip -= parts[i].len;
        }
    }
}

static tr_status check_room(const struct tr_net_stream *stream, size_t len,
                            struct tr_err *err)
{
    if (stream->broken || stream->closing || stream->finishing)
        return tr_fail(err, TR_E_IO, "the stream is closed");
    size_t queued = tr_net_stream_queued(stream);
    if (queued > stream->max_queue || len > stream->max_queue - queued)
        return tr_fail(err, TR_E_LIMIT, "more than %zu bytes wait for the peer",
                       stream->max_queue);
    return TR_OK;
}

/* All or nothing: half of a message would garble the stream. */
static tr_status queue(struct tr_net_stream *stream, const tr_str *parts,
                       size_t count, size_t skip, struct tr_err *err)
{
    size_t before = stream->pending.len;
    if (!tr_buf_room(&stream->pending, total_len(parts, count) - skip)) {
        stream->pending.failed = TR_OK;
        stream->pending.len = before;
        stream->pending.cap = stream->pending.held;
        if (skip) /* the peer has got the beginning */
            tr_net_stream_break(stream);
        return tr_fail(err, TR_E_NOMEM, "queueing bytes for the peer");
    }
    put_parts(&stream->pending, parts, count, skip);
    stream->accepted += total_len(parts, count);
    tr_loop_tick_add(&stream->flush, stream->loop);
    return TR_OK;
}

tr_status tr_net_stream_write(struct tr_net_stream *stream, const tr_str *parts,
                              size_t count, struct tr_err *err)
{
    TR_TRY(check_room(stream, total_len(parts, count), err));
    return queue(stream, parts, count, 0, err);
}

tr_status tr_net_stream_send(struct tr_net_stream *stream, const tr_str *parts,
                             size_t count, struct tr_err *err)
{
    uv_buf_t bufs[TR_NET_STREAM_PARTS];
    size_t len = total_len(parts, count);
    assert(count <= TR_NET_STREAM_PARTS);
    TR_TRY(check_room(stream, len, err));
    if (stream->writing || stream->pending.len)
        return queue(stream, parts, count, 0, err);

    for (size_t i = 0; i < count; i++)
        bufs[i] = (uv_buf_t){(char *)(uintptr_t)parts[i].ptr, parts[i].len};
    ssize_t sent = tr_net_stream_try(stream, bufs, (unsigned)count);
    if (sent >= 0 && (size_t)sent == len) {
        stream->accepted += len;
        return TR_OK;
    }
    if (sent < 0 && sent != UV_EAGAIN) {
        tr_net_stream_break(stream);
        return tr_fail(err, TR_E_IO, "sending: %s", uv_strerror((int)sent));
    }
    return queue(stream, parts, count, sent < 0 ? 0 : (size_t)sent, err);
}

size_t tr_net_stream_queued(const struct tr_net_stream *stream)
{
    size_t in_flight = 0;
    if (stream->writing)
        in_flight = uv_stream_get_write_queue_size(&stream->out->stream);
    return stream->pending.len + in_flight;
}

uint64_t tr_net_stream_sent(const struct tr_net_stream *stream)
{
    return stream->accepted - tr_net_stream_queued(stream);
}

void tr_net_stream_finish(struct tr_net_stream *stream)
{
    stream->finishing = true;
    tr_loop_tick_add(&stream->flush, stream->loop);
}

void tr_net_stream_close_when_sent(struct tr_net_stream *stream)
{
    stream->finishing = true;
    stream->close_when_sent = true;
    tr_loop_tick_add(&stream->flush, stream->loop);
}

/* The owner may be inside a call of ours: it hears at the end of the turn. */
void tr_net_stream_break(struct tr_net_stream *stream)
{
    stream->broken = true;
    tr_net_stream_stop_reading(stream);
    if (!stream->closing)
        tr_loop_tick_add(&stream->flush, stream->loop);
}

static void on_written(uv_write_t *request, int rc)
{
    struct tr_net_stream *stream = request->data;
    stream->writing = false;
    tr_buf_done(&stream->sending);
    if (stream->closing)
        return;
    if (rc < 0)
        tr_net_stream_break(stream);
    else
        stream->drained = stream->pending.len == 0;
    tr_net_stream_flush(stream);
}

static void on_shut_down(uv_shutdown_t *request, int rc)
{
    (void)request; /* the peer's end is seen by reading */
    (void)rc;
}

/* Hands the rest to libuv, which waits until it can be sent. */
static void send_rest(struct tr_net_stream *stream, size_t sent)
{
    stream->sending = stream->pending;
    tr_buf_init(&stream->pending, stream->max_queue);
    uv_buf_t rest = {stream->sending.ptr + sent, stream->sending.len - sent};
    stream->request.write.data = stream;
    int rc = uv_write(&stream->request.write, &stream->out->stream, &rest, 1,
                      on_written);
    if (rc == 0) {
        stream->writing = true;
        return;
    }
    tr_buf_done(&stream->sending);
    tr_net_stream_break(stream);
}

static void send_pending(struct tr_net_stream *stream)
{
    uv_buf_t all = {stream->pending.ptr, stream->pending.len};
    ssize_t sent = tr_net_stream_try(stream, &all, 1);
    if (sent == UV_EAGAIN)
        sent = 0;
    if (sent < 0)
        tr_net_stream_break(stream);
    else if ((size_t)sent < all.len)
        send_rest(stream, (size_t)sent);
    else {
        tr_buf_done(&stream->pending);
        stream->drained = true;
    }
}

/* The owner is not told from here: it is inside a call of its own. */
void tr_net_stream_push(struct tr_net_stream *stream)
{
    if (!stream->broken && !stream->closing && !stream->writing &&
        stream->pending.len)
        send_pending(stream);
}

static void finish(struct tr_net_stream *stream)
{
    if (stream->close_when_sent) {
        tr_net_stream_close(stream);
        return;
    }
    if (stream->finished)
        return;
    stream->finished = true;
    if (stream->out)
        (void)uv_shutdown(&stream->request.shutdown, &stream->out->stream,
                          on_shut_down);
}

/* Tells the owner once, also after an end; it may close the stream. */
static void tell_broken(struct tr_net_stream *stream)
{
    if (stream->close_when_sent) {
        tr_net_stream_close(stream);
    } else if (!stream->break_told && !stream->closing) {
        stream->break_told = true;
        stream->ops->on_end(stream->owner, TR_E_IO);
    }
}

/* Tells the owner, which may send more, or close the stream. */
static void tell_drained(struct tr_net_stream *stream)
{
    stream->drained = false;
    if (!stream->finishing && stream->ops->on_drain)
        stream->ops->on_drain(stream->owner);
}

void tr_net_stream_flush(void *data)
{
    struct tr_net_stream *stream = data;
    tr_net_stream_push(stream);
    if (stream->broken)
        tell_broken(stream);
    else if (stream->finishing && !stream->writing && stream->pending.len == 0)
        finish(stream);
    else if (stream->drained)
        tell_drained(stream);
}

void tr_net_stream_got(struct tr_net_stream *stream, char *bytes, ssize_t count)
{
    if (count > 0) {
        stream->ops->on_read(stream->owner, bytes, (size_t)count);
    } else if (count == UV_EOF) {
        tr_net_stream_stop_reading(stream);
        if (!stream->end_told && !stream->closing && !stream->broken) {
            stream->end_told = true;
            stream->ops->on_end(stream->owner, TR_OK);
        }
    } else if (count < 0) {
        stream->broken = true;
        tr_net_stream_stop_reading(stream);
        tell_broken(stream);
    }
}

tr_status tr_net_stdio_open(struct tr_loop *loop, size_t max_queue,
                            struct tr_net_stream **out, struct tr_err *err)
{
    (void)fflush(stdout);
    int protocol = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (protocol < 0)
        return tr_fail(err, TR_E_IO, "standard output is not open");
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        (void)close(protocol);
        return tr_fail(err, TR_E_IO, "standard error is not open");
    }
    const int in_out[2] = {STDIN_FILENO, protocol};
    return tr_net_stream_open_pair(loop, in_out, max_queue, out, err);
}
