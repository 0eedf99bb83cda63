/*
 * bench/kg.c - the graph over MCP against an echo of as many bytes: stores of
 * 10,000 and of a million tasks, quiet and while 200 commits a second land.
 * Provenance is on.
 */
#include "bench.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM  "build/release/trails"
#define APP      "bench/kg_app"
#define HITS     25
#define PAUSE_US 5000

#define META                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define READ(uri)                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":"  \
    "{\"uri\":\"" uri "\"," META "}}"
#define CALL(name, arguments)                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"      \
    "{\"name\":\"" name "\",\"arguments\":" arguments "," META "}}"

static const struct row {
    const char *name;
    const char *method;
    const char *mcp_name;
    const char *body;
    double at_most;
    double busy_at_most; /* 0: only quiet */
} rows[] = {
    {"kg instance read", "resources/read", "trails://kg/Task/5000",
     READ("trails://kg/Task/5000"), 3, 4},
    {"kg page of 100", "resources/read", "trails://kg/Task",
     READ("trails://kg/Task"), 8, 0},
    {"kg where, 25 hits", "resources/read", "trails://kg/Task?where=batch=7",
     READ("trails://kg/Task?where=batch=7"), 8, 0},
    {"kg Lua reads one node", "tools/call", "read_task",
     CALL("read_task", "{\"key\":\"5000\"}"), 3.5, 0},
};

static size_t make_request(char *out, size_t size, const char *path,
                           const struct row *row)
{
    return (size_t)snprintf(
        out, size,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
        "Accept: application/json, text/event-stream\r\n"
        "Content-Type: application/json\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n"
        "Mcp-Name: %s\r\nContent-Length: %zu\r\n\r\n%s",
        path, row->method, row->mcp_name, strlen(row->body), row->body);
}

static bool start_quiet(struct tr_bench_server *out)
{
    static const char *const argv[] = {PROGRAM,  "serve",       APP,
                                       "--http", "127.0.0.1:0", NULL};
    return tr_bench_program_start(argv, out);
}

/* Commits until the server, or whoever measures, is gone. */
static void write_on(const struct tr_bench_server *server)
{
    static const struct row note = {.method = "tools/call",
                                    .mcp_name = "write_note",
                                    .body = CALL("write_note", "{}")};
    char request[1024];
    char answer[4096];
    size_t len = make_request(request, sizeof(request), "/mcp", &note);
    while (kill(server->pid, 0) == 0 &&
           tr_bench_ask(server, (tr_str){request, len}, answer, sizeof(answer)))
        (void)usleep(PAUSE_US);
}

static pid_t writer_pid;

static bool start_busy(struct tr_bench_server *out)
{
    if (!start_quiet(out))
        return false;
    writer_pid = fork();
    if (writer_pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        write_on(out);
        _exit(0);
    }
    return writer_pid > 0;
}

static size_t answer_bytes(tr_str request)
{
    struct tr_bench_server server = {0};
    char answer[65536];
    size_t bytes = 0;
    if (!start_quiet(&server))
        return 0;
    if (tr_bench_ask(&server, request, answer, sizeof(answer))) {
        const char *length = strstr(answer, "Content-Length: ");
        bytes = length && !strstr(answer, "\"error\"")
                    ? strtoul(length + 16, NULL, 10)
                    : 0;
    }
    tr_bench_server_stop(&server);
    return bytes;
}

/* `label` tells the store. */
static bool report(const struct row *row, const char *label, bool is_busy)
{
    char ours[2048];
    char theirs[2048];
    char path[32];
    char name[96];
    (void)snprintf(name, sizeof(name), "%s%s%s", row->name, label,
                   is_busy ? ", busy" : "");
    struct tr_bench_served_row served = {
        .name = name,
        .start = is_busy ? start_busy : start_quiet,
        .at_most = is_busy ? row->busy_at_most : row->at_most,
    };
    served.our_request =
        (tr_str){ours, make_request(ours, sizeof(ours), "/mcp", row)};
    size_t bytes = answer_bytes(served.our_request);
    if (bytes == 0) {
        (void)fprintf(stderr, "bench: no answer for %s\n", row->name);
        return false;
    }
    (void)snprintf(path, sizeof(path), "/%zu", bytes);
    served.floor_request =
        (tr_str){theirs, make_request(theirs, sizeof(theirs), path, row)};
    bool good = tr_bench_report_served(&served);
    if (is_busy) {
        (void)kill(writer_pid, SIGKILL);
        (void)waitpid(writer_pid, NULL, 0);
    }
    return good;
}

static void write_tasks(FILE *out, size_t count)
{
    (void)fputs("@prefix t: <trails://bench/Task#> .\n", out);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out,
                      "<trails://bench/Task/%zu> a <trails://bench/Task> ;"
                      "t:title \"Task number %zu\";t:status \"%s\";"
                      "t:batch %zu;t:share %zu.5E0 .\n",
                      i, i, i % 3 ? "open" : "done", i % (count / HITS),
                      i % 10);
}

/* Kept in build/ for the next time. */
static bool open_store(size_t count)
{
    char folder[64];
    char path[96];
    char command[256];
    struct stat ignored;
    (void)snprintf(folder, sizeof(folder), "build/bench-kg-%zu", count);
    (void)snprintf(path, sizeof(path), "%s.ttl", folder);
    (void)snprintf(command, sizeof(command), "%s import --app %s %s >/dev/null",
                   PROGRAM, APP, path);
    char *whole = realpath("build", NULL);
    char store[4096];
    (void)snprintf(store, sizeof(store), "%s/bench-kg-%zu", whole, count);
    free(whole);
    (void)setenv("TRAILS_STORE", store, 1);
    if (stat(folder, &ignored) == 0)
        return true;
    FILE *out = fopen(path, "we");
    if (!out)
        return false;
    write_tasks(out, count);
    bool good = fclose(out) == 0 && system(command) == 0; /* NOLINT */
    (void)unlink(path);
    return good;
}

bool tr_bench_kg(const char *only)
{
    static const struct {
        size_t count;
        const char *label;
    } stores[] = {{10000, ", 10k"}, {1000000, ", 1M"}};
    bool good = true;
    for (size_t i = 0; i < TR_LEN(stores); i++) {
        for (size_t k = 0; k < TR_LEN(rows); k++) {
            if (only && !strstr(rows[k].name, only))
                continue;
            if (!open_store(stores[i].count))
                return false;
            good = report(&rows[k], stores[i].label, false) && good;
            if (rows[k].busy_at_most > 0)
                good = report(&rows[k], stores[i].label, true) && good;
        }
    }
    (void)unsetenv("TRAILS_STORE");
    return good;
}
