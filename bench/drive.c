#include "drive.h"

#include "base/limits.h"

/* Some servers want to know who asks. */
#define CLIENT                                                                 \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\","              \
    "\"version\":\"1\"}"

struct run {
    const struct tr_bench_drive *drive;
    struct load load;
    size_t unasked;
    size_t left;
};

static void ask(struct run *run, struct load_conn *conn)
{
    if (run->unasked == 0)
        return;
    run->unasked--;
    run->drive->ask(conn, run->drive->data);
}

static void on_body(struct load_conn *conn, tr_str body)
{
    struct run *run = conn->owner;
    if (conn->status != 200 ||
        !run->drive->take(conn->load, body, run->drive->data))
        load_fail(conn->load, "no answer but %d: %.*s", conn->status,
                  (int)(body.len < 300 ? body.len : 300), body.ptr);
    run->left--;
    ask(run, conn);
}

static void on_closed(struct load_conn *conn)
{
    load_fail(conn->load, "a connection was cut off");
}

static bool is_done(void *data)
{
    return ((struct run *)data)->left == 0;
}

static bool ask_all(struct run *run)
{
    static const struct load_ops ops = {.on_body = on_body,
                                        .on_closed = on_closed};
    for (size_t i = 0; i < run->drive->connections; i++) {
        struct load_conn *conn = load_open(&run->load, &ops, run);
        if (!conn)
            return false;
        ask(run, conn);
    }
    return load_run(&run->load, is_done, run);
}

double tr_bench_drive(const struct tr_bench_drive *drive, size_t count)
{
    struct run run = {.drive = drive, .unasked = count, .left = count};
    double before_ns = tr_bench_cpu_ns(drive->server->pid);
    if (!load_init(&run.load, drive->server->port, 1))
        return -1;
    bool done = ask_all(&run);
    double after_ns = tr_bench_cpu_ns(drive->server->pid);
    if (!done)
        (void)fprintf(stderr, "bench: %s\n", run.load.fault);
    load_done(&run.load);
    return done && before_ns >= 0 && after_ns >= 0
               ? (after_ns - before_ns) / (double)count
               : -1;
}

static void post(struct load_conn *conn, const char *method, const char *name,
                 const char *params)
{
    struct load_message message = {.revision = LOAD_MODERN,
                                   .id = "1",
                                   .method = method,
                                   .name = name,
                                   .params = params,
                                   .meta = CLIENT};
    load_post(conn, &message);
}

void tr_bench_drive_list(struct load_conn *conn)
{
    post(conn, "tools/list", NULL, "");
}

void tr_bench_drive_call(struct load_conn *conn, const char *tool,
                         const char *arguments)
{
    char params[TR_KIB(4)];
    (void)snprintf(params, sizeof(params), "\"name\":\"%s\",\"arguments\":{%s}",
                   tool, arguments);
    post(conn, "tools/call", tool, params);
}

void tr_bench_drive_read(struct load_conn *conn, const char *uri)
{
    char params[TR_KIB(4)];
    (void)snprintf(params, sizeof(params), "\"uri\":\"%s\"", uri);
    post(conn, "resources/read", uri, params);
}
