#include "load/client.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS     512
#define READ_BYTES 65536
#define KEPT_BYTES ((size_t)256 << 20)

/* Longer than anything takes that goes well, on the slowest machine. */
#define STALL_MS 60000

bool load_init(struct load *load, unsigned port, uint64_t seed)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    *load = (struct load){.port = port, .random = seed};
    tr_arena_init(&load->arena, KEPT_BYTES);
    load->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    return load->poll_fd >= 0;
}

static void free_dead(struct load *load)
{
    while (load->dead) {
        struct load_conn *conn = load->dead;
        load->dead = conn->next;
        tr_buf_done(&conn->in);
        tr_buf_done(&conn->text);
        tr_buf_done(&conn->out);
        free(conn);
    }
}

void load_done(struct load *load)
{
    while (load->conns)
        load_close(load->conns, true);
    free_dead(load);
    tr_arena_done(&load->arena);
    (void)close(load->poll_fd);
}

void load_fail(struct load *load, const char *format, ...)
{
    va_list args;
    if (load->fault)
        return;
    va_start(args, format);
    (void)vsnprintf(load->fault_text, sizeof(load->fault_text), format, args);
    va_end(args);
    load->fault = load->fault_text;
}

/* splitmix64 */
uint64_t load_random(struct load *load, uint64_t bound)
{
    uint64_t z = load->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % bound;
}

static void watch(struct load_conn *conn, int how)
{
    struct epoll_event event = {.data.ptr = conn};
    if (!conn->is_paused)
        event.events |= EPOLLIN;
    if (conn->out.len)
        event.events |= EPOLLOUT;
    (void)epoll_ctl(conn->load->poll_fd, how, conn->fd, &event);
}

/* Waits for the connection: on the loopback that is a moment. */
static int connect_to(const struct load *load)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((in_port_t)load->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    int size = (int)load->recv_bytes;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (size)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
        (void)close(fd);
        return -1;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

void load_talk(struct load_conn *conn, tr_str session)
{
    if (session.len)
        (void)snprintf(conn->talk, sizeof(conn->talk), "%.*s", TR_FMT(session));
    else if (!conn->talk[0])
        (void)snprintf(conn->talk, sizeof(conn->talk), "alone-%llu",
                       (unsigned long long)++conn->load->talks);
}

struct load_conn *load_open(struct load *load, const struct load_ops *ops,
                            void *owner)
{
    struct load_conn *conn = calloc(1, sizeof(*conn));
    int fd = conn ? connect_to(load) : -1;
    if (fd < 0) {
        load_fail(load, "cannot connect: %s", strerror(errno));
        free(conn);
        return NULL;
    }
    conn->load = load;
    conn->ops = ops;
    conn->owner = owner;
    conn->fd = fd;
    tr_buf_init(&conn->in, KEPT_BYTES);
    tr_buf_init(&conn->text, KEPT_BYTES);
    tr_buf_init(&conn->out, KEPT_BYTES);
    conn->next = load->conns;
    conn->link = &load->conns;
    if (conn->next)
        conn->next->link = &conn->next;
    load->conns = conn;
    load->count++;
    watch(conn, EPOLL_CTL_ADD);
    return conn;
}

static void retire(struct load_conn *conn)
{
    struct load *load = conn->load;
    conn->is_dead = true;
    (void)close(conn->fd);
    *conn->link = conn->next;
    if (conn->next)
        conn->next->link = conn->link;
    conn->next = load->dead;
    load->dead = conn;
    load->count--;
}

void load_close(struct load_conn *conn, bool reset)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (conn->is_dead)
        return;
    if (reset)
        (void)setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once,
                         sizeof(at_once));
    retire(conn);
}

static void lose(struct load_conn *conn)
{
    if (conn->is_dead)
        return;
    if (conn->ops->on_closed)
        conn->ops->on_closed(conn);
    if (!conn->is_dead)
        retire(conn);
}

/* What the system does not take waits; a peer that has gone is seen later. */
static void flush(struct load_conn *conn)
{
    while (conn->out.len) {
        ssize_t sent = send(conn->fd, conn->out.ptr, conn->out.len,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent < 0) {
            tr_buf_clear(&conn->out);
            return;
        }
        conn->out.len -= (size_t)sent;
        memmove(conn->out.ptr, conn->out.ptr + sent, conn->out.len);
    }
    tr_buf_done(&conn->out);
}

void load_send(struct load_conn *conn, tr_str bytes)
{
    bool was_empty = conn->out.len == 0;
    tr_buf_put(&conn->out, bytes);
    flush(conn);
    if ((conn->out.len == 0) != was_empty)
        watch(conn, EPOLL_CTL_MOD);
}

void load_expect(struct load_conn *conn)
{
    conn->is_pending = true;
}

void load_pause(struct load_conn *conn, bool paused)
{
    conn->is_paused = paused;
    watch(conn, EPOLL_CTL_MOD);
}

void load_finish(struct load_conn *conn)
{
    (void)shutdown(conn->fd, SHUT_WR);
}

static void receive(struct load_conn *conn)
{
    char *room = tr_buf_room(&conn->in, READ_BYTES);
    ssize_t got = room ? recv(conn->fd, room, READ_BYTES, MSG_DONTWAIT) : -1;
    if (got < 0 && room && errno == EAGAIN)
        return;
    if (got <= 0) {
        lose(conn);
        return;
    }
    conn->in.len += (size_t)got;
    if (conn->ops->on_bytes)
        conn->ops->on_bytes(conn);
    bool good = load_read_response(conn);
    if (!good && !conn->is_dead)
        retire(conn);
    if (!conn->is_dead && conn->in.len == 0)
        tr_buf_done(&conn->in);
}

int load_turn(struct load *load, int wait_ms)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(load->poll_fd, events, EVENTS, wait_ms);
    for (int i = 0; i < count; i++) {
        struct load_conn *conn = events[i].data.ptr;
        if (!conn->is_dead && (events[i].events & EPOLLOUT)) {
            flush(conn);
            watch(conn, EPOLL_CTL_MOD);
        }
        if (!conn->is_dead && (events[i].events & ~(unsigned)EPOLLOUT))
            receive(conn);
    }
    free_dead(load);
    return count;
}

bool load_run(struct load *load, load_done_fn *done, void *data)
{
    while (!load->fault && !done(data)) {
        int count = load_turn(load, STALL_MS);
        if (count == 0)
            load_fail(load, "nothing has happened for %d s", STALL_MS / 1000);
        else if (count < 0 && errno != EINTR)
            load_fail(load, "cannot wait: %s", strerror(errno));
    }
    return load->fault == NULL;
}
