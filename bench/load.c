/*
 * bench/load.c - starts a server in a child process, loads it with requests,
 * and reads its CPU clock.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONNECTIONS 64
#define WARM_UP     6 /* before so many requests there is one */
#define ANSWER_MAX  65536
#define STALL_MS    10000

struct client {
    int fd;
    size_t got;   /* bytes of this response */
    size_t total; /* 0 until its head is there */
};

struct load {
    const struct tr_bench_server *server;
    tr_str request;
    int poll_fd;
    struct client clients[CONNECTIONS];
    size_t left;    /* responses to come */
    size_t unasked; /* requests still to be sent */
};

static int listen_anywhere(unsigned *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) || listen(fd, 1024) ||
        getsockname(fd, (struct sockaddr *)&at, &len))
        return -1;
    *port = ntohs(at.sin_port);
    return fd;
}

bool tr_bench_server_start(tr_bench_serve_fn *serve,
                           struct tr_bench_server *out)
{
    int fd = listen_anywhere(&out->port);
    if (fd < 0) {
        (void)fprintf(stderr, "bench: cannot listen\n");
        return false;
    }
    out->pid = fork();
    if (out->pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* What earlier rows have freed is ours too, and would be used first:
         * what the server takes would not be seen to grow. */
        (void)malloc_trim(0);
        serve(fd);
        _exit(1);
    }
    (void)close(fd);
    return out->pid > 0;
}

/* In the child. Its log is written, as it would be, but not to who reads us. */
static _Noreturn void become(const char *const argv[], int said)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)dup2(said >= 0 ? said : nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    (void)execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(1);
}

bool tr_bench_program_start(const char *const argv[],
                            struct tr_bench_server *out)
{
    static const char prefix[] = "listening on http://127.0.0.1:";
    int said[2];
    char line[128] = "";
    if (pipe2(said, O_CLOEXEC) != 0)
        return false;
    out->pid = fork();
    if (out->pid == 0)
        become(argv, said[1]);
    (void)close(said[1]);
    ssize_t got = read(said[0], line, sizeof(line) - 1);
    (void)close(said[0]);
    if (got <= 0 || strncmp(line, prefix, sizeof(prefix) - 1) != 0) {
        (void)fprintf(stderr, "bench: %s does not listen\n", argv[0]);
        return false;
    }
    out->port = (unsigned)strtoul(line + sizeof(prefix) - 1, NULL, 10);
    return true;
}

bool tr_bench_silent_start(const char *const argv[],
                           struct tr_bench_server *out)
{
    out->pid = fork();
    if (out->pid == 0)
        become(argv, -1);
    return out->pid > 0;
}

unsigned tr_bench_free_port(void)
{
    unsigned port = 0;
    int fd = listen_anywhere(&port);
    if (fd >= 0)
        (void)close(fd);
    return port;
}

void tr_bench_server_stop(struct tr_bench_server *server)
{
    if (server->pid <= 0)
        return;
    (void)kill(server->pid, SIGKILL);
    (void)waitpid(server->pid, NULL, 0);
    server->pid = 0;
}

double tr_bench_cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
        return -1;
    return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}

/* A server that starts another program takes a moment to listen. */
int tr_bench_connect(const struct tr_bench_server *server)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((in_port_t)server->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < 1000; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
            return fd;
        (void)close(fd);
        (void)usleep(5000);
    }
    return -1;
}

bool tr_bench_ask(const struct tr_bench_server *server, tr_str request,
                  char *answer, size_t size)
{
    int fd = tr_bench_connect(server);
    ssize_t got = -1;
    if (fd >= 0 && send(fd, request.ptr, request.len, MSG_NOSIGNAL) > 0)
        got = recv(fd, answer, size - 1, 0);
    if (fd >= 0)
        (void)close(fd);
    answer[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static bool connect_one(struct load *load, struct client *client)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    int on = 1;
    client->fd = tr_bench_connect(load->server);
    if (client->fd < 0)
        return false;
    (void)setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return epoll_ctl(load->poll_fd, EPOLL_CTL_ADD, client->fd, &event) == 0;
}

static bool ask(struct load *load, struct client *client)
{
    client->got = client->total = 0;
    if (load->unasked == 0)
        return true;
    load->unasked--;
    return send(client->fd, load->request.ptr, load->request.len,
                MSG_NOSIGNAL) == (ssize_t)load->request.len;
}

/* The first piece of a response has its whole head. */
static bool measure_response(struct client *client, const char *text,
                             size_t len)
{
    const char *end = memmem(text, len, "\r\n\r\n", 4);
    const char *length = memmem(text, len, "Content-Length: ", 16);
    if (!end || !length || memcmp(text, "HTTP/1.1 2", 10) != 0)
        return false;
    client->total = (size_t)(end - text) + 4 + strtoul(length + 16, NULL, 10);
    return true;
}

static bool take_answer(struct load *load, struct client *client)
{
    char text[ANSWER_MAX];
    ssize_t count = recv(client->fd, text, sizeof(text) - 1, MSG_DONTWAIT);
    if (count <= 0)
        return count < 0 && errno == EAGAIN;
    text[count] = '\0';
    if (client->got == 0 && !measure_response(client, text, (size_t)count))
        return false;
    client->got += (size_t)count;
    if (client->got < client->total)
        return true;
    load->left--;
    return client->got == client->total && ask(load, client);
}

static bool run(struct load *load, size_t count)
{
    struct epoll_event events[CONNECTIONS];
    load->left = load->unasked = count;
    for (size_t i = 0; i < CONNECTIONS; i++) {
        if (!ask(load, &load->clients[i]))
            return false;
    }
    while (load->left) {
        int ready = epoll_wait(load->poll_fd, events, CONNECTIONS, STALL_MS);
        if (ready <= 0)
            return false;
        for (int i = 0; i < ready; i++) {
            if (!take_answer(load, events[i].data.ptr))
                return false;
        }
    }
    return true;
}

double tr_bench_load(const struct tr_bench_server *server, tr_str request,
                     size_t count)
{
    struct load load = {.server = server, .request = request};
    double used_ns = -1;
    bool good = true;
    for (size_t i = 0; i < CONNECTIONS; i++)
        load.clients[i].fd = -1;
    load.poll_fd = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < CONNECTIONS && good; i++)
        good = connect_one(&load, &load.clients[i]);
    if (good && run(&load, CONNECTIONS + count / WARM_UP)) {
        double before_ns = tr_bench_cpu_ns(server->pid);
        if (run(&load, count))
            used_ns =
                (tr_bench_cpu_ns(server->pid) - before_ns) / (double)count;
    }
    for (size_t i = 0; i < CONNECTIONS; i++) {
        if (load.clients[i].fd >= 0)
            (void)close(load.clients[i].fd);
    }
    (void)close(load.poll_fd);
    if (used_ns < 0)
        (void)fprintf(stderr, "bench: the server did not answer\n");
    return used_ns;
}
