#include "server/server.h"

#include "base/compiler.h"
#include "base/limits.h"
#include "base/log.h"
#include "cap/registry.h"
#include "graph/store.h"
#include "http/server.h"
#include "loop/log_lines.h"
#include "loop/loop.h"
#include "loop/thread.h"
#include "mcp/hub.h"
#include "query/scans.h"
#include "runtime/env.h"
#include "server/acceptor.h"
#include "server/changes.h"
#include "server/doctor.h"
#include "server/env.h"
#include "server/gate.h"
#include "server/issuer.h"
#include "server/meta.h"
#include "server/published.h"
#include "server/reload.h"
#include "server/routes.h"
#include "server/site.h"
#include "server/slow.h"
#include "server/watch.h"
#include "server/worker.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

/* Far more rounds than loops need to pass on what they have for each other. */
#define SETTLE_ROUNDS 100

/* Everything that runs; on the stack of tr_server_run. */
struct server {
    const struct tr_server_opts *serve;
    struct tr_cap_registry *registry;
    struct tr_server_gate gate;
    struct tr_access_key_source issuer_keys;
    struct tr_server_issuer issuer; /* fetches them */
    struct tr_fetch_opts fetch;     /* of all loops; with counts */
    struct tr_server_keyring keys;
    struct tr_graph_store *store;
    struct tr_server_changes changes;                    /* in it */
    struct tr_call_idempotency_queue *idempotency_queue; /* of the process */
    struct tr_call_race_queue *race_queue;               /* as well */
    struct tr_query_scans *scans;                        /* as well */
    struct tr_server_doctor doctor;                      /* as well */
    struct tr_server_meta meta;                          /* as well */
    struct tr_server_reload reload;
    struct tr_server_watch watch; /* asks for it */
    struct tr_server_slow slow;   /* keeps these in the store */
    struct tr_mcp_hub *hub;
    struct tr_loop_log_target *log; /* of requests and faults */
    struct tr_server_metrics metrics;
    struct tr_loop_signal *signals[TR_LEN(signals)];
    struct tr_server_worker *workers;
    size_t worker_count;
    struct tr_server_acceptor acceptor; /* for several of them */
    struct tr_loop_timer wait;          /* for the other loops to end */
    unsigned port;
    bool is_stopping;
    struct tr_err lost; /* why it ends by itself, if it does */
};

/* How often the first loop looks whether the others have ended. */
#define WAIT_MS 10

/* Each connection needs a descriptor: raises the soft limit to the hard one. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        tr_log(TR_LOG_WARN, "the limit of open files cannot be raised",
               TR_LOG_TEXT("error", tr_str_from(strerror(errno))));
}

/* The first loop hears signals, so it is the last to end. */
static void wait_for_others(void *data)
{
    struct server *server = data;
    for (size_t i = 1; i < server->worker_count; i++) {
        const struct tr_server_worker *worker = &server->workers[i];
        if (worker->has_thread && !atomic_load(&worker->thread_done))
            return;
    }
    tr_loop_timer_stop(&server->wait);
}

/* At the first signal what runs may end by itself; a second one ends at once.
 */
static void stop_all(struct server *server, int number)
{
    if (server->is_stopping)
        tr_log(TR_LOG_INFO, "ending at once", TR_LOG_INT("signal", number));
    if (!server->is_stopping && server->worker_count > 1)
        tr_loop_timer_start(&server->wait, WAIT_MS, WAIT_MS);
    tr_server_acceptor_close(&server->acceptor);
    for (size_t i = 0; i < server->worker_count; i++)
        tr_server_worker_stop(&server->workers[i], server->is_stopping);
    server->is_stopping = server->reload.is_ending = true;
    atomic_store(&server->metrics.lua.is_ending, true);
}

/*
 * From here on the process only cleans up: without handlers, one more signal
 * would kill it in the midst of that, so signals are ignored. Other threads get
 * none anyway.
 */
static void close_signals(struct server *server)
{
    tr_loop_thread_ignore_signals();
    for (size_t i = 0; i < TR_LEN(server->signals); i++) {
        tr_loop_signal_close(server->signals[i]);
        server->signals[i] = NULL;
    }
}

/* Takes up rotated keys; a file that cannot be read changes nothing. */
static void reload_keys(struct server *server)
{
    struct tr_err err;
    bool changed = false;
    if (tr_server_keyring_reopen(&server->keys, &changed, &err) != TR_OK) {
        tr_log(TR_LOG_ERROR, "the keys cannot be read again",
               TR_LOG_TEXT("error", tr_str_from(err.msg)));
        return;
    }
    if (!changed)
        return;
    for (size_t i = 0; i < server->worker_count; i++)
        tr_server_worker_take_keys(&server->workers[i],
                                   tr_server_keyring_current(&server->keys));
    tr_log(TR_LOG_INFO, "the keys were read again",
           TR_LOG_TEXT("file", tr_str_from(server->keys.path)));
}

/* It has said in the log what was wrong. */
static void load_again(void *data)
{
    struct server *server = data;
    tr_status told = tr_server_reload_now(&server->reload, NULL);
    (void)told;
}

static void on_signal(int number, void *data)
{
    struct server *server = data;
    if (number != SIGHUP) {
        stop_all(server, number);
    } else if (!server->is_stopping) {
        reload_keys(server);
        load_again(server);
    }
}

/* What it serves may have another name now: then it cannot find it, and must
 * not write beside it. Reads and writes are refused already (graph/store.h). */
static void end_lost(void *data, const struct tr_err *err)
{
    struct server *server = data;
    if (server->is_stopping)
        return;
    if (tr_server_app_claim(server->serve->app, server->store, &server->lost) !=
        TR_E_CONFLICT) {
        server->lost = (struct tr_err){0};
        tr_log(TR_LOG_WARN, "the change feed cannot be read",
               TR_LOG_TEXT("error", tr_str_from(err->msg)));
        return;
    }
    tr_log(TR_LOG_ERROR, "the server ends: its store is another project's",
           TR_LOG_TEXT("error", tr_str_from(err->msg)));
    stop_all(server, 0);
}

static tr_status load_first(struct server *server, struct tr_err *err)
{
    const struct tr_cap_snapshot *snapshot = NULL;
    TR_TRY(tr_cap_registry_create(&server->registry, err));
    TR_TRY(tr_server_app_load(server->serve->app, &snapshot, err));
    tr_cap_registry_take(server->registry, snapshot);
    server->serve->app->file[0] = '\0';
    return TR_OK;
}

/* Not on stdio: standard error belongs to the client there, the only one. */
static bool logs_access(const struct tr_server_opts *serve)
{
    return !serve->stdio && serve->app->config->log.access;
}

static struct tr_mcp_about about_of(const struct tr_config *config)
{
    return (struct tr_mcp_about){
        .title = config->project.title,
        .description = config->project.description,
        .website = config->project.website,
        .icons = config->project.icons,
    };
}

/* Where it really listens may be another address than that of the settings. On
 * stdio nobody could tell where a manifest without a base would be. */
static struct tr_project_site site_of(const struct server *server)
{
    const struct tr_server_opts *serve = server->serve;
    struct tr_project_site site = tr_server_site(serve->app);
    site.auth.needs_bearer = server->gate.rules.is_required;
    site.has_manifest = site.has_manifest && (!serve->stdio || site.base.len);
    return site;
}

static struct tr_mcp_opts mcp_opts(const struct server *server)
{
    const struct tr_config *config = server->serve->app->config;
    return (struct tr_mcp_opts){
        .registry = server->registry,
        .keys = tr_server_keyring_current(&server->keys),
        .hub = server->hub,
        .site = site_of(server),
        .name = tr_str_from(server->serve->app->name),
        .version = TR_STR(TR_VERSION),
        .about = about_of(config),
        .max_sessions = (size_t)config->mcp.max_sessions,
        .max_caller_sessions = (size_t)config->mcp.max_caller_sessions,
        .max_streams = (size_t)config->mcp.max_streams,
        .max_subscriptions = (size_t)config->mcp.max_subscriptions,
        .max_batch = (size_t)config->mcp.max_batch,
        .replay_bytes = (size_t)config->mcp.replay_bytes,
        .max_nesting = (unsigned)config->mcp.max_nesting,
        .session_timeout_ms = (uint64_t)config->mcp.session_timeout_s * 1000,
        .sessions = config->mcp.sessions != 0,
        .production = config->project.env == TR_CONFIG_ENV_PRODUCTION,
        .log_access = logs_access(server->serve),
    };
}

static void tell_updated(void *data, tr_str uri)
{
    tr_mcp_hub_updated(data, uri);
}

static void tell_list_changed(void *data, enum tr_call_list_kind kind)
{
    tr_mcp_hub_list_changed(data, kind);
}

static void tell_ended(void *data, const struct tr_call *call)
{
    tr_mcp_hub_call_ended(data, call);
}

/* What is the same over MCP is the same here. */
static struct tr_rest_opts rest_opts(const struct server *server)
{
    const struct tr_mcp_opts mcp = mcp_opts(server);
    return (struct tr_rest_opts){
        .registry = mcp.registry,
        .tell = {.updated = tell_updated,
                 .list_changed = tell_list_changed,
                 .ended = tell_ended,
                 .data = server->hub},
        .site = mcp.site,
        .max_nesting = mcp.max_nesting,
        .production = mcp.production,
        .log_access = mcp.log_access,
    };
}

static size_t count_workers(const struct tr_server_opts *serve)
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
        struct tr_server_worker_opts opts = {
            .mcp = mcp_opts(server),
            .rest = rest_opts(server),
            .keep = tr_server_prov_keep_of(server->serve->app->config),
            .store = server->store,
            .idempotency_queue = server->idempotency_queue,
            .race_queue = server->race_queue,
            .scans = server->scans,
            .doctor = &server->doctor.outside,
            .meta = &server->meta.outside,
            .fetch = &server->fetch,
            .gate = &server->gate,
            .metrics = &server->metrics,
            .log = server->log,
        };
        struct tr_server_worker *worker =
            &server->workers[server->worker_count];
        tr_status status = tr_server_worker_open(worker, &opts, err);
        if (status != TR_OK) {
            tr_server_worker_close(worker);
            return status;
        }
    }
    server->metrics.workers = server->workers;
    server->metrics.worker_count = count;
    return TR_OK;
}

static tr_status open_store(struct server *server, struct tr_err *err)
{
    const struct tr_graph_store_opts opts = {
        .committed = tr_server_changes_wake, .data = &server->changes};
    const struct tr_cap_snapshot *snapshot =
        tr_cap_registry_pin(server->registry);
    tr_status status = tr_server_app_open_store(server->serve->app, &opts,
                                                snapshot, &server->store, err);
    if (status == TR_OK)
        status = tr_server_published_keep(server->serve->app, snapshot,
                                          server->store, err);
    tr_cap_snapshot_unpin(snapshot);
    return status;
}

/* Fetches the issuer's keys, unless they are in a file. */
static tr_status watch_issuer(struct server *server, struct tr_err *err)
{
    if (!server->gate.jwks_url)
        return TR_OK;
    server->issuer = (struct tr_server_issuer){
        .url = server->gate.jwks_url,
        .source = &server->issuer_keys,
        .loop = server->workers[0].loop,
        .out = &server->fetch,
    };
    server->workers[0].issuer = &server->issuer;
    return tr_server_issuer_start(&server->issuer, err);
}

static tr_status watch_store(struct server *server, struct tr_err *err)
{
    struct tr_server_changes *changes = &server->changes;
    changes->store = server->store;
    changes->hub = server->hub;
    changes->registry = server->registry;
    changes->count = &server->metrics.changes;
    changes->lost = end_lost;
    changes->lost_data = server;
    server->metrics.store = server->store;
    changes->loop = server->workers[0].loop;
    changes->reader = server->workers[0].env.calls.reader;
    server->workers[0].changes = changes;
    return tr_server_changes_start(changes, err);
}

static void watch_app(struct server *server)
{
    server->reload = (struct tr_server_reload){
        .app = server->serve->app,
        .registry = server->registry,
        .store = server->store,
        .hub = server->hub,
        .doctor = &server->doctor,
        .metrics = &server->metrics,
        .watch = &server->watch,
        .loop = server->workers[0].loop,
    };
    if (!server->serve->watches)
        return;
    server->watch = (struct tr_server_watch){
        .loop = server->workers[0].loop,
        .sources = server->serve->app->sources,
        .changed = load_again,
        .data = server,
    };
    server->workers[0].watch = &server->watch;
    tr_server_watch_start(&server->watch);
}

static void keep_slow(struct server *server)
{
    server->slow.scans = server->scans;
    server->slow.store = server->store;
    server->slow.loop = server->workers[0].loop;
    server->workers[0].slow = &server->slow;
    tr_server_slow_start(&server->slow);
}

static struct tr_http_opts http_opts(const struct tr_config *config)
{
    return (struct tr_http_opts){
        .limits =
            {
                .line_bytes = (size_t)config->server.max_line_bytes,
                .head_bytes = (size_t)config->server.max_header_bytes,
                .body_bytes = (uint64_t)config->server.max_body_bytes,
            },
        .max_connections = (size_t)config->server.max_connections,
        .max_sse_bytes = (size_t)config->server.max_queue_bytes,
        .max_buffered_bytes = (size_t)config->server.max_buffered_bytes,
        .head_timeout_ms = (unsigned)config->server.header_timeout_s * 1000,
        .body_timeout_ms = (unsigned)config->server.body_timeout_s * 1000,
        .idle_timeout_ms = (unsigned)config->server.idle_timeout_s * 1000,
        .write_timeout_ms = (unsigned)config->server.write_timeout_s * 1000,
    };
}

static tr_status create_http(struct server *server,
                             struct tr_server_worker *worker,
                             struct tr_err *err)
{
    const struct tr_server_opts *serve = server->serve;
    struct tr_http_opts opts = http_opts(serve->app->config);
    opts.judge = tr_server_judge;
    opts.report = logs_access(serve) ? tr_server_worker_report : NULL;
    return tr_http_server_create(worker->loop, &opts, tr_server_route, worker,
                                 &worker->http, err);
}

/* One loop listens itself; for several there is one who accepts. */
static tr_status listen_http(struct server *server, struct tr_err *err)
{
    const struct tr_server_opts *serve = server->serve;
    const struct tr_http_address at = {.address = serve->http,
                                       .path = tr_str_from(serve->unix_path)};
    for (size_t i = 0; i < server->worker_count; i++)
        TR_TRY(create_http(server, &server->workers[i], err));
    if (server->worker_count == 1)
        return tr_http_server_listen(server->workers[0].http, &at,
                                     &server->port, err);
    server->acceptor.workers = server->workers;
    server->acceptor.worker_count = server->worker_count;
    return tr_server_acceptor_open(&server->acceptor, serve->http,
                                   &server->port, err);
}

static tr_status open_transports(struct server *server, struct tr_err *err)
{
    struct tr_db *db = server->workers[0].env.calls.reader->db;
    if (server->serve->stdio) {
        TR_TRY(tr_server_check_brought(
            &server->gate, server->serve, server->workers[0].bearer,
            tr_graph_store_generation(server->store), err));
        return tr_server_worker_serve_stdio(&server->workers[0], err);
    }
    TR_TRY(tr_server_gate_check_address(&server->gate, server->serve, db, err));
    return listen_http(server, err);
}

static tr_status open_signals(struct server *server, struct tr_err *err)
{
    for (size_t i = 0; i < TR_LEN(signals); i++)
        TR_TRY(tr_loop_signal_open(server->workers[0].loop, signals[i],
                                   on_signal, server, &server->signals[i],
                                   err));
    return TR_OK;
}

/* A path as one can use it from anywhere. */
static void say_path(const char *path)
{
    char *whole = realpath(path, NULL);
    (void)printf("listening on unix:%s\n", whole ? whole : path);
    free(whole);
}

/* The one line that scripts and people wait for. */
static void say_ready(const struct server *server)
{
    const struct tr_server_opts *serve = server->serve;
    char address[TR_NET_ADDRESS_BYTES];
    if (serve->stdio)
        return;
    if (serve->unix_path) {
        say_path(serve->unix_path);
    } else {
        tr_net_address_write(&serve->address, server->port, address);
        (void)printf("listening on http://%s/mcp\n", address);
        if (tr_net_address_is_any(&serve->address))
            tr_log(TR_LOG_INFO, "listening on all addresses of this machine",
                   TR_LOG_INT("port", server->port));
    }
    (void)fflush(stdout);
}

static tr_status open_all(struct server *server, struct tr_err *err)
{
    TR_TRY(load_first(server, err));
    TR_TRY(tr_server_gate_open(&server->gate, server->serve, err));
    if (server->gate.jwks_url)
        server->gate.bearer.keys = &server->issuer_keys;
    tr_server_gate_keep_secrets(&server->gate);
    TR_TRY(tr_server_keyring_open(&server->keys, server->serve->app, err));
    TR_TRY(open_store(server, err));
    TR_TRY(tr_call_idempotency_queue_create(&server->idempotency_queue, err));
    TR_TRY(tr_call_race_queue_create(&server->race_queue, err));
    TR_TRY(tr_query_scans_create(&server->scans, err));
    TR_TRY(tr_mcp_hub_create(&server->hub, err));
    TR_TRY(tr_loop_log_target_create(STDERR_FILENO, &server->log, err));
    TR_TRY(tr_fetch_totals_create(&server->metrics.fetch, err));
    server->fetch = server->serve->app->fetch;
    server->fetch.totals = server->metrics.fetch;
    TR_TRY(open_workers(server, err));
    tr_loop_timer_init(&server->wait, server->workers[0].loop, wait_for_others,
                       server);
    TR_TRY(watch_store(server, err));
    TR_TRY(watch_issuer(server, err));
    watch_app(server);
    keep_slow(server);
    TR_TRY(open_transports(server, err));
    TR_TRY(open_signals(server, err));
    for (size_t i = 1; i < server->worker_count; i++)
        TR_TRY(tr_server_worker_start(&server->workers[i], err));
    return server->acceptor.loop
               ? tr_server_acceptor_start(&server->acceptor, err)
               : TR_OK;
}

/* Loops stop in any order: what they have posted to each other is done now. */
static void settle(struct server *server)
{
    bool is_waiting = true;
    for (unsigned round = 0; is_waiting && round < SETTLE_ROUNDS; round++) {
        is_waiting = round < 2; /* at least there and back */
        for (size_t i = 0; i < server->worker_count; i++)
            is_waiting =
                tr_server_worker_settle(&server->workers[i]) || is_waiting;
    }
}

/* Closes what was opened, also after a failure, each on its loop. */
static void close_all(struct server *server)
{
    tr_server_acceptor_close(&server->acceptor);
    for (size_t i = 1; i < server->worker_count; i++)
        tr_server_worker_stop(&server->workers[i], true);
    for (size_t i = 1; i < server->worker_count; i++)
        tr_server_worker_join(&server->workers[i]);
    close_signals(server);
    if (server->worker_count)
        tr_server_worker_join(&server->workers[0]);
    settle(server);
    tr_server_changes_close(&server->changes);
    for (size_t i = 0; i < server->worker_count; i++)
        tr_server_worker_close(&server->workers[i]);
    free(server->workers);
    tr_loop_log_target_free(server->log);
    tr_mcp_hub_free(server->hub);
    tr_call_idempotency_queue_free(server->idempotency_queue);
    tr_call_race_queue_free(server->race_queue);
    tr_server_slow_close(&server->slow);
    tr_query_scans_free(server->scans);
    tr_graph_store_close(server->store);
    tr_server_keyring_close(&server->keys);
    tr_cap_registry_free(server->registry);
    tr_access_key_source_done(&server->issuer_keys);
    tr_fetch_totals_free(server->metrics.fetch);
    tr_server_doctor_done(&server->doctor);
}

tr_status tr_server_run(const struct tr_server_opts *serve, struct tr_err *err)
{
    struct server server = {.serve = serve};
    tr_server_changes_init(&server.changes);
    TR_TRY(tr_access_key_source_init(&server.issuer_keys, err));
    TR_TRY(tr_server_doctor_init(&server.doctor, serve->app, err));
    tr_server_meta_init(&server.meta, serve->app, &server.reload);
    serve->app->lua_counts = &server.metrics.lua;
    tr_log_set_level((enum tr_log_level)serve->app->config->log.level);
    tr_log_set_form((enum tr_log_form)serve->app->config->log.form);
    raise_descriptor_limit();
    tr_status status = open_all(&server, err);
    if (status == TR_OK) {
        say_ready(&server);
        tr_server_worker_run(&server.workers[0]);
    }
    close_all(&server);
    if (status == TR_OK && server.lost.code != TR_OK) {
        *err = server.lost;
        status = err->code;
    }
    return status;
}
