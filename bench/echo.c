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
#define BODY_MAX 1048576

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

static void answer(int fd, const char *request)
{
    static char body[BODY_MAX];
    char head[256];
    const char *path = strchr(request, '/');
    size_t size = path ? strtoul(path + 1, NULL, 10) : 0;
    if (size > sizeof(body))
        size = sizeof(body);
    int len = snprintf(head, sizeof(head),
                       "HTTP/1.1 200 OK\r\n"
                       "Date: Tue, 28 Jul 2026 12:00:00 GMT\r\n"
                       "Content-Length: %zu\r\n"
                       "Content-Type: application/json\r\n\r\n",
                       size);
    struct iovec parts[2] = {{head, (size_t)len}, {body, size}};
    ssize_t ignored = writev(fd, parts, 2);
    (void)ignored;
}

/* Requests come whole, as the load driver sends them. */
static void serve_one(int fd)
{
    static char text[65536];
    ssize_t count = read(fd, text, sizeof(text) - 1);
    if (count <= 0) {
        (void)close(fd);
        return;
    }
    text[count] = '\0';
    if (request_len(text, (size_t)count))
        answer(fd, text);
}

static void accept_one(int poll_fd, int listen_fd)
{
    int on = 1;
    int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (fd < 0)
        return;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event);
}

void tr_bench_echo(int listen_fd)
{
    struct epoll_event events[EVENTS];
    struct epoll_event accepts = {.events = EPOLLIN, .data.fd = listen_fd};
    int poll_fd = epoll_create1(EPOLL_CLOEXEC);
    (void)epoll_ctl(poll_fd, EPOLL_CTL_ADD, listen_fd, &accepts);
    for (;;) {
        int count = epoll_wait(poll_fd, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == listen_fd)
                accept_one(poll_fd, listen_fd);
            else
                serve_one(events[i].data.fd);
        }
    }
}
