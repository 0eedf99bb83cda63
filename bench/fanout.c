/*
 * bench/fanout.c - one change, many subscribers: what telling one of them costs
 * beside an echo of as many bytes, and beside the official TypeScript server.
 * The client is the one of test/load.
 */
#include "bench.h"
#include "load/mcp.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define PROGRAM     "build/release/trails"
#define APP         "bench/fanout_app"
#define RIVAL       "bench/fanout_rival.mjs"
#define SUBSCRIBERS 1000
#define ROUNDS      5
#define OUR_CALLS   40
#define RIVAL_CALLS 4

/* The floor's head; the message that counts is head and body together. */
#define ECHO_HEAD 128

#define LISTEN_PARAMS                                                          \
    "\"notifications\":{\"resourceSubscriptions\":[\"bench:0\",\"bench:1\","   \
    "\"bench:2\",\"bench:3\",\"bench:4\"]}"

struct fanout {
    struct load load;
    struct tr_bench_server server;
    size_t opened;
    size_t told;
    size_t wanted;
    size_t bytes; /* of one notification, as it goes over the wire */
};

static void on_event(struct load_conn *conn, const struct load_event *event)
{
    struct fanout *fanout = conn->owner;
    if (conn->events == 1) {
        fanout->opened++;
        return;
    }
    fanout->told++;
    /* With its line ends, and those of its chunk. */
    fanout->bytes = event->data.len + sizeof("event: message\ndata: \n\n") +
                    sizeof("ff\r\n\r\n");
}

static const struct load_ops ops = {.on_event = on_event};

static bool is_open(void *data)
{
    struct fanout *fanout = data;
    return fanout->opened == fanout->wanted;
}

static bool is_told(void *data)
{
    struct fanout *fanout = data;
    return fanout->told == fanout->wanted;
}

/* One after the other: a queue of those who connect may be short. */
static bool subscribe(struct fanout *fanout)
{
    struct load_message message = {.revision = LOAD_MODERN,
                                   .id = "1",
                                   .method = "subscriptions/listen",
                                   .params = LISTEN_PARAMS};
    for (size_t i = 1; i <= SUBSCRIBERS; i++) {
        struct load_conn *conn = load_open(&fanout->load, &ops, fanout);
        fanout->wanted = i;
        if (!conn)
            return false;
        load_post(conn, &message);
        if (!load_run(&fanout->load, is_open, fanout))
            return false;
    }
    fanout->wanted = 0;
    return true;
}

static bool touch(struct fanout *fanout, size_t changes, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        fanout->wanted += changes * SUBSCRIBERS;
        if (!load_call(&fanout->load, changes == 5 ? "touch_five" : "touch_one",
                       "") ||
            !load_run(&fanout->load, is_told, fanout))
            return false;
    }
    return true;
}

/* Nanoseconds of the server's CPU for one notification; below 0: failed. */
static double measure(struct fanout *fanout, size_t changes, size_t calls)
{
    double before_ns = tr_bench_cpu_ns(fanout->server.pid);
    if (!touch(fanout, changes, calls))
        return -1;
    return (tr_bench_cpu_ns(fanout->server.pid) - before_ns) /
           (double)(changes * calls * SUBSCRIBERS);
}

static bool open_fanout(struct fanout *fanout, const char *const argv[])
{
    *fanout = (struct fanout){0};
    return tr_bench_program_start(argv, &fanout->server) &&
           load_init(&fanout->load, fanout->server.port, 1) &&
           subscribe(fanout) && touch(fanout, 1, 1) && touch(fanout, 5, 1);
}

static void close_fanout(struct fanout *fanout)
{
    if (fanout->load.fault)
        (void)fprintf(stderr, "bench: %s\n", fanout->load.fault);
    if (fanout->load.poll_fd > 0)
        load_done(&fanout->load);
    tr_bench_server_stop(&fanout->server);
}

static const char *const ours_argv[] = {PROGRAM,  "serve",       APP,
                                        "--http", "127.0.0.1:0", NULL};
static const char *const rival_argv[] = {"scripts/node", RIVAL, NULL};

/* As many bytes in both directions as a notification has in one. */
static size_t write_echo(char *out, size_t size, size_t bytes)
{
    size_t body = bytes > ECHO_HEAD ? bytes - ECHO_HEAD : 1;
    int head = snprintf(out, size,
                        "POST /%zu HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        "Content-Length: %zu\r\n\r\n",
                        body, bytes - 64);
    while ((size_t)head < bytes && (size_t)head < size - 1)
        out[head++] = 'x';
    return (size_t)head;
}

static void on_echo(struct load_conn *conn, tr_str body)
{
    struct fanout *fanout = conn->owner;
    (void)body;
    fanout->told++;
}

static const struct load_ops echo_ops = {.on_body = on_echo};

/*
 * The floor has as many connections as there are subscribers, for a socket
 * that was not used for a while costs more than one of a few.
 */
static bool open_echo(struct fanout *echo)
{
    *echo = (struct fanout){0};
    if (!tr_bench_server_start(tr_bench_echo, &echo->server) ||
        !load_init(&echo->load, echo->server.port, 1))
        return false;
    for (size_t i = 0; i < SUBSCRIBERS; i++) {
        if (!load_open(&echo->load, &echo_ops, echo))
            return false;
    }
    return true;
}

static bool echo_all(struct fanout *echo, tr_str request)
{
    for (struct load_conn *conn = echo->load.conns; conn; conn = conn->next) {
        load_expect(conn);
        load_send(conn, request);
    }
    echo->wanted += SUBSCRIBERS;
    return load_run(&echo->load, is_told, echo);
}

static double measure_echo(struct fanout *echo, tr_str request, size_t times)
{
    double before_ns = tr_bench_cpu_ns(echo->server.pid);
    for (size_t i = 0; i < times; i++) {
        if (!echo_all(echo, request))
            return -1;
    }
    return (tr_bench_cpu_ns(echo->server.pid) - before_ns) /
           (double)(times * SUBSCRIBERS);
}

static bool report_floor(void)
{
    struct fanout fanout;
    struct fanout echo;
    struct tr_bench_ratio row = {.name = "fan-out: 1,000 subscribers",
                                 .rival = "echo",
                                 .ours_ns = 1e18,
                                 .theirs_ns = 1e18,
                                 .target = 1};
    char request[1024];
    bool done = open_fanout(&fanout, ours_argv);
    done = open_echo(&echo) && done;
    size_t len = done ? write_echo(request, sizeof(request), fanout.bytes) : 0;
    done = done && echo_all(&echo, (tr_str){request, len});
    for (int i = 0; i < ROUNDS && done; i++) {
        double ours = measure(&fanout, 1, OUR_CALLS);
        double theirs = measure_echo(&echo, (tr_str){request, len}, OUR_CALLS);
        done = ours > 0 && theirs > 0;
        row.ours_ns = ours < row.ours_ns ? ours : row.ours_ns;
        row.theirs_ns = theirs < row.theirs_ns ? theirs : row.theirs_ns;
    }
    close_fanout(&fanout);
    close_fanout(&echo);
    return done && tr_bench_report_ratio(&row);
}

static bool report_rival(void)
{
    struct fanout fanouts[2];
    struct tr_bench_ratio row = {.name = "fan-out: five changes at once",
                                 .rival = "TypeScript",
                                 .ours_ns = 1e18,
                                 .theirs_ns = 1e18,
                                 .target = 10};
    bool done = open_fanout(&fanouts[0], ours_argv);
    done = open_fanout(&fanouts[1], rival_argv) && done;
    for (int i = 0; i < ROUNDS && done; i++) {
        double ours = measure(&fanouts[0], 5, OUR_CALLS);
        double theirs = measure(&fanouts[1], 5, RIVAL_CALLS);
        done = ours > 0 && theirs > 0;
        row.ours_ns = ours < row.ours_ns ? ours : row.ours_ns;
        row.theirs_ns = theirs < row.theirs_ns ? theirs : row.theirs_ns;
    }
    close_fanout(&fanouts[0]);
    close_fanout(&fanouts[1]);
    return done && tr_bench_report_ratio(&row);
}

bool tr_bench_fanout(const char *only)
{
    static const struct {
        const char *name;
        bool (*report)(void);
    } rows[] = {
        {"fan-out: 1,000 subscribers", report_floor},
        {"fan-out: five changes at once", report_rival},
    };
    struct rlimit files;
    bool met = true;
    (void)getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max; /* before the fork: both need many */
    (void)setrlimit(RLIMIT_NOFILE, &files);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (strstr(rows[i].name, only))
            met = rows[i].report() && met;
    }
    return met;
}
