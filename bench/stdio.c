/*
 * bench/stdio.c - round trips over standard input and output, with sixteen
 * requests in flight: how many a second, and what one costs the server.
 */
#include "bench.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM   "build/release/trails"
#define APP       "bench/app"
#define IN_FLIGHT 16
#define ROUNDS    5
#define WARM_UP   5000
#define TRIPS     50000

/* Either is enough: the first says something on a quiet machine only. */
#define AT_LEAST   100000
#define AT_MOST_US 8

#define META                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

struct child {
    pid_t pid;
    int in; /* what we write to */
    int out;
};

static bool start(struct child *child)
{
    char program[] = PROGRAM;
    char serve[] = "serve";
    char stdio[] = "--stdio";
    char app[] = APP;
    char *argv[] = {program, serve, stdio, app, NULL};
    posix_spawn_file_actions_t actions;
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0)
        return false;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    (void)posix_spawn_file_actions_addclose(&actions, in[1]);
    (void)posix_spawn_file_actions_addclose(&actions, out[0]);
    bool good =
        posix_spawn(&child->pid, PROGRAM, &actions, NULL, argv, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(in[0]);
    (void)close(out[1]);
    child->in = in[1];
    child->out = out[0];
    return good;
}

static void stop(struct child *child)
{
    (void)close(child->in);
    (void)close(child->out);
    (void)waitpid(child->pid, NULL, 0);
}

/* Writes so many copies of the request in one piece. */
static bool ask(const struct child *child, tr_str request, size_t copies)
{
    char text[IN_FLIGHT * 512];
    size_t len = 0;
    for (size_t i = 0; i < copies && len + request.len <= sizeof(text); i++) {
        memcpy(text + len, request.ptr, request.len);
        len += request.len;
    }
    return write(child->in, text, len) == (ssize_t)len;
}

/* Each answer lets one more request go out. */
static bool run(const struct child *child, tr_str request, size_t count)
{
    char text[65536];
    size_t asked = IN_FLIGHT;
    size_t answered = 0;
    if (!ask(child, request, IN_FLIGHT))
        return false;
    while (answered < count) {
        ssize_t got = read(child->out, text, sizeof(text));
        size_t lines = 0;
        if (got <= 0 || memmem(text, (size_t)got, "\"error\"", 7))
            return false;
        for (ssize_t i = 0; i < got; i++)
            lines += text[i] == '\n';
        answered += lines;
        size_t more = count - asked < lines ? count - asked : lines;
        if (more && !ask(child, request, more))
            return false;
        asked += more;
    }
    return true;
}

static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static bool measure(tr_str request, double *a_second, double *cpu_us)
{
    struct child child = {0};
    *a_second = 0;
    *cpu_us = 1e18;
    if (!start(&child))
        return false;
    bool good = run(&child, request, WARM_UP);
    for (int i = 0; i < ROUNDS && good; i++) {
        double start_ns = now_ns();
        double cpu_ns = tr_bench_cpu_ns(child.pid);
        good = run(&child, request, TRIPS);
        double rate = TRIPS / (now_ns() - start_ns) * 1e9;
        double us = (tr_bench_cpu_ns(child.pid) - cpu_ns) / TRIPS / 1e3;
        *a_second = rate > *a_second ? rate : *a_second;
        *cpu_us = us < *cpu_us ? us : *cpu_us;
    }
    stop(&child);
    return good;
}

static bool report(const char *name, const char *body)
{
    double a_second;
    double cpu_us;
    if (!measure(tr_str_from(body), &a_second, &cpu_us)) {
        (void)fprintf(stderr, "bench: %s does not answer\n", PROGRAM);
        return false;
    }
    return tr_bench_report_either(name, a_second, AT_LEAST, cpu_us, AT_MOST_US);
}

bool tr_bench_stdio(const char *only)
{
    static const char ping[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
        "{\"name\":\"tool_07\",\"arguments\":{\"query\":\"gateway\"}," META
        "}}\n";
    bool met = true;
    (void)signal(SIGPIPE, SIG_IGN);
    if (strstr("stdio: ping, 16 in flight", only))
        met = report("stdio: ping, 16 in flight", ping);
    if (strstr("stdio: Lua tool, 16 in flight", only))
        met = report("stdio: Lua tool, 16 in flight", call) && met;
    return met;
}
