#include "net/listener.h"

#include "loop/loop.h"
#include "loop/timer.h"

#include <uv.h>

#include <errno.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 1024

/* Connections accepted in one turn: a storm must not starve the others. */
#define PER_TURN 64

/* How long to wait for descriptors or memory to come back. */
#define PAUSE_MS 100

struct tr_net_listener {
    uv_poll_t poll;
    int fd;
    struct tr_loop_timer pause;
    tr_net_accept_fn *on_accept;
    void *owner;
    bool closing;
    struct sockaddr_un unix_name; /* empty path for TCP */
    struct stat unix_file;        /* as we made it */
};

static void on_readable(uv_poll_t *poll, int rc, int events);

static void wait_for_peers(void *data)
{
    struct tr_net_listener *listener = data;
    (void)uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

/* Polls are level-triggered: what is not accepted now is reported again. */
static void accept_some(struct tr_net_listener *listener)
{
    for (int i = 0; i < PER_TURN && !listener->closing; i++) {
        int fd =
            accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            listener->on_accept(listener->owner, fd);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
                   errno == ENOMEM) {
            (void)uv_poll_stop(&listener->poll);
            tr_loop_timer_start(&listener->pause, PAUSE_MS, 0);
            return;
        } else if (errno == EAGAIN) {
            return;
        }
        /* Anything else concerns one peer that has gone already. */
    }
}

static void on_readable(uv_poll_t *poll, int rc, int events)
{
    (void)rc;
    (void)events;
    accept_some(poll->data);
}

static int set_option(int fd, int level, int name, int value)
{
    return setsockopt(fd, level, name, &value, sizeof(value));
}

static tr_status fail_listen(struct tr_err *err, tr_str where)
{
    tr_status code = errno == EADDRINUSE ? TR_E_CONFLICT : TR_E_IO;
    return tr_fail(err, code, "listening on %.*s: %s", TR_FMT(where),
                   strerror(errno));
}

static tr_status listen_tcp(struct tr_net_listener *listener,
                            const struct tr_net_listen_opts *opts,
                            struct tr_err *err)
{
    struct tr_net_address address;
    TR_TRY(tr_net_address_parse(opts->address, &address, err));
    int family = address.storage.ss_family;
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    listener->fd = fd;
    if (fd < 0 || set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1) ||
        (family == AF_INET6 && set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0)) ||
        bind(fd, (struct sockaddr *)&address.storage, address.len) ||
        listen(fd, opts->backlog ? opts->backlog : BACKLOG))
        return fail_listen(err, opts->address);
    return TR_OK;
}

/* A file without listener is left over from a process that was killed. */
static bool is_stale(const struct sockaddr_un *name)
{
    struct stat file;
    if (lstat(name->sun_path, &file) || !S_ISSOCK(file.st_mode))
        return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool refused = connect(fd, (const struct sockaddr *)name, sizeof(*name)) &&
                   errno == ECONNREFUSED;
    (void)close(fd);
    return refused;
}

static int bind_unix(int fd, const struct sockaddr_un *name)
{
    const struct sockaddr *any = (const struct sockaddr *)name;
    /* Linux gives the file the mode of the unbound socket. */
    if (fchmod(fd, S_IRUSR | S_IWUSR))
        return -1;
    if (bind(fd, any, sizeof(*name)) == 0)
        return 0;
    if (errno != EADDRINUSE)
        return -1;
    if (!is_stale(name)) {
        errno = EADDRINUSE;
        return -1;
    }
    if (unlink(name->sun_path))
        return -1;
    return bind(fd, any, sizeof(*name));
}

static tr_status listen_unix(struct tr_net_listener *listener,
                             const struct tr_net_listen_opts *opts,
                             struct tr_err *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (opts->path.len >= sizeof(name.sun_path))
        return tr_fail(err, TR_E_INVALID,
                       "the path of a socket has at most %zu bytes",
                       sizeof(name.sun_path) - 1);
    memcpy(name.sun_path, opts->path.ptr, opts->path.len);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    listener->fd = fd;
    if (fd < 0 || bind_unix(fd, &name))
        return fail_listen(err, opts->path);
    listener->unix_name = name;
    if (stat(name.sun_path, &listener->unix_file) ||
        listen(fd, opts->backlog ? opts->backlog : BACKLOG))
        return fail_listen(err, opts->path);
    return TR_OK;
}

/* Removes only our own file: another process may have made a new one there. */
static void release(struct tr_net_listener *listener)
{
    struct stat file;
    const char *path = listener->unix_name.sun_path;
    if (path[0] && lstat(path, &file) == 0 &&
        file.st_ino == listener->unix_file.st_ino &&
        file.st_dev == listener->unix_file.st_dev)
        (void)unlink(path);
    if (listener->fd >= 0)
        (void)close(listener->fd);
    free(listener);
}

tr_status tr_net_listener_open(struct tr_loop *loop,
                               const struct tr_net_listen_opts *opts,
                               struct tr_net_listener **out, struct tr_err *err)
{
    struct tr_net_listener *listener = calloc(1, sizeof(*listener));
    if (!listener)
        return tr_fail(err, TR_E_NOMEM, "listening");
    listener->fd = -1;
    listener->on_accept = opts->on_accept;
    listener->owner = opts->owner;
    tr_status st = opts->path.len ? listen_unix(listener, opts, err)
                                  : listen_tcp(listener, opts, err);
    if (st == TR_OK) {
        int rc = uv_poll_init(tr_loop_uv(loop), &listener->poll, listener->fd);
        if (rc)
            st = tr_fail(err, TR_E_IO, "listening: %s", uv_strerror(rc));
    }
    if (st != TR_OK) {
        release(listener);
        return st;
    }
    listener->poll.data = listener;
    tr_loop_hold(loop); /* also while it pauses */
    tr_loop_timer_init(&listener->pause, loop, wait_for_peers, listener);
    wait_for_peers(listener);
    *out = listener;
    return TR_OK;
}

unsigned tr_net_listener_port(const struct tr_net_listener *listener)
{
    struct tr_net_address address = {.len = sizeof(address.storage)};
    if (getsockname(listener->fd, (struct sockaddr *)&address.storage,
                    &address.len))
        return 0;
    return tr_net_address_port(&address);
}

static void on_closed(uv_handle_t *handle)
{
    struct tr_net_listener *listener = handle->data;
    tr_loop_release(listener->pause.loop);
    release(listener);
}

void tr_net_listener_close(struct tr_net_listener *listener)
{
    if (!listener || listener->closing)
        return;
    listener->closing = true;
    tr_loop_timer_stop(&listener->pause);
    uv_close((uv_handle_t *)&listener->poll, on_closed);
}
