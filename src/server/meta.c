#include "server/meta.h"

#include "config/config.h"
#include "server/app.h"

void tr_server_meta_init(struct tr_server_meta *meta,
                         const struct tr_server_app *app)
{
    static const char *const envs[] = {
        [TR_CONFIG_ENV_DEVELOPMENT] = "development",
        [TR_CONFIG_ENV_TEST] = "test",
        [TR_CONFIG_ENV_PRODUCTION] = "production",
    };
    *meta = (struct tr_server_meta){
        .outside = {.env = tr_str_from(envs[app->config->project.env]),
                    .project = tr_str_from(app->name)},
        .app = app,
    };
    meta->outside.jobs = &meta->jobs;
}
