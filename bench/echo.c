/*
 * bench/echo.c - the floor: the least that answering HTTP can cost. One read
 * and one write per request, no library, and no more parsing than that needs;
 * it believes everything it is sent.
 */
#include "bench.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define EVENTS   256
#define FILES    65536
#define BODY_MAX (4 * 1048576)

/* What bodies are made of, and how much the system has not taken yet of an
 * answer to a file. All bytes are the same, so any of them will do. */
static char filler[BODY_MAX];
static size_t unsent[FILES];

/* Length of the whole request, 0 when it is not complete. */
static size_t request_len(const char *text, size_t len)
{
    const char *end = memmem(text, len, "\r\n\r\n", 4);
    if (!end)
        return 0;
    size_t head = (size_t)(end - text) + 4;
    const char *length = memmem(text, head, "Content-Length: ", 16);
    size_t body = length ? strtoul(length + 16, NULL, 10) : 0;
    return head + body <= len ? head + body : 0;
}

static void wait_for(int poll_fd, int fd, uint32_t what)
{
    struct epoll_event event = {.events = what, .data.fd = fd};
    (void)epoll_ctl(poll_fd, EPOLL_CTL_MOD, fd, &event);
}

static void answer(int poll_fd, int fd, const char *request)
{
    char head[256];
    const char *path = strchr(request, '/');
    size_t size = path ? strtoul(path + 1, NULL, 10) : 0;
    if (size > sizeof(filler))
        size = sizeof(filler);
    int len = snprintf(head, sizeof(head),
                       "HTTP/1.1 200 OK\r\n"
                       "Date: Tue, 28 Jul 2026 12:00:00 GMT\r\n"
                       "Content-Length: %zu\r\n"
                       "Content-Type: application/json\r\n\r\n",
                       size);
    struct iovec parts[2] = {{head, (size_t)len}, {filler, size}};
    ssize_t sent = writev(fd, parts, 2);
    if (sent < 0 || (size_t)sent >= (size_t)len + size)
        return;
    unsent[fd] = (size_t)len + size - (size_t)sent;
    wait_for(poll_fd, fd, EPOLLOUT);
}

static void answer_more(int poll_fd, int fd)
{
    ssize_t sent = write(fd, filler, unsent[fd]);
    if (sent > 0)
        unsent[fd] -= (size_t)sent;
    if (!unsent[fd])
        wait_for(poll_fd, fd, EPOLLIN);
}

/* Requests come whole, as the load driver sends them. */
static void serve_one(int poll_fd, int fd)
{
    static char text[65536];
    ssize_t count = read(fd, text, sizeof(text) - 1);
    if (count <= 0) {
        (void)close(fd);
        return;
    }
    text[count] = '\0';
    if (request_len(text, (size_t)count))
        answer(poll_fd, fd, text);
}

static void accept_one(int poll_fd, int listen_fd)
{
    int on = 1;
    int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (fd < 0 || fd >= FILES)
        return;
    unsent[fd] = 0;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event);
}

void tr_bench_echo(int listen_fd)
{
    struct epoll_event events[EVENTS];
    struct epoll_event accepts = {.events = EPOLLIN, .data.fd = listen_fd};
    int poll_fd = epoll_create1(EPOLL_CLOEXEC);
    memset(filler, 'x', sizeof(filler)); /* pages of its own, as others have */
    (void)epoll_ctl(poll_fd, EPOLL_CTL_ADD, listen_fd, &accepts);
    for (;;) {
        int count = epoll_wait(poll_fd, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == listen_fd)
                accept_one(poll_fd, listen_fd);
            else if (unsent[events[i].data.fd])
                answer_more(poll_fd, events[i].data.fd);
            else
                serve_one(poll_fd, events[i].data.fd);
        }
    }
}
