/*
 * load/mixed.c - clients of all five revisions at once, with the same ids: none
 * sees an answer, progress, log line or change that is another's, and each
 * sees all of its own.
 */
#include "load/mcp.h"

#include <assert.h>

#define CLIENTS 50
#define OLDEST  "2024-11-05"
#define NAME    "c%zu-r%zu"

static const char *const revisions[] = {OLDEST, "2025-03-26", "2025-06-18",
                                        "2025-11-25", LOAD_MODERN};

/* What a client waits for. */
enum step {
    ENDPOINT,    /* where to post to; the oldest revision only */
    INITIALIZE,  /* the answer */
    INITIALIZED, /* 202 */
    SUBSCRIBE,   /* the answer, or the acknowledgement of a listen stream */
    STREAM,      /* the first bytes of the session's own stream */
    COUNT,       /* the answer of a call that says much before it */
    TOUCH,       /* its answer, and the change */
    DONE,
};

struct client {
    struct mixed_run *run;
    size_t number;
    const char *revision;
    enum step step;
    char session[80];
    char path[128]; /* to post to */
    size_t round;
    size_t progress; /* seen in this round */
    size_t logged;
    size_t to; /* how many of both there will be */
    bool is_answered;
    bool is_told;
};

struct mixed_run {
    struct load *load;
    struct client clients[CLIENTS];
    size_t rounds;
    size_t done;
};

static void go_on(struct client *client);

static bool is_modern(const struct client *client)
{
    return client->revision == revisions[4];
}

static bool is_oldest(const struct client *client)
{
    return client->revision == revisions[0];
}

static void foreign(const struct client *client, const char *what, tr_str text)
{
    load_fail(client->run->load, "client %zu (%s), step %d: %s: %.*s",
              client->number, client->revision, (int)client->step, what,
              TR_FMT(text));
}

static void name_of(const struct client *client, char *out, size_t size)
{
    (void)snprintf(out, size, NAME, client->number, client->round);
}

static void take_progress(struct client *client, const struct tr_json *root,
                          tr_str text)
{
    char name[32];
    char wanted[48];
    tr_str message = load_text(root, "/params/message");
    int64_t progress = 0;
    name_of(client, name, sizeof(name));
    client->progress++;
    (void)tr_json_i64(tr_json_pointer(root, TR_STR("/params/progress")),
                      &progress);
    (void)snprintf(wanted, sizeof(wanted), "%s:%zu", name, client->progress);
    if (client->step != COUNT || client->is_answered ||
        progress != (int64_t)client->progress ||
        !tr_str_eq(load_text(root, "/params/progressToken"),
                   tr_str_from(name)) ||
        (message.len && !tr_str_eq(message, tr_str_from(wanted))))
        foreign(client, "progress", text);
}

static void take_log(struct client *client, const struct tr_json *root,
                     tr_str text)
{
    char wanted[48];
    client->logged++;
    (void)snprintf(wanted, sizeof(wanted), NAME ":%zu", client->number,
                   client->round, client->logged);
    if (client->step != COUNT || client->is_answered ||
        !tr_str_eq(load_text(root, "/params/data"), tr_str_from(wanted)))
        foreign(client, "log", text);
}

/* Both the answer and the change must come, in any order. */
static void check_round(struct client *client)
{
    if (client->is_answered && client->is_told)
        go_on(client);
}

static void take_change(struct client *client, const struct tr_json *root,
                        tr_str text)
{
    char uri[48];
    tr_str id = load_text(root, LOAD_SUBSCRIPTION);
    (void)snprintf(uri, sizeof(uri), "load://client/%zu", client->number);
    if (client->step != TOUCH || client->is_told ||
        !tr_str_eq(load_text(root, "/params/uri"), tr_str_from(uri)) ||
        (id.len > 0) != is_modern(client))
        foreign(client, "change", text);
    client->is_told = true;
    check_round(client);
}

/* The id is the number of the step: the same for all clients. */
static void take_answer(struct client *client, const struct tr_json *root,
                        tr_str text)
{
    char name[32];
    int64_t id = -1;
    name_of(client, name, sizeof(name));
    (void)tr_json_i64(tr_json_find(root, TR_STR("id")), &id);
    bool is_own = id == (int64_t)client->step && !client->is_answered &&
                  tr_json_find(root, TR_STR("result"));
    if (client->step == COUNT)
        is_own = is_own && client->progress == client->to &&
                 client->logged == client->to &&
                 tr_str_eq(load_text(root, "/result/content/0/text"),
                           tr_str_from(name));
    if (client->step == INITIALIZE)
        is_own = is_own && tr_str_eq(load_text(root, "/result/protocolVersion"),
                                     tr_str_from(client->revision));
    if (!is_own)
        foreign(client, "answer", text);
    client->is_answered = true;
    if (client->step != TOUCH)
        go_on(client);
    else
        check_round(client);
}

static void take_message(struct client *client, tr_str text)
{
    const struct tr_json *root = load_parse(client->run->load, text);
    tr_str method = load_text(root, "/method");
    if (!root)
        return;
    if (method.len == 0)
        take_answer(client, root, text);
    else if (tr_str_eq(method, TR_STR("notifications/progress")))
        take_progress(client, root, text);
    else if (tr_str_eq(method, TR_STR("notifications/message")))
        take_log(client, root, text);
    else if (tr_str_eq(method, TR_STR("notifications/resources/updated")))
        take_change(client, root, text);
    else if (client->step == SUBSCRIBE && is_modern(client))
        go_on(client);
    else
        foreign(client, "message", text);
}

static void on_event(struct load_conn *conn, const struct load_event *event)
{
    struct client *client = conn->owner;
    if (tr_str_eq(event->name, TR_STR("endpoint"))) {
        (void)snprintf(client->path, sizeof(client->path), "%.*s",
                       TR_FMT(event->data));
        go_on(client);
    } else if (event->data.len) {
        take_message(client, event->data);
    }
}

static void on_body(struct load_conn *conn, tr_str body)
{
    struct client *client = conn->owner;
    if (conn->session[0])
        (void)snprintf(client->session, sizeof(client->session), "%s",
                       conn->session);
    bool is_accepted = conn->status == 202;
    if (!is_accepted)
        take_message(client, body);
    load_close(conn, false);
    if (is_accepted && client->step == INITIALIZED)
        go_on(client);
}

/* The stream of one call; the other streams stay open. */
static void on_end(struct load_conn *conn)
{
    load_close(conn, false);
}

static void on_closed(struct load_conn *conn)
{
    foreign(conn->owner, "a connection was closed", TR_STR(""));
}

static void on_bytes(struct load_conn *conn)
{
    struct client *client = conn->owner;
    if (client->step == STREAM)
        go_on(client);
}

static const struct load_ops call_ops = {.on_event = on_event,
                                         .on_body = on_body,
                                         .on_end = on_end,
                                         .on_closed = on_closed};
static const struct load_ops stream_ops = {
    .on_bytes = on_bytes, .on_event = on_event, .on_closed = on_closed};

static void post(struct client *client, struct load_message message)
{
    char id[16];
    struct load_conn *conn = load_open(client->run->load, &call_ops, client);
    if (!conn)
        return;
    (void)snprintf(id, sizeof(id), "%d", (int)client->step);
    if (client->step != INITIALIZED)
        message.id = id;
    if (client->step != INITIALIZE && !is_oldest(client))
        message.revision = client->revision;
    if (client->session[0])
        message.session = client->session;
    if (client->path[0])
        message.path = client->path;
    load_post(conn, &message);
}

static void call(struct client *client, const char *tool, const char *params,
                 const char *meta)
{
    char all[512];
    (void)snprintf(all, sizeof(all), "\"name\":\"%s\",\"arguments\":{%s}", tool,
                   params);
    struct load_message message = {
        .method = "tools/call", .name = tool, .params = all, .meta = meta};
    post(client, message);
}

static void start_count(struct client *client)
{
    char name[32];
    char params[128];
    char meta[128];
    client->to = 1 + load_random(client->run->load, 5);
    name_of(client, name, sizeof(name));
    (void)snprintf(params, sizeof(params),
                   "\"name\":\"%s\",\"to\":%zu,\"pause\":0.001", name,
                   client->to);
    (void)snprintf(meta, sizeof(meta), "\"progressToken\":\"%s\"%s", name,
                   is_modern(client)
                       ? ",\"io.modelcontextprotocol/logLevel\":\"debug\""
                       : "");
    call(client, "count", params, meta);
}

static void start_touch(struct client *client)
{
    char params[128];
    (void)snprintf(params, sizeof(params), "\"uris\":[\"load://client/%zu\"]",
                   client->number);
    call(client, "touch", params, NULL);
}

static void subscribe(struct client *client)
{
    char params[128];
    struct load_message message = {.method = "resources/subscribe",
                                   .params = params};
    (void)snprintf(params, sizeof(params), "\"uri\":\"load://client/%zu\"",
                   client->number);
    if (is_modern(client)) {
        message.method = "subscriptions/listen";
        (void)snprintf(params, sizeof(params),
                       "\"notifications\":{\"resourceSubscriptions\":"
                       "[\"load://client/%zu\"]}",
                       client->number);
    }
    post(client, message);
}

static void initialize(struct client *client)
{
    char params[256];
    struct load_message message = {.method = "initialize", .params = params};
    (void)snprintf(params, sizeof(params),
                   "\"protocolVersion\":\"%s\",\"capabilities\":{},"
                   "\"clientInfo\":{\"name\":\"load\",\"version\":\"1\"}",
                   client->revision);
    post(client, message);
}

static void open_stream(struct client *client, const char *path)
{
    struct load_conn *conn = load_open(client->run->load, &stream_ops, client);
    if (conn)
        load_ask(conn, "GET", path, client->session[0] ? client->session : NULL,
                 TR_STR(""));
}

static void start_step(struct client *client)
{
    struct load_message initialized = {.method = "notifications/initialized"};
    switch (client->step) {
    case ENDPOINT:
        open_stream(client, "/sse");
        break;
    case INITIALIZE:
        initialize(client);
        break;
    case INITIALIZED:
        post(client, initialized);
        break;
    case SUBSCRIBE:
        subscribe(client);
        break;
    case STREAM:
        open_stream(client, "/mcp");
        break;
    case COUNT:
        start_count(client);
        break;
    case TOUCH:
        start_touch(client);
        break;
    case DONE:
        client->run->done++;
        break;
    }
}

static void go_on(struct client *client)
{
    if (client->run->load->fault)
        return;
    if (client->step == TOUCH && ++client->round < client->run->rounds)
        client->step = COUNT;
    else
        client->step++;
    if (client->step == STREAM && (is_modern(client) || is_oldest(client)))
        client->step++; /* theirs is open already */
    client->progress = client->logged = 0;
    client->is_answered = client->is_told = false;
    start_step(client);
}

static bool is_done(void *data)
{
    return ((struct mixed_run *)data)->done == CLIENTS;
}

void load_mixed(struct load *load, const struct load_args *args)
{
    static struct mixed_run run;
    run = (struct mixed_run){.load = load, .rounds = args->count};
    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *client = &run.clients[i];
        *client = (struct client){.run = &run, .number = i};
        client->revision = revisions[i % TR_LEN(revisions)];
        client->step = is_modern(client)   ? SUBSCRIBE
                       : is_oldest(client) ? ENDPOINT
                                           : INITIALIZE;
        start_step(client);
    }
    (void)load_run(load, is_done, &run);
}
