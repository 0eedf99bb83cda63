/* The libuv side of a stream: opening, reading, trying to write, closing. */
#include "base/limits.h"
#include "loop/loop.h"
#include "net/inside.h"
#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static void on_closed(uv_handle_t *handle)
{
    struct tr_net_stream *stream = handle->data;
    if (--stream->open_handles)
        return;
    free(stream->hang_up);
    if (stream->out != &stream->in)
        free(stream->out);
    if (stream->in_file > STDERR_FILENO)
        (void)close(stream->in_file);
    if (stream->out_file > STDERR_FILENO)
        (void)close(stream->out_file);
    tr_buf_done(&stream->pending);
    tr_buf_done(&stream->sending);
    tr_loop_release(stream->loop);
    if (stream->ops && stream->ops->on_closed)
        stream->ops->on_closed(stream->owner);
    free(stream);
}

/* libuv leaves the descriptor of a poll open. */
static void close_watch(uv_poll_t *poll)
{
    uv_os_fd_t fd = -1;
    (void)uv_fileno((uv_handle_t *)poll, &fd);
    uv_close((uv_handle_t *)poll, on_closed);
    (void)close(fd);
}

void tr_net_stream_close(struct tr_net_stream *stream)
{
    if (!stream || stream->closing)
        return;
    stream->closing = true;
    tr_loop_tick_remove(&stream->flush);
    uv_close(&stream->in.any, on_closed);
    if (stream->out && stream->out != &stream->in)
        uv_close(&stream->out->any, on_closed);
    if (stream->hang_up)
        close_watch(stream->hang_up);
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct tr_net_stream *stream = handle->data;
    (void)suggested;
    out->len = 0;
    out->base = stream->ops->room(stream->owner, &out->len);
    if (!out->base)
        out->len = 0; /* libuv then reports UV_ENOBUFS */
}

static void on_read(uv_stream_t *handle, ssize_t count, const uv_buf_t *buf)
{
    tr_net_stream_got(handle->data, buf->base, count);
}

static void on_file_turn(uv_idle_t *idle)
{
    struct tr_net_stream *stream = idle->data;
    size_t size = 0;
    char *bytes = stream->ops->room(stream->owner, &size);
    ssize_t count = UV_ENOBUFS;
    if (bytes) {
        do
            count = read(stream->in_file, bytes, size);
        while (count < 0 && errno == EINTR);
        if (count <= 0)
            count = count == 0 ? UV_EOF : -errno;
    }
    tr_net_stream_got(stream, bytes, count);
}

static void start_reading(struct tr_net_stream *stream)
{
    if (stream->reading || stream->closing || stream->broken ||
        stream->end_told)
        return;
    stream->reading = true;
    if (stream->in_file >= 0)
        (void)uv_idle_start(&stream->in.idle, on_file_turn);
    else if (uv_read_start(&stream->in.stream, on_room, on_read))
        tr_net_stream_break(stream);
}

void tr_net_stream_stop_reading(struct tr_net_stream *stream)
{
    if (!stream->reading)
        return;
    stream->reading = false;
    if (stream->in_file >= 0)
        (void)uv_idle_stop(&stream->in.idle);
    else
        (void)uv_read_stop(&stream->in.stream);
}

void tr_net_stream_start(struct tr_net_stream *stream,
                         const struct tr_net_stream_ops *ops, void *owner)
{
    stream->ops = ops;
    stream->owner = owner;
    start_reading(stream);
}

void tr_net_stream_pause(struct tr_net_stream *stream)
{
    tr_net_stream_stop_reading(stream);
}

void tr_net_stream_resume(struct tr_net_stream *stream)
{
    start_reading(stream);
}

/* libuv has no stream for files; a write to one does not wait for a peer. */
static ssize_t write_file(int fd, const uv_buf_t *buf)
{
    size_t sent = 0;
    while (sent < buf->len) {
        ssize_t count = write(fd, buf->base + sent, buf->len - sent);
        if (count < 0 && errno != EINTR)
            return -errno;
        if (count > 0)
            sent += (size_t)count;
    }
    return (ssize_t)sent;
}

_Static_assert(sizeof(uv_buf_t) == sizeof(struct iovec) &&
                   offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
               "libuv promises it");

/* As uv_try_write, but with sendmsg(): write() does more before it sends. */
static ssize_t send_now(int fd, uv_buf_t *bufs, unsigned count)
{
    struct msghdr message = {.msg_iov = (struct iovec *)(void *)bufs,
                             .msg_iovlen = count};
    const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    ssize_t sent;
    do
        sent = count == 1 ? send(fd, bufs[0].base, bufs[0].len, flags)
                          : sendmsg(fd, &message, flags);
    while (sent < 0 && errno == EINTR);
    if (sent >= 0)
        return sent;
    return errno == ENOBUFS ? UV_EAGAIN : -errno;
}

ssize_t tr_net_stream_try(struct tr_net_stream *stream, uv_buf_t *bufs,
                          unsigned count)
{
    if (stream->socket >= 0)
        return send_now(stream->socket, bufs, count);
    if (stream->out)
        return uv_try_write(&stream->out->stream, bufs, count);
    ssize_t sent = 0;
    for (unsigned i = 0; i < count; i++) {
        ssize_t part = write_file(stream->out_file, &bufs[i]);
        if (part < 0)
            return part;
        sent += part;
    }
    return sent;
}

/* From its init on a handle is the loop's: after a failure too, close it. */
static int open_handle(struct tr_net_stream *stream,
                       union tr_net_handle *handle, int fd, bool for_reading)
{
    uv_loop_t *uv = tr_loop_uv(stream->loop);
    int on = 1;
    int rc = 0;

    switch (uv_guess_handle(fd)) {
    case UV_TCP:
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        rc = uv_tcp_init(uv, &handle->tcp);
        break;
    case UV_NAMED_PIPE:
        rc = uv_pipe_init(uv, &handle->pipe, 0);
        break;
    case UV_TTY:
        rc = uv_tty_init(uv, &handle->tty, fd, for_reading);
        break;
    default:
        rc = UV_EINVAL;
    }
    if (rc)
        return rc;
    handle->any.data = stream;
    stream->open_handles++;
    if (handle->any.type == UV_TCP)
        return uv_tcp_open(&handle->tcp, fd);
    return handle->any.type == UV_NAMED_PIPE ? uv_pipe_open(&handle->pipe, fd)
                                             : 0;
}

static int open_in(struct tr_net_stream *stream, int fd)
{
    if (uv_guess_handle(fd) != UV_FILE)
        return open_handle(stream, &stream->in, fd, true);
    stream->in_file = fd;
    (void)uv_idle_init(tr_loop_uv(stream->loop), &stream->in.idle);
    stream->in.any.data = stream;
    stream->open_handles++;
    return 0;
}

/* Polls are level-triggered: once is enough. */
static void on_hang_up(uv_poll_t *poll, int rc, int events)
{
    (void)rc;
    (void)events;
    (void)uv_poll_stop(poll);
    tr_net_stream_break(poll->data);
}

/*
 * Nobody writes to a peer that asks for nothing, so that it has gone would
 * never be noticed. A hang-up is reported to whoever polls; what is asked for
 * here is what pipes and local sockets never have. The poll has a copy of the
 * descriptor: libuv takes each only once.
 */
static int watch_hang_up(struct tr_net_stream *stream, int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    uv_poll_t *poll = calloc(1, sizeof(*poll));
    int rc = poll && copy >= 0 ? 0 : UV_ENOMEM;
    if (rc == 0)
        rc = uv_poll_init(tr_loop_uv(stream->loop), poll, copy);
    if (rc) {
        free(poll);
        if (copy >= 0)
            (void)close(copy);
        return rc;
    }
    poll->data = stream;
    stream->open_handles++;
    stream->hang_up = poll;
    return uv_poll_start(poll, UV_PRIORITIZED, on_hang_up);
}

static int open_out(struct tr_net_stream *stream, int fd)
{
    stream->out = NULL;
    if (uv_guess_handle(fd) == UV_FILE) {
        stream->out_file = fd;
        return 0;
    }
    union tr_net_handle *out = calloc(1, sizeof(*out));
    if (!out)
        return UV_ENOMEM;
    unsigned before = stream->open_handles;
    int rc = open_handle(stream, out, fd, false);
    if (stream->open_handles == before) {
        free(out);
        return rc;
    }
    stream->out = out; /* closed and freed with the stream */
    bool is_local = out->any.type == UV_NAMED_PIPE;
    return rc == 0 && is_local ? watch_hang_up(stream, fd) : rc;
}

static struct tr_net_stream *create(struct tr_loop *loop, size_t max_queue)
{
    struct tr_net_stream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return NULL;
    stream->loop = loop;
    stream->out = &stream->in;
    stream->in_file = stream->out_file = stream->socket = -1;
    stream->max_queue = max_queue ? max_queue : TR_LIMIT_STREAM_QUEUE;
    tr_buf_init(&stream->pending, stream->max_queue);
    tr_buf_init(&stream->sending, stream->max_queue);
    tr_loop_tick_init(&stream->flush, tr_net_stream_flush, stream);
    tr_loop_hold(loop); /* also while it neither reads nor writes */
    return stream;
}

static bool owns_fd(const union tr_net_handle *handle, int fd)
{
    uv_os_fd_t owned = -1;
    return handle && uv_fileno(&handle->any, &owned) == 0 && owned == fd;
}

/* For a stream that is half-built: closes what no handle has taken. */
static tr_status give_up(struct tr_net_stream *stream, const int fds[2], int rc,
                         struct tr_err *err)
{
    for (int i = 0; i < 2; i++) {
        bool taken = fds[i] == stream->in_file || fds[i] == stream->out_file;
        if (stream->open_handles > 0)
            taken = taken || owns_fd(&stream->in, fds[i]) ||
                    owns_fd(stream->out, fds[i]);
        if (!taken && fds[i] > STDERR_FILENO && (i == 0 || fds[0] != fds[1]))
            (void)close(fds[i]);
    }
    if (stream->open_handles) {
        tr_net_stream_close(stream);
    } else {
        tr_loop_release(stream->loop);
        free(stream);
    }
    return tr_fail(err, rc == UV_ENOMEM ? TR_E_NOMEM : TR_E_IO,
                   "opening a stream: %s", uv_strerror(rc));
}

static tr_status fail_nomem(const int fds[2], struct tr_err *err)
{
    if (fds[0] > STDERR_FILENO)
        (void)close(fds[0]);
    if (fds[1] > STDERR_FILENO && fds[1] != fds[0])
        (void)close(fds[1]);
    return tr_fail(err, TR_E_NOMEM, "opening a stream");
}

tr_status tr_net_stream_open(struct tr_loop *loop, int fd, size_t max_queue,
                             struct tr_net_stream **out, struct tr_err *err)
{
    const int both[2] = {fd, fd};
    struct tr_net_stream *stream = create(loop, max_queue);
    if (!stream)
        return fail_nomem(both, err);
    int rc = open_handle(stream, &stream->in, fd, true);
    if (rc)
        return give_up(stream, both, rc, err);
    if (stream->in.any.type == UV_TCP)
        stream->socket = fd;
    *out = stream;
    return TR_OK;
}

tr_status tr_net_stream_open_pair(struct tr_loop *loop, const int in_out[2],
                                  size_t max_queue, struct tr_net_stream **out,
                                  struct tr_err *err)
{
    struct tr_net_stream *stream = create(loop, max_queue);
    if (!stream)
        return fail_nomem(in_out, err);
    int rc = open_in(stream, in_out[0]);
    if (rc == 0)
        rc = open_out(stream, in_out[1]);
    if (rc)
        return give_up(stream, in_out, rc, err);
    *out = stream;
    return TR_OK;
}

bool tr_net_stream_is_local(const struct tr_net_stream *stream)
{
    struct tr_net_address peer = {0};
    int len = sizeof(peer.storage);
    return stream->in.any.type != UV_TCP ||
           (uv_tcp_getpeername(&stream->in.tcp,
                               (struct sockaddr *)&peer.storage, &len) == 0 &&
            tr_net_address_is_loopback(&peer));
}
