#include "server/live.h"

#include "access/budget.h"
#include "base/limits.h"
#include "cap/live.h"
#include "cap/registry.h"
#include "config/settings.h"
#include "crypto/secrets.h"
#include "server/app.h"
#include "server/env.h"
#include "server/secrets.h"
#include "server/sources.h"

#include <unistd.h>

struct tr_server_live {
    struct tr_arena arena;
};

tr_status tr_server_live_fill(const struct tr_server_app *app,
                              struct tr_cap_builder *builder,
                              struct tr_err *err)
{
    const struct tr_config *config = app->config;
    struct tr_arena *arena = tr_cap_registry_arena(builder);
    struct tr_cap_live *live = tr_cap_registry_live(builder);
    struct tr_fetch_bounds *bounds = TR_NEW(arena, struct tr_fetch_bounds);
    if (!bounds)
        return tr_fail(err, TR_E_NOMEM, "no memory for the settings of fetch");
    TR_TRY(tr_fetch_bounds_read(arena, &app->fetch, bounds, err));
    TR_TRY(tr_access_budgets_read(arena, config, &live->budgets, err));
    live->fetch = bounds;
    live->instructions = config->mcp.instructions;
    live->max_result_bytes = (size_t)config->mcp.max_result_bytes;
    live->call_timeout_ms = (uint64_t)config->mcp.call_timeout_s * 1000;
    live->errors_as_results = config->mcp.errors == TR_CONFIG_ERRORS_TOOL;
    live->no_result_meta = !config->mcp.result_meta;
    live->retries = (unsigned)config->runtime.retries;
    return TR_OK;
}

/* Whether the file has a secret that `taken` has not, or another one. Those of
 * the environment were taken once, and go before the file's. */
static bool has_new(const struct tr_crypto_secrets *taken,
                    const struct tr_crypto_secrets *read)
{
    for (size_t i = 0; read && i < tr_crypto_secrets_count(read); i++) {
        const struct tr_crypto_secret *one = tr_crypto_secrets_at(read, i);
        const struct tr_crypto_secret *other =
            tr_crypto_secrets_find(taken, one->name);
        if (!other || (!other->is_from_environment &&
                       !tr_str_eq(other->bytes, one->bytes)))
            return true;
    }
    return false;
}

static bool has_lost(const struct tr_crypto_secrets *taken,
                     const struct tr_crypto_secrets *read)
{
    for (size_t i = 0; taken && i < tr_crypto_secrets_count(taken); i++) {
        const struct tr_crypto_secret *one = tr_crypto_secrets_at(taken, i);
        if (!one->is_from_environment &&
            !tr_crypto_secrets_find(read, one->name))
            return true;
    }
    return false;
}

static void add_name(struct tr_buf *waiting, const char *section,
                     const char *key)
{
    tr_buf_putf(waiting, "%s%s%s%s", waiting->len ? ", " : "", section,
                *key ? "." : "", key);
}

static void tell_waiting(void *data, const struct tr_config_setting *setting)
{
    add_name(data, tr_config_setting_section(setting), setting->key);
}

/* Its secrets are wiped where they were read. */
static tr_status read_file(struct tr_server_app *app, struct tr_arena *arena,
                           struct tr_buf *waiting,
                           const struct tr_config_load **out,
                           struct tr_err *err)
{
    struct tr_crypto_secrets *read = NULL;
    tr_str toml;
    TR_TRY(tr_server_app_read_config(app, arena, &toml, err));
    TR_TRY(tr_server_secrets_take(app->file, toml, &read, err));
    if (waiting &&
        (has_new(app->secrets, read) || has_lost(app->secrets, read)))
        add_name(waiting, "secrets", "");
    tr_crypto_secrets_free(read);
    return tr_config_load(arena, toml, environ, out, err);
}

tr_status tr_server_live_read(struct tr_server_app *app,
                              struct tr_server_live **out,
                              struct tr_buf *waiting, struct tr_err *err)
{
    const struct tr_config_waiting listener = {tell_waiting, waiting};
    const struct tr_config_load *read = NULL;
    struct tr_server_live *live = calloc(1, sizeof(*live));
    if (!live)
        return tr_fail(err, TR_E_NOMEM, "no memory for the settings");
    tr_arena_init(&live->arena, TR_LIMIT_CLI_MEMORY);
    *out = live;
    TR_TRY(read_file(app, &live->arena, waiting, &read, err));
    TR_TRY(tr_config_renew(&live->arena, app->settings, read, &listener,
                           &app->settings, err));
    app->config = &app->settings->config;
    return tr_server_fetch_opts_read(&live->arena, app->folder, app->settings,
                                     &app->fetch, err);
}

void tr_server_live_free(struct tr_server_live *live)
{
    if (live)
        tr_arena_done(&live->arena);
    free(live);
}

static void release(void *data)
{
    tr_server_live_free(data);
}

tr_status tr_server_live_give(struct tr_server_live **moved,
                              struct tr_cap_builder *builder,
                              struct tr_err *err)
{
    TR_TRY(tr_cap_registry_on_free(builder, release, *moved, err));
    *moved = NULL;
    return TR_OK;
}

tr_status tr_server_app_check_config(const struct tr_server_app *app,
                                     char file[256], struct tr_err *err)
{
    struct tr_server_app copy = {.folder = app->folder};
    const struct tr_config_load *read = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_LIMIT_CLI_MEMORY);
    tr_status status = read_file(&copy, &arena, NULL, &read, err);
    (void)snprintf(file, 256, "%s", copy.file);
    tr_arena_done(&arena);
    return status;
}
