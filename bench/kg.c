/*
 * bench/kg.c - the graph over MCP against an echo of as many bytes: stores of
 * 10,000 and of a million tasks, quiet and while 200 commits a second land.
 * Provenance is on.
 */
#include "bench.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define APP       "bench/kg_app"
#define HITS      25
#define WORD_HITS 100  /* of the rarest word of a search */
#define RANK      7919 /* shares no factor with the counts: all ranks differ */

#define GROUPS "kg groups of an index, 1M"

/* Those who keep it busy: one alone would wait for the disk too long. */
#define WRITERS 4
#define COMMITS 200 /* a second, of all together */
#define ENOUGH  190

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
    double growth;       /* 1M against 10k, at most */
} rows[] = {
    {"kg instance read", "resources/read", "trails://kg/Task/5000",
     READ("trails://kg/Task/5000"), 3, 4, 1.5},
    {"kg page of 100", "resources/read", "trails://kg/Task",
     READ("trails://kg/Task"), 8, 0, 1.5},
    {"kg where, 25 hits", "resources/read", "trails://kg/Task?where=batch=7",
     READ("trails://kg/Task?where=batch=7"), 8, 0, 1.5},
    {"kg Lua reads one node", "tools/call", "read_task",
     CALL("read_task", "{\"key\":\"5000\"}"), 3.5, 0, 1.5},
    {"kg search, rare word first", "tools/call", "search_tasks",
     CALL("search_tasks", "{\"text\":\"w000007 task number\"}"), 120, 0, 1.5},
    {"kg search, rare word last", "tools/call", "search_tasks",
     CALL("search_tasks", "{\"text\":\"number task w000007\"}"), 120, 0, 1.5},
    {"kg range in order, first 25", "tools/call", "find_task",
     CALL("find_task", "{\"filter\":{\"rank\":{\"min\":10}},"
                       "\"order\":\"rank\",\"fields\":[\"title\"]}"),
     6, 0, 1.3},
    {"kg range in order, 25 whole", "tools/call", "find_task",
     CALL("find_task", "{\"filter\":{\"rank\":{\"min\":10}},"
                       "\"order\":\"rank\",\"limit\":25}"),
     6, 0, 1.3},
    {"kg range from the end down", "tools/call", "find_task",
     CALL("find_task", "{\"filter\":{\"rank\":{\"min\":10}},"
                       "\"order\":\"-rank\",\"fields\":[\"title\"]}"),
     6, 0, 1.3},
    {"kg page in order, in Lua", "tools/call", "ranked_tasks",
     CALL("ranked_tasks", "{}"), 6, 0, 1.3},
    {"kg page in order, deep", "tools/call", "ranked_tasks",
     CALL("ranked_tasks", "{\"deep\":true}"), 6, 0, 1.3},
};

static size_t make_request(char *out, size_t size, const char *path,
                           const struct row *row)
{
    return tr_bench_mcp_request(out, size, path, row->method, row->mcp_name,
                                row->body);
}

static bool start_quiet(struct tr_bench_server *out)
{
    return tr_bench_app_start(APP, out);
}

/* Who writes while others are measured. */
static struct {
    pid_t pids[WRITERS];
    _Atomic uint64_t *commits; /* in memory that all share */
    double began_ns;
} busy;

static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Until the server, or whoever measures, is gone. What comes late is made up
 * for. */
static void write_on(const struct tr_bench_server *server)
{
    static const struct row note = {.method = "tools/call",
                                    .mcp_name = "write_note",
                                    .body = CALL("write_note", "{}")};
    char request[1024];
    char answer[4096];
    size_t len = make_request(request, sizeof(request), "/mcp", &note);
    int fd = tr_bench_connect(server);
    double due_ns = now_ns();
    while (send(fd, request, len, MSG_NOSIGNAL) == (ssize_t)len) {
        ssize_t got = recv(fd, answer, sizeof(answer) - 1, 0);
        if (got <= 0)
            return;
        answer[got] = '\0';
        if (strstr(answer, "\"result\""))
            (void)atomic_fetch_add(busy.commits, 1);
        due_ns += 1e9 * WRITERS / COMMITS;
        double left_ns = due_ns - now_ns();
        if (left_ns > 0)
            (void)usleep((useconds_t)(left_ns / 1e3));
    }
}

static bool start_busy(struct tr_bench_server *out)
{
    busy.commits = mmap(NULL, sizeof(*busy.commits), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (busy.commits == MAP_FAILED || !start_quiet(out))
        return false;
    busy.began_ns = now_ns();
    for (size_t i = 0; i < WRITERS; i++) {
        busy.pids[i] = fork();
        if (busy.pids[i] == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            write_on(out);
            _exit(0);
        }
    }
    return true;
}

/* They have ended, for the server is gone. */
static bool end_busy(const char *label)
{
    char name[96];
    double seconds = (now_ns() - busy.began_ns) / 1e9;
    double a_second = (double)atomic_load(busy.commits) / seconds;
    for (size_t i = 0; i < WRITERS; i++)
        (void)waitpid(busy.pids[i], NULL, 0);
    (void)munmap(busy.commits, sizeof(*busy.commits));
    (void)snprintf(name, sizeof(name), "kg commits meanwhile%s", label);
    return tr_bench_report_rate(name, a_second, ENOUGH, "asked for", COMMITS);
}

/* `label` tells the store; *ours_ns is what one request took. */
static bool report(const struct row *row, const char *label, bool is_busy,
                   double *ours_ns)
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
        .ours_ns = ours_ns,
    };
    served.our_request =
        (tr_str){ours, make_request(ours, sizeof(ours), "/mcp", row)};
    size_t bytes = tr_bench_answer_bytes(start_quiet, served.our_request);
    if (bytes == 0)
        return false;
    (void)snprintf(path, sizeof(path), "/%zu", bytes);
    served.floor_request =
        (tr_str){theirs, make_request(theirs, sizeof(theirs), path, row)};
    bool good = tr_bench_report_served(&served);
    return is_busy ? end_busy(label) && good : good;
}

static void write_tasks(FILE *out, size_t count)
{
    (void)fputs("@prefix t: <trails://bench/Task#> .\n", out);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out,
                      "<trails://bench/Task/%zu> a <trails://bench/Task> ;"
                      "t:title \"Task number %zu w%06zu\";t:status \"%s\";"
                      "t:batch %zu;t:share %zu.5E0;t:rank %zu .\n",
                      i, i, i % (count / WORD_HITS), i % 3 ? "open" : "done",
                      i % (count / HITS), i % 10, i * RANK % count);
}

static bool open_store(size_t count)
{
    char name[32];
    char path[TR_BENCH_PATH];
    struct tr_bench_store store = {
        .name = name, .app = APP, .write = write_tasks, .count = count};
    (void)snprintf(name, sizeof(name), "ranked-%zu", count);
    return tr_bench_store_open(&store, path) &&
           setenv("TRAILS_STORE", path, 1) == 0;
}

/* Quiet, and where that is asked for while others write. */
static bool report_store(const struct row *row, size_t count, const char *label,
                         double *quiet_ns)
{
    double busy_ns;
    if (!open_store(count))
        return false;
    bool good = report(row, label, false, quiet_ns);
    if (row->busy_at_most > 0)
        good = report(row, label, true, &busy_ns) && good;
    return good;
}

/* What a request costs must not depend on how much there is. */
static bool report_row(const struct row *row)
{
    char name[96];
    double small_ns = 0;
    double large_ns = 0;
    bool good = report_store(row, 10000, ", 10k", &small_ns);
    good = report_store(row, 1000000, ", 1M", &large_ns) && good;
    if (small_ns <= 0 || large_ns <= 0)
        return false;
    (void)snprintf(name, sizeof(name), "%s, 1M against 10k", row->name);
    struct tr_bench_ratio growth = {name, "10k tasks", large_ns, small_ns,
                                    1 / row->growth};
    return tr_bench_report_ratio(&growth) && good;
}

bool tr_bench_kg(const char *only)
{
    bool good = true;
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (strstr(rows[i].name, only))
            good = report_row(&rows[i]) && good;
        (void)fflush(stdout);
    }
    if (strstr(GROUPS, only))
        good = open_store(1000000) &&
               tr_bench_groups(GROUPS, getenv("TRAILS_STORE")) && good;
    (void)unsetenv("TRAILS_STORE");
    return good;
}
