#include "server/meta.h"

#include "config/config.h"
#include "server/app.h"
#include "server/doctor.h"
#include "server/reload.h"

static const struct tr_server_meta *of(const struct tr_meta_outside *outside)
{
    return (const struct tr_server_meta *)(const void *)outside;
}

static tr_status try_files(const struct tr_meta_outside *outside,
                           const struct tr_file_text *texts, size_t count,
                           const struct tr_cap_snapshot **out,
                           struct tr_err *err)
{
    struct tr_err why = {0};
    char said[TR_SERVER_DOCTOR_TEXT];
    char file[256];
    tr_status status = tr_server_app_try_files(of(outside)->app, texts, count,
                                               out, file, &why);
    if (status == TR_OK)
        return TR_OK;
    tr_server_doctor_say(file, &why, said);
    return tr_fail(err, status, "%s", said);
}

static tr_status reload(const struct tr_meta_outside *outside,
                        struct tr_loop *loop, tr_meta_reloaded_fn *reloaded,
                        void *data, void **ask, struct tr_err *err)
{
    struct tr_server_reload_ask *asked = NULL;
    TR_TRY(tr_server_reload_ask(of(outside)->reload, loop, reloaded, data,
                                &asked, err));
    *ask = asked;
    return TR_OK;
}

static void forget(void *ask)
{
    tr_server_reload_forget(ask);
}

void tr_server_meta_init(struct tr_server_meta *meta,
                         const struct tr_server_app *app,
                         struct tr_server_reload *server)
{
    static const char *const envs[] = {
        [TR_CONFIG_ENV_DEVELOPMENT] = "development",
        [TR_CONFIG_ENV_TEST] = "test",
        [TR_CONFIG_ENV_PRODUCTION] = "production",
    };
    *meta = (struct tr_server_meta){
        .outside = {.env = tr_str_from(envs[app->config->project.env]),
                    .project = tr_str_from(app->name),
                    .folder = app->folder,
                    .try_files = try_files,
                    .reload = server ? reload : NULL,
                    .forget = forget},
        .app = app,
        .reload = server,
    };
    meta->outside.jobs = &meta->jobs;
}
