#include "support/peer.h"

#include "base/test.h"
#include "loop/loop.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIMIT_MS 20000

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void tr_peer_until(struct tr_loop *loop, bool (*done)(void *data), void *data)
{
    int64_t end_ms = now_ms() + LIMIT_MS;
    while (!done(data)) {
        (void)tr_loop_turn(loop);
        CHECK(now_ms() < end_ms);
    }
}

void tr_peer_settle(struct tr_loop *loop)
{
    for (int i = 0; i < 20; i++)
        (void)tr_loop_turn(loop);
}

int tr_peer_connect(unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((in_port_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0);
    CHECK(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
    return fd;
}

/* Turns the loop, and waits a moment for the socket. */
static void wait_for(struct tr_loop *loop, int fd, short events, int64_t end_ms)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};
    (void)tr_loop_turn(loop);
    (void)poll(&poll_fd, 1, 1);
    CHECK(now_ms() < end_ms);
}

void tr_peer_send(struct tr_loop *loop, int fd, tr_str text)
{
    int64_t end_ms = now_ms() + LIMIT_MS;
    while (text.len) {
        ssize_t sent =
            send(fd, text.ptr, text.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        CHECK(sent > 0 || errno == EAGAIN);
        if (sent > 0)
            text = tr_str_skip(text, (size_t)sent);
        else
            wait_for(loop, fd, POLLOUT, end_ms);
    }
}

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t end_len = strlen(end);
    return end_len && len >= end_len &&
           memcmp(text + len - end_len, end, end_len) == 0;
}

size_t tr_peer_read(struct tr_loop *loop, int fd, const char *end, char *out,
                    size_t size)
{
    int64_t end_ms = now_ms() + LIMIT_MS;
    size_t len = 0;
    while (!ends_with(out, len, end)) {
        CHECK(len + 1 < size);
        /* No further than the end: the next answer stays where it is. */
        size_t most = end[0] ? 1 : size - len - 1;
        ssize_t count = recv(fd, out + len, most, MSG_DONTWAIT);
        if (count > 0)
            len += (size_t)count;
        else if (count == 0 || errno != EAGAIN)
            break;
        else
            wait_for(loop, fd, POLLIN, end_ms);
    }
    out[len] = '\0';
    return len;
}

bool tr_peer_has_ended(struct tr_loop *loop, int fd)
{
    char dropped[4096];
    tr_peer_settle(loop);
    for (;;) {
        ssize_t count = recv(fd, dropped, sizeof(dropped), MSG_DONTWAIT);
        if (count <= 0)
            return count == 0 || errno != EAGAIN;
        tr_peer_settle(loop);
    }
}
