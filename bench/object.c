/*
 * bench/object.c - writing nodes that have objects and lists.
 *
 * An object against a flat node of as many fields; and what a list of twenty
 * costs in a store of a million nodes of its type, against one of 10,000: a
 * change in a list is followed back to its owner, and to no other.
 */
#include "bench.h"

#include <unistd.h>

#define APP "bench/object_app"

enum { REQUESTS = 1500, ROUNDS = 5 };

#define META                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

/* One side of a row: a tool, in a store of so many nodes. */
struct side {
    const char *tool;
    size_t count;
};

static const struct row {
    const char *name;
    const char *rival;
    struct side ours;
    struct side theirs;
    double at_most;
} rows[] = {
    {"object, create",
     "a flat node",
     {"create_nested", 10000},
     {"create_flat", 10000},
     1.3},
    {"object, list of 20, create, 1M nodes",
     "10k nodes",
     {"create_list", 1000000},
     {"create_list", 10000},
     1.3},
    {"object, list of 20, update, 1M nodes",
     "10k nodes",
     {"update_list", 1000000},
     {"update_list", 10000},
     1.3},
};

static void write_steps(FILE *out, size_t count)
{
    (void)fputs("@prefix s: <trails://bench/Step#> .\n", out);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out,
                      "<trails://bench/Step/%zu> a <trails://bench/Step> ;"
                      "s:name \"Step %zu\" .\n",
                      i, i);
}

/* The CPU of a request, in nanoseconds; below 0 when there is no answer. */
static double measure(const struct side *side)
{
    struct tr_bench_server server = {0};
    char name[32];
    char path[TR_BENCH_PATH];
    char body[512];
    char request[1024];
    struct tr_bench_store store = {
        .name = name, .app = APP, .write = write_steps, .count = side->count};
    (void)snprintf(name, sizeof(name), "steps-%zu", side->count);
    (void)snprintf(body, sizeof(body),
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"%s\",\"arguments\":{}," META "}}",
                   side->tool);
    size_t len = tr_bench_mcp_request(request, sizeof(request), "/mcp",
                                      "tools/call", side->tool, body);
    if (!tr_bench_store_open(&store, path) ||
        setenv("TRAILS_STORE", path, 1) != 0 ||
        !tr_bench_app_start(APP, &server))
        return -1;
    double ns = tr_bench_load(&server, (tr_str){request, len}, REQUESTS);
    tr_bench_server_stop(&server);
    return ns;
}

static bool report(const struct row *row)
{
    struct tr_bench_ratio ratio = {row->name, row->rival, 0, 0,
                                   1 / row->at_most};
    for (int i = 0; i < ROUNDS; i++) {
        double ours = measure(&row->ours);
        double theirs = measure(&row->theirs);
        if (ours <= 0 || theirs <= 0)
            return false;
        if (i == 0 || ours < ratio.ours_ns)
            ratio.ours_ns = ours;
        if (i == 0 || theirs < ratio.theirs_ns)
            ratio.theirs_ns = theirs;
    }
    return tr_bench_report_ratio(&ratio);
}

bool tr_bench_object(const char *only)
{
    bool good = true;
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (strstr(rows[i].name, only))
            good = report(&rows[i]) && good;
        (void)fflush(stdout);
    }
    (void)unsetenv("TRAILS_STORE");
    return good;
}
