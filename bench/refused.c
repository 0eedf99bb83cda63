/*
 * bench/refused.c - what a POST without a token costs, whatever it announces.
 */
#include "bench.h"

#define ROUNDS 7
#define ASKED  2000
#define HELD   2000

#define POST(size)                                                             \
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"           \
    "Content-Type: application/json\r\nContent-Length: " size "\r\n\r\n"

static bool start(struct tr_bench_server *out)
{
    static const char *const argv[] = {
        "build/release/trails", "serve", "bench/app", "--http",
        "127.0.0.1:0",          NULL};
    (void)setenv("TRAILS_MCP_TOKEN", "nobody-here-has-this-token", 1);
    bool started = tr_bench_program_start(argv, out);
    (void)unsetenv("TRAILS_MCP_TOKEN");
    return started;
}

/* Nanoseconds of CPU for one refusal, each on a connection of its own. */
static double refuse_all(const struct tr_bench_server *server, tr_str request)
{
    char answer[4096];
    double before_ns = tr_bench_cpu_ns(server->pid);
    for (size_t i = 0; i < ASKED; i++) {
        if (!tr_bench_ask(server, request, answer, sizeof(answer)) ||
            strncmp(answer, "HTTP/1.1 401 ", 13) != 0)
            return -1;
    }
    return (tr_bench_cpu_ns(server->pid) - before_ns) / ASKED;
}

/* Best of some rounds each, in turns. */
static double measure(const struct tr_bench_server *server)
{
    const tr_str requests[2] = {TR_STR(POST("4194304")), TR_STR(POST("0"))};
    double best_ns[2] = {1e18, 1e18};
    for (int i = 0; i < 2 * ROUNDS; i++) {
        double ns = refuse_all(server, requests[i % 2]);
        if (ns < 0)
            return -1;
        best_ns[i % 2] = ns < best_ns[i % 2] ? ns : best_ns[i % 2];
    }
    return best_ns[0] / best_ns[1];
}

bool tr_bench_refused(const char *only)
{
    static const char cost[] = "http: refuse 4 MB";
    static const char memory[] = "http: memory of refused 4 MB";
    struct tr_bench_server server = {0};
    bool met = true;
    if (!strstr(cost, only) && !strstr(memory, only))
        return true;
    tr_bench_raise_files();
    if (!start(&server))
        return false;
    if (strstr(cost, only))
        met = tr_bench_report_most(cost, "x of no body", measure(&server), 1.2);
    if (strstr(memory, only))
        met = tr_bench_report_bytes(
                  memory,
                  tr_bench_hold(&server, TR_STR(POST("4194304") "[1, 2, 3,"),
                                HELD),
                  1500) &&
              met;
    tr_bench_server_stop(&server);
    return met;
}
