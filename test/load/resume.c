/*
 * load/resume.c - streams of 2025-11-25 sessions that break at random places,
 * or that the server ends early, and are resumed with Last-Event-ID: nothing
 * is lost, nothing comes twice, and nothing of another stream comes at all.
 */
#include "load/mcp.h"

#include <assert.h>

#define REVISION  "2025-11-25"
#define WATCHERS  4   /* the stream of a session: changes of resources */
#define CALLERS   8   /* the stream of a call: progress, log, its answer */
#define URIS      200 /* that each watcher subscribes to, changed in turn */
#define AHEAD     100 /* changes that may wait for a watcher */
#define AT_ONCE   10  /* of them in one call */
#define CALL_LEN  50  /* progress and log lines of one call */
#define BREAK_ONE 20  /* one of so many events is followed by a break */

struct follower {
    struct resume_run *run;
    size_t number;
    bool is_caller;
    bool is_ready;
    char session[80];
    char last_id[128];
    struct load_conn *conn;
    size_t seen;     /* events with a message, of all calls */
    size_t told;     /* changes that were asked for; a watcher's */
    size_t progress; /* of this call */
    size_t logged;
    size_t calls;
    bool is_answered; /* this call */
};

struct resume_run {
    struct load *load;
    struct follower followers[WATCHERS + CALLERS];
    size_t wanted; /* messages for each */
    size_t breaks;
};

static void reconnect(struct follower *follower);
static void start_call(struct follower *follower);

static void wrong(struct follower *follower, const char *what, tr_str text)
{
    load_fail(follower->run->load, "%s %zu, after %zu: %s: %.*s",
              follower->is_caller ? "call" : "watcher", follower->number,
              follower->seen, what, TR_FMT(text));
}

/* The changes come in the order in which they were made. */
static void take_change(struct follower *follower, const struct tr_json *root,
                        tr_str text)
{
    char wanted[48];
    (void)snprintf(wanted, sizeof(wanted), "load://%zu/%zu", follower->number,
                   follower->seen % URIS);
    if (!tr_str_eq(load_text(root, "/params/uri"), tr_str_from(wanted)))
        wrong(follower, wanted, text);
}

static void take_call(struct follower *follower, const struct tr_json *root,
                      tr_str text)
{
    tr_str method = load_text(root, "/method");
    char wanted[48];
    size_t number = 0;
    bool is_log = tr_str_eq(method, TR_STR("notifications/message"));
    if (method.len == 0) {
        follower->is_answered = true;
        (void)snprintf(wanted, sizeof(wanted), "%zu-%zu", follower->number,
                       follower->calls);
        if (follower->progress != CALL_LEN || follower->logged != CALL_LEN ||
            !tr_str_eq(load_text(root, "/result/content/0/text"),
                       tr_str_from(wanted)))
            wrong(follower, "answer", text);
        return;
    }
    number = is_log ? ++follower->logged : ++follower->progress;
    (void)snprintf(wanted, sizeof(wanted), "%zu-%zu:%zu", follower->number,
                   follower->calls, number);
    if (!tr_str_eq(load_text(root, is_log ? "/params/data" : "/params/message"),
                   tr_str_from(wanted)))
        wrong(follower, wanted, text);
}

static void break_off(struct follower *follower)
{
    struct load *load = follower->run->load;
    follower->run->breaks++;
    load_close(follower->conn, load_random(load, 2));
    reconnect(follower);
}

static void on_event(struct load_conn *conn, const struct load_event *event)
{
    struct follower *follower = conn->owner;
    struct load *load = conn->load;
    if (event->has_id)
        (void)snprintf(follower->last_id, sizeof(follower->last_id), "%.*s",
                       TR_FMT(event->id));
    if (event->data.len) {
        const struct tr_json *root = load_parse(load, event->data);
        if (!root)
            return;
        if (follower->is_caller)
            take_call(follower, root, event->data);
        else
            take_change(follower, root, event->data);
        follower->seen++;
    }
    follower->is_ready = true;
    if (follower->last_id[0] && !follower->is_answered && !load->fault &&
        load_random(load, BREAK_ONE) == 0)
        break_off(follower);
}

/* A stream may end early; it goes on elsewhere until the answer has come. */
static void on_end(struct load_conn *conn)
{
    struct follower *follower = conn->owner;
    load_close(conn, false);
    if (!follower->is_caller)
        wrong(follower, "the stream has ended", TR_STR(""));
    else if (!follower->is_answered)
        reconnect(follower);
    else if (follower->seen < follower->run->wanted)
        start_call(follower);
}

static void on_body(struct load_conn *conn, tr_str body)
{
    wrong(conn->owner, "no stream", body);
}

static void on_closed(struct load_conn *conn)
{
    wrong(conn->owner, "the server has cut the stream", TR_STR(""));
}

static const struct load_ops stream_ops = {.on_event = on_event,
                                           .on_body = on_body,
                                           .on_end = on_end,
                                           .on_closed = on_closed};

static void reconnect(struct follower *follower)
{
    follower->conn = load_open(follower->run->load, &stream_ops, follower);
    if (follower->conn)
        load_ask(follower->conn, "GET", "/mcp", follower->session,
                 tr_str_from(follower->last_id));
}

static void start_call(struct follower *follower)
{
    char params[256];
    char meta[64];
    size_t close_at = load_random(follower->run->load, 2 * CALL_LEN);
    follower->calls++;
    follower->progress = follower->logged = 0;
    follower->is_answered = false;
    follower->last_id[0] = '\0';
    (void)snprintf(params, sizeof(params),
                   "\"name\":\"count\",\"arguments\":{\"name\":\"%zu-%zu\","
                   "\"to\":%d,\"close_at\":%zu}",
                   follower->number, follower->calls, CALL_LEN, close_at);
    (void)snprintf(meta, sizeof(meta), "\"progressToken\":%zu",
                   follower->number);
    struct load_message message = {.revision = REVISION,
                                   .session = follower->session,
                                   .id = "7",
                                   .method = "tools/call",
                                   .name = "count",
                                   .params = params,
                                   .meta = meta};
    follower->conn = load_open(follower->run->load, &stream_ops, follower);
    if (follower->conn)
        load_post(follower->conn, &message);
}

/* One request of the set-up, on its own connection. */
struct setup {
    char session[80];
    bool is_done;
};

static void setup_body(struct load_conn *conn, tr_str body)
{
    struct setup *setup = conn->owner;
    if (body.len && memmem(body.ptr, body.len, "\"error\"", 7))
        load_fail(conn->load, "set-up: %.*s", TR_FMT(body));
    if (conn->session[0])
        (void)snprintf(setup->session, sizeof(setup->session), "%s",
                       conn->session);
    setup->is_done = true;
    load_close(conn, false);
}

static bool setup_done(void *data)
{
    return ((struct setup *)data)->is_done;
}

static bool request(struct load *load, struct setup *setup,
                    struct load_message *message)
{
    static const struct load_ops ops = {.on_body = setup_body};
    struct load_conn *conn = load_open(load, &ops, setup);
    setup->is_done = false;
    if (!conn)
        return false;
    if (setup->session[0]) {
        message->session = setup->session;
        message->revision = REVISION;
    }
    load_post(conn, message);
    return load_run(load, setup_done, setup);
}

static bool open_session(struct follower *follower)
{
    struct load *load = follower->run->load;
    struct setup setup = {0};
    char params[64];
    struct load_message initialize = {
        .id = "1",
        .method = "initialize",
        .params = "\"protocolVersion\":\"" REVISION "\",\"capabilities\":{},"
                  "\"clientInfo\":{\"name\":\"load\",\"version\":\"1\"}"};
    bool good = request(load, &setup, &initialize);
    for (int i = 0; i < URIS && good && !follower->is_caller; i++) {
        (void)snprintf(params, sizeof(params), "\"uri\":\"load://%zu/%d\"",
                       follower->number, i);
        struct load_message subscribe = {
            .id = "2", .method = "resources/subscribe", .params = params};
        good = request(load, &setup, &subscribe);
    }
    (void)snprintf(follower->session, sizeof(follower->session), "%s",
                   setup.session);
    return good;
}

static bool is_ready(void *data)
{
    struct follower *follower = data;
    return follower->is_ready;
}

/* A watcher's stream is open when it has an id to come back with. */
static bool open_all(struct resume_run *run)
{
    for (size_t i = 0; i < TR_LEN(run->followers); i++) {
        struct follower *follower = &run->followers[i];
        *follower = (struct follower){.run = run, .number = i};
        follower->is_caller = i >= WATCHERS;
        if (!open_session(follower))
            return false;
        if (follower->is_caller)
            start_call(follower);
        else
            reconnect(follower);
        if (!load_run(run->load, is_ready, follower))
            return false;
    }
    return true;
}

/* Some changes for one watcher, when not too many wait for it. */
static bool change(struct resume_run *run, struct follower *follower)
{
    struct tr_buf arguments;
    if (follower->told >= run->wanted ||
        follower->told - follower->seen >= AHEAD)
        return true;
    tr_buf_init(&arguments, 4096);
    tr_buf_put(&arguments, TR_STR("\"uris\":["));
    for (size_t i = 0; i < AT_ONCE; i++)
        tr_buf_putf(&arguments, "%s\"load://%zu/%zu\"", i ? "," : "",
                    follower->number, follower->told++ % URIS);
    tr_buf_put(&arguments, TR_STR("]"));
    tr_buf_putc(&arguments, '\0');
    bool good = load_call(run->load, "touch", arguments.ptr);
    tr_buf_done(&arguments);
    return good;
}

static bool is_done(void *data)
{
    struct resume_run *run = data;
    for (size_t i = 0; i < TR_LEN(run->followers); i++) {
        const struct follower *follower = &run->followers[i];
        size_t due = follower->is_caller ? run->wanted : follower->told;
        if (follower->seen < due || due < run->wanted ||
            (follower->is_caller && !follower->is_answered))
            return false;
    }
    return true;
}

/* Goes on when somebody has room for more, or all have seen all. */
static bool can_go_on(void *data)
{
    struct resume_run *run = data;
    for (size_t i = 0; i < WATCHERS; i++) {
        const struct follower *follower = &run->followers[i];
        if (follower->told < run->wanted &&
            follower->told - follower->seen < AHEAD)
            return true;
    }
    return is_done(run);
}

void load_resume(struct load *load, const struct load_args *args)
{
    static struct resume_run run;
    run = (struct resume_run){.load = load};
    run.wanted = args->count / TR_LEN(run.followers) + 1;
    bool good = open_all(&run);
    while (good && !is_done(&run)) {
        for (size_t i = 0; i < WATCHERS && good; i++)
            good = change(&run, &run.followers[i]);
        good = good && load_run(load, can_go_on, &run);
    }
    size_t seen = 0;
    for (size_t i = 0; i < TR_LEN(run.followers); i++)
        seen += run.followers[i].seen;
    (void)printf("%zu events, %zu breaks\n", seen, run.breaks);
}
