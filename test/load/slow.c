/*
 * load/slow.c - clients that do not read. One that listens holds little memory,
 * delays nobody, and hears of everything when it reads again. One whose call
 * says more than may wait for it is cut off.
 */
#include "load/mcp.h"

#define HEALTHY     8
#define URIS        100
#define URI_PAD     400
#define SMALL_BYTES 4096
#define MARGIN_KIB  4096
#define TOUCHES     20 /* while the other one is being cut off */

/* The last URI is told last, because it is asked for last. */
#define LAST URIS

struct reader {
    struct slow_run *run;
    struct load_conn *conn;
    bool is_open;
    size_t seen[URIS + 1];
    size_t total;
};

struct slow_run {
    struct load *load;
    struct reader readers[HEALTHY + 1]; /* the last of them does not read */
    size_t opened;
    size_t wanted; /* changes that each of the healthy must have seen */
    bool is_cut;   /* the call that nobody read */
};

static void put_uri(struct tr_buf *out, int number)
{
    tr_buf_putf(out, "\"load://%d/", number);
    for (int i = 0; i < URI_PAD; i++)
        tr_buf_putc(out, 'x');
    tr_buf_putc(out, '"');
}

static void put_uris(struct tr_buf *out, int from, int to)
{
    for (int i = from; i <= to; i++) {
        if (i > from)
            tr_buf_putc(out, ',');
        put_uri(out, i);
    }
}

static void on_event(struct load_conn *conn, const struct load_event *event)
{
    struct reader *reader = conn->owner;
    const struct tr_json *root = load_parse(conn->load, event->data);
    tr_str uri = load_text(root, "/params/uri");
    if (!reader->is_open) {
        reader->is_open = true;
        reader->run->opened++;
        return;
    }
    if (!tr_str_starts(uri, TR_STR("load://"))) {
        load_fail(conn->load, "unexpected: %.*s", TR_FMT(event->data));
        return;
    }
    unsigned long number = strtoul(uri.ptr + 7, NULL, 10);
    if (number <= LAST)
        reader->seen[number]++;
    reader->total++;
}

static void on_closed(struct load_conn *conn)
{
    load_fail(conn->load, "a stream was closed");
}

static const struct load_ops ops = {.on_event = on_event,
                                    .on_closed = on_closed};

static void open_reader(struct slow_run *run, struct reader *reader)
{
    struct tr_buf params;
    reader->run = run;
    reader->conn = load_open(run->load, &ops, reader);
    if (!reader->conn)
        return;
    tr_buf_init(&params, (size_t)1 << 20);
    tr_buf_put(&params,
               TR_STR("\"notifications\":{\"resourceSubscriptions\":["));
    put_uris(&params, 0, LAST);
    tr_buf_put(&params, TR_STR("]}"));
    tr_buf_putc(&params, '\0');
    struct load_message message = {.revision = LOAD_MODERN,
                                   .id = "1",
                                   .method = "subscriptions/listen",
                                   .params = params.ptr};
    load_post(reader->conn, &message);
    tr_buf_done(&params);
}

static bool all_open(void *data)
{
    return ((struct slow_run *)data)->opened == HEALTHY + 1;
}

static bool healthy_have_seen(void *data)
{
    struct slow_run *run = data;
    for (int i = 0; i < HEALTHY; i++) {
        if (run->readers[i].total > run->wanted)
            load_fail(run->load, "a change was told twice");
        if (run->readers[i].total < run->wanted)
            return false;
    }
    return true;
}

static bool touch(struct slow_run *run, int from, int to)
{
    struct tr_buf arguments;
    tr_buf_init(&arguments, (size_t)1 << 20);
    tr_buf_put(&arguments, TR_STR("\"uris\":["));
    put_uris(&arguments, from, to);
    tr_buf_put(&arguments, TR_STR("]"));
    tr_buf_putc(&arguments, '\0');
    bool good = load_call(run->load, "touch", arguments.ptr);
    tr_buf_done(&arguments);
    run->wanted += (size_t)(to - from + 1);
    return good && load_run(run->load, healthy_have_seen, run);
}

static bool last_is_seen(void *data)
{
    struct slow_run *run = data;
    return run->readers[HEALTHY].seen[LAST] > 0;
}

/* Everything it watches, and less often than the others. */
static void check_late_reader(struct slow_run *run, size_t rounds)
{
    const struct reader *late = &run->readers[HEALTHY];
    for (int i = 0; i < URIS; i++) {
        if (late->seen[i] == 0)
            load_fail(run->load, "the slow one has not heard of %d", i);
    }
    if (late->total >= rounds * URIS)
        load_fail(run->load, "the slow one got all %zu", late->total);
    (void)printf("of %zu changes, the slow one was told %zu\n", rounds * URIS,
                 late->total);
}

static void listen_slowly(struct slow_run *run, const struct load_args *args)
{
    struct load *load = run->load;
    for (int i = 0; i < HEALTHY; i++)
        open_reader(run, &run->readers[i]);
    load->recv_bytes = SMALL_BYTES;
    open_reader(run, &run->readers[HEALTHY]);
    if (!load_run(load, all_open, run) || !touch(run, 0, URIS - 1))
        return;
    struct load_conn *late = run->readers[HEALTHY].conn;
    load_pause(late, true);
    long before_kib = load_rss_kib(args->pid);
    for (size_t i = 0; i < args->count; i++) {
        if (!touch(run, 0, URIS - 1))
            return;
    }
    long kib = load_rss_kib(args->pid);
    if (args->check_memory && kib > before_kib + MARGIN_KIB)
        load_fail(load, "memory grew from %ld to %ld KiB", before_kib, kib);
    if (!touch(run, LAST, LAST))
        return;
    load_pause(late, false);
    if (load_run(load, last_is_seen, run))
        check_late_reader(run, args->count);
}

static void flood_end(struct load_conn *conn)
{
    load_fail(conn->load, "all was said to who did not listen");
}

static void flood_closed(struct load_conn *conn)
{
    struct reader *reader = conn->owner;
    reader->run->is_cut = true;
}

static bool is_cut(void *data)
{
    return ((struct slow_run *)data)->is_cut;
}

/* The server has closed it before we read anything, and then we see so. */
static void flood(struct slow_run *run, const struct load_args *args,
                  long sockets)
{
    static const struct load_ops flood_ops = {.on_end = flood_end,
                                              .on_closed = flood_closed};
    struct load_message message = {
        .revision = LOAD_MODERN,
        .id = "1",
        .method = "tools/call",
        .name = "flood",
        .params = "\"name\":\"flood\",\"arguments\":{\"count\":8000,"
                  "\"bytes\":1000}",
        .meta = "\"io.modelcontextprotocol/logLevel\":\"debug\""};
    struct load_conn *conn =
        load_open(run->load, &flood_ops, &run->readers[HEALTHY]);
    if (!conn)
        return;
    load_pause(conn, true);
    load_post(conn, &message);
    for (int i = 0; i < TOUCHES; i++) {
        if (!touch(run, i, i))
            return;
    }
    if (!load_wait_sockets(run->load, args->pid, sockets))
        return;
    load_pause(conn, false);
    (void)load_run(run->load, is_cut, run);
}

void load_slow(struct load *load, const struct load_args *args)
{
    static struct slow_run run;
    long before = load_baseline(load, args->pid);
    long sockets = load_sockets(args->pid);
    run = (struct slow_run){.load = load};
    if (before < 0)
        return;
    listen_slowly(&run, args);
    if (!load->fault)
        flood(&run, args, sockets + HEALTHY + 1);
    while (load->conns)
        load_close(load->conns, false);
    if (!load->fault)
        (void)load_wait_descriptors(load, args->pid, before);
}
