#include "base/limits.h"
#include "crypto/secrets.h"
#include "server/app.h"
#include "server/secrets.h"
#include "server/sources.h"

#include <unistd.h>

/* Reads trails.toml; its secrets are wiped where they were read. */
static tr_status read_again(struct tr_server_app *app, struct tr_arena *arena,
                            const struct tr_config_load **out,
                            struct tr_err *err)
{
    struct tr_crypto_secrets *unused = NULL;
    tr_str toml;
    TR_TRY(tr_server_app_read_config(app, arena, &toml, err));
    TR_TRY(tr_server_secrets_take(app->file, toml, &unused, err));
    tr_crypto_secrets_free(unused);
    return tr_config_load(arena, toml, environ, out, err);
}

tr_status tr_server_app_check_config(const struct tr_server_app *app,
                                     char file[256], struct tr_err *err)
{
    struct tr_server_app copy = *app; /* reading it names the file */
    const struct tr_config_load *read = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_LIMIT_CLI_MEMORY);
    copy.file[0] = '\0';
    copy.sources = NULL;
    tr_status status = read_again(&copy, &arena, &read, err);
    (void)snprintf(file, 256, "%s", copy.file);
    tr_arena_done(&arena);
    return status;
}

tr_status tr_server_app_load_again(struct tr_server_app *app,
                                   const struct tr_cap_snapshot **out,
                                   struct tr_err *err)
{
    const struct tr_config_load *before = app->settings;
    const struct tr_config_load *read = NULL;
    struct tr_config_load settings = *before;
    struct tr_arena arena; /* a snapshot keeps nothing of it */
    tr_server_app_recover(app->folder);
    tr_arena_init(&arena, TR_LIMIT_CLI_MEMORY);
    tr_server_sources_clear(app->sources);
    tr_status status = read_again(app, &arena, &read, err);
    if (status == TR_OK) {
        settings.own = read->own;
        app->settings = &settings;
        status = tr_server_app_load(app, out, err);
        app->settings = before;
    }
    tr_arena_done(&arena);
    return status;
}
