#include "server/env.h"

#include "base/log.h"
#include "config/config.h"
#include "loop/loop.h"
#include "prov/log.h"

#include <unistd.h>

/* Called once, until provenance can be written again. */
static void say_losing(void *data, const struct tr_err *err)
{
    (void)data;
    tr_log(TR_LOG_ERROR, "provenance of reads is being lost",
           TR_LOG_TEXT("error", tr_str_from(err->msg)));
}

struct tr_prov_keep tr_server_prov_keep_of(const struct tr_config *config)
{
    return (struct tr_prov_keep){.read_days = config->prov.read_days,
                                 .read_rows = config->prov.read_rows};
}

tr_status tr_server_fetch_opts_read(struct tr_arena *arena, const char *folder,
                                    const struct tr_config_load *load,
                                    struct tr_fetch_opts *out,
                                    struct tr_err *err)
{
    const struct tr_config *config = &load->config;
    tr_str file = config->fetch.ca_file;
    bool is_whole = file.len && file.ptr[0] == '/';
    char path[TR_LIMIT_PATH_BYTES];
    tr_str kept;
    *out = (struct tr_fetch_opts){
        .allow = config->fetch.allow.items,
        .allow_count = config->fetch.allow.count,
        .timeout_ms = (uint64_t)config->fetch.timeout_s * 1000,
        .max_bytes = (size_t)config->fetch.max_bytes,
    };
    TR_TRY(tr_server_name_origins(arena, load, out, err));
    if (!file.len)
        return TR_OK;
    int len = snprintf(path, sizeof(path), "%s%s%.*s", is_whole ? "" : folder,
                       is_whole ? "" : "/", TR_FMT(file));
    if (len < 0 || (size_t)len >= sizeof(path) || access(path, R_OK) != 0)
        return tr_fail(err, TR_E_INVALID, "fetch.ca_file: %s cannot be read",
                       path);
    if (!tr_arena_copy(arena, tr_str_from(path), &kept))
        return tr_fail(err, TR_E_NOMEM, "no memory for the settings of fetch");
    out->ca_file = kept.ptr;
    return TR_OK;
}

tr_status tr_server_env_open(struct tr_server_env *env,
                             struct tr_graph_store *store, struct tr_loop *loop,
                             struct tr_prov_keep keep,
                             const struct tr_fetch_opts *fetch,
                             struct tr_err *err)
{
    struct tr_fetch_opts out = {0};
    const struct tr_prov_log_opts log = {
        .loop = loop,
        .writer = tr_graph_store_writer(store),
        .names = tr_graph_store_prov(store),
        .keep = keep,
        .losing = say_losing,
    };
    *env = (struct tr_server_env){.loop = loop};
    env->calls.store = store;
    env->calls.uuids = &env->uuids;
    env->calls.prov_key = tr_graph_store_prov_key(store);
    env->calls.started_s = tr_loop_wall(loop).seconds;
    TR_TRY(tr_graph_store_loop_reader(store, loop, &env->calls.reader, err));
    if (fetch) {
        out = *fetch;
        out.loop = loop;
        out.allow_count = 0; /* each call brings its own: cap/live.h */
        TR_TRY(tr_fetch_client_create(&out, &env->calls.fetch, err));
    }
    return tr_prov_log_create(&log, &env->calls.log, err);
}

static void log_closed(void *data)
{
    ((struct tr_server_env *)data)->calls.log = NULL;
}

void tr_server_env_close(struct tr_server_env *env)
{
    tr_fetch_client_close(env->calls.fetch);
    env->calls.fetch = NULL;
    if (env->calls.log)
        tr_prov_log_close(env->calls.log, log_closed, env);
    if (env->loop)
        tr_loop_run(env->loop);
    tr_graph_reader_free(env->calls.reader);
    env->calls.reader = NULL;
}
