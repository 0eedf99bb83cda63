/*
 * bench/mcp.c - the program itself, serving bench/app, against the bare echo
 * server; how soon it answers, and what memory it takes.
 */
#include "bench.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "build/release/trails"
#define APP     "bench/app"
#define STARTS  30

#define CALL_BODY                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"      \
    "{\"name\":\"tool_07\",\"arguments\":{\"query\":\"gateway\"}"              \
    "," TR_BENCH_META "}}"
#define LISTEN_BODY                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\","       \
    "\"params\":{\"notifications\":{\"resourceSubscriptions\":"                \
    "[\"bench:listened\"]}," TR_BENCH_META "}}"

static size_t make_request(char *out, size_t size, const char *path,
                           const char *method, const char *body)
{
    return tr_bench_mcp_request(out, size, path, method, "tool_07", body);
}

static bool start_app(struct tr_bench_server *out)
{
    return tr_bench_app_start(APP, out);
}

static bool report(const char *name, const char *method, const char *body,
                   double at_most)
{
    char ours[2048];
    char theirs[2048];
    char path[32];
    struct tr_bench_served_row row = {
        .name = name, .start = start_app, .at_most = at_most};
    row.our_request =
        (tr_str){ours, make_request(ours, sizeof(ours), "/mcp", method, body)};
    size_t bytes = tr_bench_answer_bytes(start_app, row.our_request);
    if (bytes == 0)
        return false;
    (void)snprintf(path, sizeof(path), "/%zu", bytes);
    row.floor_request = (tr_str){
        theirs, make_request(theirs, sizeof(theirs), path, method, body)};
    return tr_bench_report_served(&row);
}

/* What a client that waits for changes costs while there are none. */
static bool report_idle(const char *name)
{
    struct tr_bench_server server = {0};
    char request[2048];
    size_t len = make_request(request, sizeof(request), "/mcp",
                              "subscriptions/listen", LISTEN_BODY);
    double bytes = -1;
    tr_bench_raise_files(); /* before the fork: both need many */
    if (start_app(&server))
        bytes = tr_bench_hold(&server, (tr_str){request, len}, 5000);
    tr_bench_server_stop(&server);
    return tr_bench_report_bytes(name, bytes, 10000);
}

static double now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* From starting the program to the first byte of its first answer. */
static double start_once(double *rss_mb)
{
    char program[] = PROGRAM;
    char serve[] = "serve";
    char stdio[] = "--stdio";
    char app[] = APP;
    char *argv[] = {program, serve, stdio, app, NULL};
    static const char request[] = TR_BENCH_LIST_BODY "\n";
    posix_spawn_file_actions_t actions;
    int in[2];
    int out[2];
    char byte;
    pid_t pid;
    if (pipe(in) != 0 || pipe(out) != 0)
        return -1;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    (void)posix_spawn_file_actions_addclose(&actions, in[1]);
    (void)posix_spawn_file_actions_addclose(&actions, out[0]);
    double start = now_ms();
    bool good = posix_spawn(&pid, PROGRAM, &actions, NULL, argv, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(in[0]);
    (void)close(out[1]);
    good = good && write(in[1], request, sizeof(request) - 1) > 0 &&
           read(out[0], &byte, 1) == 1;
    double took = now_ms() - start;
    if (good)
        *rss_mb = tr_bench_rss(pid) / 1e6;
    (void)close(in[1]);
    (void)close(out[0]);
    if (good)
        (void)waitpid(pid, NULL, 0);
    return good ? took : -1;
}

static bool report_start(void)
{
    double best = 1e18;
    double rss_mb = -1;
    for (int i = 0; i < STARTS; i++) {
        double took = start_once(&rss_mb);
        if (took < 0)
            return tr_bench_report_most("mcp: first reply on stdio", "ms", -1,
                                        8);
        best = took < best ? took : best;
    }
    bool met = tr_bench_report_most("mcp: first reply on stdio", "ms", best, 8);
    return tr_bench_report_most("mcp: idle memory (RssAnon)", "MB", rss_mb,
                                10) &&
           met;
}

bool tr_bench_mcp(const char *only)
{
    bool met = true;
    if (strstr("mcp: tools/list, 20 tools", only))
        met = report("mcp: tools/list, 20 tools", "tools/list",
                     TR_BENCH_LIST_BODY, 1.5);
    if (strstr("mcp: Lua tool, a constant", only))
        met = report("mcp: Lua tool, a constant", "tools/call", CALL_BODY, 2) &&
              met;
    if (strstr("mcp: 5,000 idle streams", only))
        met = report_idle("mcp: 5,000 idle streams") && met;
    if (strstr("mcp: first reply on stdio", only))
        met = report_start() && met;
    return met;
}
