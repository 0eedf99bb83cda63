#include "server/env.h"

#include "base/log.h"
#include "config/config.h"
#include "loop/loop.h"
#include "prov/log.h"

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

tr_status tr_server_env_open(struct tr_server_env *env,
                             struct tr_graph_store *store, struct tr_loop *loop,
                             struct tr_prov_keep keep, struct tr_err *err)
{
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
    return tr_prov_log_create(&log, &env->calls.log, err);
}

static void log_closed(void *data)
{
    ((struct tr_server_env *)data)->calls.log = NULL;
}

void tr_server_env_close(struct tr_server_env *env)
{
    if (env->calls.log) {
        tr_prov_log_close(env->calls.log, log_closed, env);
        tr_loop_run(env->loop);
    }
    tr_graph_reader_free(env->calls.reader);
    env->calls.reader = NULL;
}
