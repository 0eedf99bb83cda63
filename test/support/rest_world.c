#include "support/rest_world.h"

#include "access/bearer.h"
#include "base/limits.h"
#include "base/test.h"
#include "cap/registry.h"
#include "http/conn.h"
#include "loop/loop.h"
#include "net/stream.h"
#include "runtime/env.h"
#include "server/site.h"
#include "support/peer.h"

#include <sys/socket.h>
#include <unistd.h>

/* What others are told is counted. */
static void updated(void *data, tr_str uri)
{
    (void)uri;
    ((struct rest_world *)data)->told++;
}

static void list_changed(void *data, enum tr_call_list_kind kind)
{
    (void)kind;
    ((struct rest_world *)data)->told++;
}

static void ended(void *data, const struct tr_call *call)
{
    (void)data;
    (void)call;
}

static bool judge(struct tr_http_exchange *x, void *app)
{
    struct rest_world *w = app;
    if (tr_rest_has_path(w->rest, tr_http_exchange_request(x)))
        return tr_rest_judge(x, w->rest);
    tr_http_respond_text(x, 404, NULL);
    return false;
}

static void route(struct tr_http_exchange *x, void *app)
{
    tr_rest_route(x, ((struct rest_world *)app)->rest);
}

static void open_app(struct rest_world *w, const char *toml, const char *lua)
{
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    char settings[2048];
    (void)snprintf(
        settings, sizeof(settings),
        "[project]\nname = \"demo\"\n[store]\npath = \":memory:\"\n%s", toml);
    folder_open(&w->folder);
    folder_write(&w->folder, "trails.toml", settings);
    folder_write(&w->folder, "app.lua", lua);
    CHECK_OK(tr_server_app_open(&w->app, w->folder.path, &err), &err);
    CHECK_OK(tr_server_app_load(&w->app, &snapshot, &err), &err);
    CHECK_OK(tr_server_app_open_store(&w->app, NULL, snapshot, &w->store, &err),
             &err);
    CHECK_OK(tr_cap_registry_create(&w->registry, &err), &err);
    tr_cap_registry_take(w->registry, snapshot);
}

static void open_calls(struct rest_world *w)
{
    const struct tr_loop_opts clock = {.test_clock = true};
    struct tr_err err = {0};
    CHECK_OK(tr_loop_create(&clock, &w->loop, &err), &err);
    CHECK_OK(tr_server_env_open(&w->env, w->store, w->loop,
                                (struct tr_prov_keep){0}, NULL, &err),
             &err);
    CHECK_OK(
        tr_call_idempotency_queue_create(&w->env.calls.idempotency_queue, &err),
        &err);
}

/* A door that has handled nothing yet. */
static tr_status renew_door(struct rest_world *w, struct tr_err *err)
{
    const struct tr_rest_opts opts = {
        .loop = w->loop,
        .registry = w->registry,
        .env = &w->env.calls,
        .gate = {.loop = w->loop, .bearer = w->bearer},
        .tell = {updated, list_changed, ended, w},
        .site = tr_server_site(&w->app),
        .max_nesting = 64,
    };
    tr_rest_free(w->rest);
    w->rest = NULL;
    return tr_rest_create(&opts, &w->rest, err);
}

static void open_door(struct rest_world *w)
{
    const struct tr_access_bearer_opts who = {.scopes = TR_SCOPE_RUNTIME |
                                                        TR_SCOPE_BUILDER,
                                              .token = TR_STR(REST_TOKEN)};
    const struct tr_http_opts http = {.judge = judge};
    struct tr_err err = {0};
    CHECK_OK(tr_access_bearer_create(&who, &w->bearer, &err), &err);
    CHECK_OK(renew_door(w, &err), &err);
    CHECK_OK(tr_http_server_create(w->loop, &http, route, w, &w->server, &err),
             &err);
}

void rest_world_open(struct rest_world *w, const char *toml, const char *lua)
{
    memset(w, 0, sizeof(*w));
    open_app(w, toml, lua);
    open_calls(w);
    open_door(w);
}

static void on_closed(void *data)
{
    ((struct rest_world *)data)->is_closed = true;
}

static bool is_closed(void *data)
{
    return ((struct rest_world *)data)->is_closed;
}

void rest_world_close(struct rest_world *w)
{
    CHECK(tr_rest_is_idle(w->rest));
    tr_http_server_close(w->server, 0, on_closed, w);
    tr_loop_step(w->loop, 1);
    tr_peer_until(w->loop, is_closed, w);
    tr_rest_free(w->rest);
    tr_access_bearer_free(w->bearer);
    tr_server_env_close(&w->env);
    tr_call_idempotency_queue_free(w->env.calls.idempotency_queue);
    tr_cap_registry_free(w->registry);
    tr_loop_free(w->loop);
    tr_graph_store_close(w->store);
    tr_server_app_close(&w->app);
    folder_close(&w->folder);
}

/* Asking. ------------------------------------------------------------------*/

static bool is_over(void *data)
{
    struct rest_world *w = data;
    return tr_rest_is_idle(w->rest) &&
           tr_http_server_counts(w->server).connections == 0;
}

int rest_world_connect(struct rest_world *w)
{
    struct tr_net_stream *stream = NULL;
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    if (tr_net_stream_open(w->loop, ends[0], 0, &stream, NULL) == TR_OK)
        tr_http_conn_open(w->server, stream);
    return ends[1];
}

static void read_answer(struct rest_world *w)
{
    const char *blank = strstr(w->text, "\r\n\r\n");
    w->status = 0;
    w->body = TR_STR("");
    if (!w->len)
        return;
    CHECK(blank && sscanf(w->text, "HTTP/1.1 %d ", &w->status) == 1);
    size_t head = (size_t)(blank - w->text) + 4;
    w->body = (tr_str){w->text + head, w->len - head};
    tr_str length = rest_world_header(w, "Content-Length");
    CHECK(!length.len || (size_t)strtoul(length.ptr, NULL, 10) == w->body.len);
}

void rest_world_ask(struct rest_world *w, const char *request)
{
    int fd = rest_world_connect(w);
    (void)send(fd, request, strlen(request), MSG_NOSIGNAL); /* it has room */
    w->len = tr_peer_read(w->loop, fd, "", w->text, sizeof(w->text));
    (void)close(fd);
    tr_peer_until(w->loop, is_over, w);
    read_answer(w);
}

tr_str rest_world_header(const struct rest_world *w, const char *name)
{
    tr_str wanted = tr_str_from(name);
    tr_str rest = {w->text, w->len};
    tr_str line;
    while (tr_str_cut(rest, '\n', &line, &rest) && line.len > 1) {
        tr_str key;
        tr_str value;
        if (tr_str_cut(line, ':', &key, &value) &&
            tr_http_same_name(key, wanted))
            return tr_str_trim(value);
    }
    return TR_STR("");
}

/* Failing. -----------------------------------------------------------------*/

struct sweep {
    struct rest_world *world;
    const char *request;
    int wanted;
    char text[65536]; /* the body that is wanted; "" when each has its own */
};

/* Whether an answer is the one that is wanted, as a whole. */
static bool is_wanted(const struct sweep *sweep)
{
    const struct rest_world *w = sweep->world;
    if (w->status != sweep->wanted)
        return false;
    return w->status >= 400 || !sweep->text[0] ||
           tr_str_eq(w->body, tr_str_from(sweep->text));
}

static void ask_again(void *context)
{
    struct sweep *sweep = context;
    struct rest_world *w = sweep->world;
    if (renew_door(w, NULL) != TR_OK)
        return; /* the next one has one */
    rest_world_ask(w, sweep->request);
    bool is_told = w->status == 500 || w->status == 503 || w->status == 507;
    if (w->len && !is_wanted(sweep) && !is_told)
        tr_test_fail(sweep->request, w->text, __FILE__, __LINE__);
}

/* What was made once for the snapshot is made again. */
static void load_again(void *context)
{
    struct rest_world *w = ((struct sweep *)context)->world;
    struct tr_server_again again;
    struct tr_err err = {0};
    CHECK_OK(tr_server_app_load_again(&w->app, &again, &err), &err);
    tr_cap_registry_take(w->registry, again.snapshot);
}

static void sweep(struct rest_world *w, const char *request,
                  void (*prepare)(void *context))
{
    static struct sweep sweep;
    struct tr_err err = {0};
    sweep = (struct sweep){.world = w, .request = request};
    rest_world_ask(w, request);
    sweep.wanted = w->status;
    CHECK(w->status != 0 && w->body.len < sizeof(sweep.text));
    (void)snprintf(sweep.text, sizeof(sweep.text), "%.*s", TR_FMT(w->body));
    rest_world_ask(w, request);
    if (!tr_str_eq(w->body, tr_str_from(sweep.text)))
        sweep.text[0] = '\0';
    tr_test_fail_each(prepare, ask_again, &sweep);
    if (!w->rest)
        CHECK_OK(renew_door(w, &err), &err);
    rest_world_ask(w, request);
    CHECK(is_wanted(&sweep));
}

void rest_world_sweep(struct rest_world *w, const char *request)
{
    sweep(w, request, NULL);
}

void rest_world_sweep_cold(struct rest_world *w, const char *request)
{
    sweep(w, request, load_again);
}
