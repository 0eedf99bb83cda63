/*
 * load/sessions.c - sessions of 2025-11-25 that are opened, used over several
 * connections and ended. Afterwards the server holds what it held before, and
 * an ended session is not found.
 */
#include "load/mcp.h"

#include <assert.h>

#define AT_ONCE    16
#define REVISION   "2025-11-25"
#define MARGIN_KIB 4096

enum step {
    INITIALIZE,
    INITIALIZED,
    SUBSCRIBE,
    STREAM, /* the GET stays open while the rest goes on */
    CALL,
    DELETE,
    AFTER, /* must not be found */
    STEPS,
};

struct session_run {
    struct load *load;
    size_t wanted;
    size_t started;
    size_t ended;
};

struct user {
    struct session_run *run;
    enum step step;
    bool streams;             /* opens a GET stream */
    struct load_conn *stream; /* NULL when it has none */
    struct load_conn *conn;   /* of the request */
    char id[80];
};

static void go_on(struct user *user);

static const int statuses[STEPS] = {200, 202, 200, 200, 200, 200, 404};

static const struct load_message messages[STEPS] = {
    [INITIALIZE] = {.id = "1",
                    .method = "initialize",
                    .params = "\"protocolVersion\":\"" REVISION
                              "\",\"capabilities\":{},\"clientInfo\":"
                              "{\"name\":\"load\",\"version\":\"1\"}"},
    [INITIALIZED] = {.method = "notifications/initialized"},
    [SUBSCRIBE] = {.id = "2",
                   .method = "resources/subscribe",
                   .params = "\"uri\":\"load:a\""},
    [CALL] = {.id = "3",
              .method = "tools/call",
              .params = "\"name\":\"touch\",\"arguments\":{\"uris\":"
                        "[\"load:b\"]}"},
    [AFTER] = {.id = "4", .method = "ping"},
};

static void finish(struct user *user)
{
    if (user->stream)
        load_fail(user->run->load, "a stream outlived its session");
    user->run->ended++;
    free(user);
}

static void next_step(struct user *user)
{
    user->step++;
    if (user->step == STREAM && !user->streams)
        user->step++;
    if (user->step < STEPS)
        go_on(user);
    else
        finish(user);
}

/* Each request has a connection of its own, so that any loop may get it. */
static void on_body(struct load_conn *conn, tr_str body)
{
    struct user *user = conn->owner;
    struct load *load = conn->load;
    bool is_refused = body.len && memmem(body.ptr, body.len, "\"error\"", 7);
    if (conn->status != statuses[user->step] ||
        is_refused != (user->step == AFTER)) {
        load_fail(load, "step %d: status %d: %.*s", (int)user->step,
                  conn->status, TR_FMT(body));
        return;
    }
    if (user->step == INITIALIZE)
        (void)snprintf(user->id, sizeof(user->id), "%s", conn->session);
    user->conn = NULL;
    load_close(conn, false);
    if (user->step != DELETE || !user->stream)
        next_step(user);
}

static void on_closed(struct load_conn *conn)
{
    load_fail(conn->load, "a request was cut off");
}

/* The stream has begun when its first bytes are there. */
static void stream_bytes(struct load_conn *conn)
{
    struct user *user = conn->owner;
    if (user->step == STREAM)
        next_step(user);
}

/* DELETE ends it. */
static void stream_end(struct load_conn *conn)
{
    struct user *user = conn->owner;
    if (user->step != DELETE)
        load_fail(conn->load, "a stream ended at step %d", (int)user->step);
    user->stream = NULL;
    load_close(conn, false);
    if (user->step == DELETE && !user->conn)
        next_step(user);
}

static void stream_closed(struct load_conn *conn)
{
    load_fail(conn->load, "a stream was cut off");
}

static const struct load_ops request_ops = {.on_body = on_body,
                                            .on_closed = on_closed};
static const struct load_ops stream_ops = {
    .on_bytes = stream_bytes, .on_end = stream_end, .on_closed = stream_closed};

static void go_on(struct user *user)
{
    struct load *load = user->run->load;
    bool is_stream = user->step == STREAM;
    struct load_conn *conn =
        load_open(load, is_stream ? &stream_ops : &request_ops, user);
    if (!conn)
        return;
    if (is_stream)
        user->stream = conn;
    else
        user->conn = conn;
    if (is_stream || user->step == DELETE) {
        load_ask(conn, is_stream ? "GET" : "DELETE", "/mcp", user->id,
                 TR_STR(""));
        return;
    }
    struct load_message message = messages[user->step];
    if (user->step != INITIALIZE) {
        message.session = user->id;
        message.revision = REVISION;
    }
    load_post(conn, &message);
}

static bool is_done(void *data)
{
    struct session_run *run = data;
    while (run->started < run->wanted && run->started - run->ended < AT_ONCE &&
           !run->load->fault) {
        struct user *user = calloc(1, sizeof(*user));
        assert(user);
        user->run = run;
        user->streams = load_random(run->load, 2);
        run->started++;
        go_on(user);
    }
    return run->ended == run->wanted;
}

static bool run_many(struct load *load, const struct load_args *args,
                     size_t count, long before)
{
    struct session_run run = {.load = load, .wanted = count};
    return load_run(load, is_done, &run) &&
           load_wait_descriptors(load, args->pid, before);
}

void load_sessions(struct load *load, const struct load_args *args)
{
    long before = load_baseline(load, args->pid);
    if (before < 0 || !run_many(load, args, args->count / 2 + 1, before))
        return;
    long warm_kib = load_rss_kib(args->pid);
    if (!run_many(load, args, args->count, before))
        return;
    long kib = load_rss_kib(args->pid);
    (void)printf("RssAnon %ld KiB, then %ld KiB\n", warm_kib, kib);
    if (args->check_memory && kib > warm_kib + MARGIN_KIB)
        load_fail(load, "memory grew from %ld to %ld KiB", warm_kib, kib);
}
