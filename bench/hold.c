/*
 * bench/hold.c - what an open connection costs a server that has nothing to do.
 */
#include "bench.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Bytes of memory of its own that the server's process has in use. */
double tr_bench_rss(pid_t pid)
{
    char path[64];
    char line[256];
    double kib = -1;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    while (kib < 0 && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "RssAnon:", 8) == 0)
            kib = strtod(line + 8, NULL);
    }
    (void)fclose(file);
    return kib * 1024;
}

void tr_bench_raise_files(void)
{
    struct rlimit files;
    (void)getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
}

static int open_one(const struct tr_bench_server *server, tr_str request)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((in_port_t)server->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char byte;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
        send(fd, request.ptr, request.len, MSG_NOSIGNAL) > 0 &&
        recv(fd, &byte, 1, 0) == 1)
        return fd;
    (void)close(fd);
    return -1;
}

double tr_bench_hold(const struct tr_bench_server *server, tr_str request,
                     size_t count)
{
    int *fds = calloc(count + 1, sizeof(*fds));
    size_t open = 0;
    double each = -1;
    if (!fds)
        return -1;
    fds[count] = open_one(server, request); /* pays for what all share */
    double before = tr_bench_rss(server->pid);
    while (fds[count] >= 0 && open < count &&
           (fds[open] = open_one(server, request)) >= 0)
        open++;
    if (open == count)
        each = (tr_bench_rss(server->pid) - before) / (double)count;
    else
        (void)fprintf(stderr, "bench: only %zu connections\n", open);
    for (size_t i = 0; i < open; i++)
        (void)close(fds[i]);
    if (fds[count] >= 0)
        (void)close(fds[count]);
    free(fds);
    return each;
}
