#include "server/server.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/version.h"
#include "cap/registry.h"
#include "crypto/keys.h"
#include "http/server.h"
#include "loop/loop.h"
#include "loop/signal.h"
#include "mcp/hub.h"
#include "server/routes.h"
#include "server/worker.h"

#include <signal.h>
#include <unistd.h>

static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

/* Far more than what loops have for each other when they stop. */
#define SETTLE_ROUNDS 100

/* Everything that runs; on the stack of tr_serve_run. */
struct server {
    const struct tr_serve *serve;
    struct tr_registry *registry;
    struct tr_keys *keys;
    struct tr_hub *hub;
    struct tr_signal *signals[TR_LEN(signals)];
    struct tr_worker *workers;
    size_t worker_count;
    unsigned port;
};

static void stop_all(struct server *server)
{
    for (size_t i = 0; i < TR_LEN(server->signals); i++) {
        tr_signal_close(server->signals[i]);
        server->signals[i] = NULL;
    }
    for (size_t i = 0; i < server->worker_count; i++)
        tr_worker_stop(&server->workers[i]);
}

/* A broken app changes nothing: the old one goes on serving. */
static void reload(struct server *server)
{
    struct tr_app *app = server->serve->app;
    const struct tr_snapshot *snapshot = NULL;
    struct tr_err err;
    if (tr_app_load(app, &snapshot, &err) != TR_OK) {
        char what[1024];
        (void)snprintf(what, sizeof(what), "%s%s%s", app->file,
                       app->file[0] ? ": " : "", err.msg);
        tr_log(TR_LOG_ERROR, "the app cannot be loaded again",
               TR_LOG_TEXT("error", tr_str_from(what)));
        return;
    }
    tr_registry_take(server->registry, snapshot);
    tr_hub_list_changed(server->hub, TR_LIST_TOOLS);
    tr_hub_list_changed(server->hub, TR_LIST_RESOURCES);
    tr_hub_list_changed(server->hub, TR_LIST_PROMPTS);
    tr_log(TR_LOG_INFO, "the app was loaded again",
           TR_LOG_TEXT("file", tr_str_from(app->file)));
}

static void on_signal(int number, void *data)
{
    if (number == SIGHUP)
        reload(data);
    else
        stop_all(data);
}

static tr_status load_first(struct server *server, struct tr_err *err)
{
    const struct tr_snapshot *snapshot = NULL;
    TR_TRY(tr_registry_create(&server->registry, err));
    TR_TRY(tr_app_load(server->serve->app, &snapshot, err));
    tr_registry_take(server->registry, snapshot);
    server->serve->app->file[0] = '\0';
    return TR_OK;
}

/* data/keys, so that cursors and states outlive this process. */
static tr_status open_keys(struct server *server, struct tr_err *err)
{
    const struct tr_app *app = server->serve->app;
    tr_str path = app->config->store.path;
    char file[512];
    if (tr_str_eq(path, TR_STR(":memory:")))
        return tr_keys_create(&server->keys, err);
    bool absolute = path.ptr[0] == '/';
    (void)snprintf(file, sizeof(file), "%s%s%.*s/keys",
                   absolute ? "" : app->folder, absolute ? "" : "/",
                   TR_FMT(path));
    return tr_keys_open(file, tr_time_now().seconds, &server->keys, err);
}

static struct tr_mcp_opts mcp_opts(const struct server *server)
{
    const struct tr_config *config = server->serve->app->config;
    return (struct tr_mcp_opts){
        .registry = server->registry,
        .keys = server->keys,
        .hub = server->hub,
        .name = tr_str_from(server->serve->app->name),
        .version = TR_STR(TR_VERSION),
        .instructions = config->mcp.instructions,
        .origins = {config->server.origins.items, config->server.origins.count},
        .max_result_bytes = (size_t)config->mcp.max_result_bytes,
        .max_sessions = (size_t)config->mcp.max_sessions,
        .max_streams = (size_t)config->mcp.max_streams,
        .max_subscriptions = (size_t)config->mcp.max_subscriptions,
        .max_batch = (size_t)config->mcp.max_batch,
        .replay_bytes = (size_t)config->mcp.replay_bytes,
        .call_timeout_ms = (uint64_t)config->mcp.call_timeout_s * 1000,
        .session_timeout_ms = (uint64_t)config->mcp.session_timeout_s * 1000,
        .sessions = config->mcp.sessions != 0,
        .production = config->project.env == TR_ENV_PRODUCTION,
    };
}

static size_t count_workers(const struct tr_serve *serve)
{
    int64_t threads = serve->app->config->server.threads;
    if (serve->stdio || serve->unix_path)
        return 1;
    if (threads == 0)
        threads = sysconf(_SC_NPROCESSORS_ONLN);
    return threads < 1 ? 1 : (size_t)threads;
}

static tr_status open_workers(struct server *server, struct tr_err *err)
{
    size_t count = count_workers(server->serve);
    server->workers = calloc(count, sizeof(*server->workers));
    if (!server->workers)
        return tr_fail(err, TR_E_NOMEM, "no memory for %zu loops", count);
    for (; server->worker_count < count; server->worker_count++) {
        struct tr_mcp_opts opts = mcp_opts(server);
        struct tr_worker *worker = &server->workers[server->worker_count];
        tr_status status = tr_worker_open(worker, &opts, err);
        if (status != TR_OK) {
            tr_worker_close(worker);
            return status;
        }
    }
    return TR_OK;
}

/* The first picks the port when it is left open; the others share it. */
static tr_status listen_http(struct server *server, struct tr_worker *worker,
                             struct tr_err *err)
{
    const struct tr_serve *serve = server->serve;
    char address[128];
    tr_str host = serve->http;
    while (host.len && host.ptr[host.len - 1] != ':')
        host.len--;
    bool first = worker == server->workers;
    (void)snprintf(address, sizeof(address), "%.*s%u", TR_FMT(host),
                   server->port);
    struct tr_http_address at = {
        .address = first ? serve->http : tr_str_from(address),
        .path = tr_str_from(serve->unix_path),
        .reuse_port = server->worker_count > 1,
    };
    TR_TRY(tr_http_server_create(worker->loop, NULL, tr_server_route,
                                 worker->mcp, &worker->http, err));
    return tr_http_server_listen(worker->http, &at,
                                 first ? &server->port : NULL, err);
}

static tr_status open_transports(struct server *server, struct tr_err *err)
{
    if (server->serve->stdio)
        return tr_worker_serve_stdio(&server->workers[0], err);
    for (size_t i = 0; i < server->worker_count; i++)
        TR_TRY(listen_http(server, &server->workers[i], err));
    return TR_OK;
}

static tr_status open_signals(struct server *server, struct tr_err *err)
{
    for (size_t i = 0; i < TR_LEN(signals); i++)
        TR_TRY(tr_signal_open(server->workers[0].loop, signals[i], on_signal,
                              server, &server->signals[i], err));
    return TR_OK;
}

/* The one line that scripts and people wait for. */
static void say_ready(const struct server *server)
{
    const struct tr_serve *serve = server->serve;
    tr_str host = serve->http;
    if (serve->stdio)
        return;
    while (host.len && host.ptr[host.len - 1] != ':')
        host.len--;
    if (serve->unix_path)
        (void)printf("listening on unix:%s\n", serve->unix_path);
    else
        (void)printf("listening on http://%.*s%u/mcp\n", TR_FMT(host),
                     server->port);
    (void)fflush(stdout);
}

static tr_status open_all(struct server *server, struct tr_err *err)
{
    TR_TRY(load_first(server, err));
    TR_TRY(open_keys(server, err));
    TR_TRY(tr_hub_create(&server->hub, err));
    TR_TRY(open_workers(server, err));
    TR_TRY(open_transports(server, err));
    TR_TRY(open_signals(server, err));
    for (size_t i = 1; i < server->worker_count; i++)
        TR_TRY(tr_worker_start(&server->workers[i], err));
    return TR_OK;
}

/* Loops stop in any order: what they had for each other is settled now. */
static void close_workers(struct server *server)
{
    bool is_waiting = true;
    for (size_t i = 0; i < server->worker_count; i++)
        tr_worker_join(&server->workers[i]);
    for (unsigned round = 0; is_waiting && round < SETTLE_ROUNDS; round++) {
        is_waiting = round < 2; /* there and back */
        for (size_t i = 0; i < server->worker_count; i++)
            is_waiting = tr_worker_settle(&server->workers[i]) || is_waiting;
    }
    for (size_t i = 0; i < server->worker_count; i++)
        tr_worker_close(&server->workers[i]);
    free(server->workers);
}

tr_status tr_serve_run(const struct tr_serve *serve, struct tr_err *err)
{
    struct server server = {.serve = serve};
    tr_log_set_level((enum tr_log_level)serve->app->config->log.level);
    tr_status status = open_all(&server, err);
    if (status == TR_OK)
        say_ready(&server);
    else
        stop_all(&server);
    /* Also after a failure: what was opened closes on its loop. */
    if (server.worker_count)
        tr_loop_run(server.workers[0].loop);
    stop_all(&server);
    if (server.worker_count)
        tr_loop_run(server.workers[0].loop); /* closes the signals */
    close_workers(&server);
    tr_hub_free(server.hub);
    tr_keys_free(server.keys);
    tr_registry_free(server.registry);
    return status;
}
