#include "server/app.h"

#include "base/ascii.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "builtin/builtin.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "config/settings.h"
#include "crypto/secrets.h"
#include "gen/gen.h"
#include "graph/store.h"
#include "graph/upkeep.h"
#include "lua/app.h"
#include "meta/meta.h"
#include "server/env.h"
#include "server/fit.h"
#include "server/live.h"
#include "server/secrets.h"
#include "server/sources.h"

#include <unistd.h>

/* How each variable of the environment that is a setting begins. */
#define VARIABLES TR_STR("TRAILS_")

static void name_file(struct tr_server_app *app, const char *name)
{
    bool here = strcmp(app->folder, ".") == 0;
    (void)snprintf(app->file, sizeof(app->file), "%s%s%s",
                   here ? "" : app->folder, here ? "" : "/", name);
}

tr_status tr_server_app_read_config(struct tr_server_app *app,
                                    struct tr_arena *arena, tr_str *out,
                                    struct tr_err *err)
{
    const tr_str *instead =
        tr_file_text_find(app->texts, app->text_count, "trails.toml");
    name_file(app, "trails.toml");
    if (instead && instead->len > TR_LIMIT_TOML_BYTES)
        return tr_fail(err, TR_E_LIMIT, "it is larger than %d bytes",
                       (int)TR_LIMIT_TOML_BYTES);
    if (instead) /* secrets are wiped where they are read */
        return tr_arena_copy(arena, *instead, out)
                   ? TR_OK
                   : tr_fail(err, TR_E_NOMEM, "no memory for the settings");
    tr_status status =
        tr_file_read(arena, app->file, TR_LIMIT_TOML_BYTES, out, err);
    tr_server_sources_note(app->sources, "trails.toml", status,
                           status == TR_OK ? *out : TR_STR(""));
    if (status == TR_E_NOT_FOUND && access(app->folder, X_OK) == 0) {
        *out = TR_STR("");
        return TR_OK;
    }
    if (status == TR_E_NOT_FOUND)
        (void)tr_fail(err, status, "there is no folder '%s'", app->folder);
    if (status != TR_OK)
        app->file[0] = '\0'; /* the message names the file */
    return status;
}

static tr_status read_source(struct tr_server_app *app, struct tr_arena *arena,
                             tr_str *out, struct tr_err *err)
{
    const tr_str *instead =
        tr_file_text_find(app->texts, app->text_count, "app.lua");
    name_file(app, "app.lua");
    if (instead) {
        *out = *instead;
        return TR_OK;
    }
    tr_status status =
        tr_file_read(arena, app->file, TR_LIMIT_APP_BYTES, out, err);
    tr_server_sources_note(app->sources, "app.lua", status,
                           status == TR_OK ? *out : TR_STR(""));
    if (status == TR_E_NOT_FOUND)
        (void)tr_fail(err, status,
                      "there is no %s; 'trails new FOLDER' makes an app",
                      app->file);
    if (status != TR_OK)
        app->file[0] = '\0';
    return status;
}

static size_t trim_hyphens(const char *text, size_t len)
{
    while (len > 0 && text[len - 1] == '-')
        len--;
    return len;
}

void tr_server_app_folder_name(const char *folder, char out[64])
{
    char *path = realpath(folder, NULL);
    tr_str name = tr_str_from(path ? path : folder);
    size_t len = 0;
    while (name.len && name.ptr[name.len - 1] == '/')
        name.len--;
    for (size_t i = name.len; i > 0 && name.ptr[i - 1] != '/'; i--)
        len++;
    name = tr_str_skip(name, name.len - len);
    len = 0;
    for (size_t i = 0; i < name.len && len < 63; i++) {
        char lower = tr_ascii_to_lower(name.ptr[i]);
        bool plain = tr_ascii_is_lower(lower) || tr_ascii_is_digit(lower);
        if (plain || len > 0)
            out[len++] = plain ? lower : '-';
    }
    free(path);
    len = trim_hyphens(out, len);
    out[len] = '\0';
    if (len == 0)
        (void)snprintf(out, 64, "local");
}

/* The path of the folder of a store, as tr_server_app_store has it. */
static tr_status write_store(const char *folder, tr_str path, char *out,
                             size_t size, struct tr_err *err)
{
    bool is_whole = path.ptr[0] == '/' || tr_str_eq(path, TR_STR(":memory:"));
    int len = snprintf(out, size, "%s%s%.*s", is_whole ? "" : folder,
                       is_whole ? "" : "/", TR_FMT(path));
    if (len < 0 || (size_t)len >= size)
        return tr_fail(err, TR_E_LIMIT, "the path of the store is too long");
    return TR_OK;
}

/* A store that cannot be read says so when it is opened, and one with the IRIs
 * of two projects when it is claimed. */
tr_status tr_server_app_name_project(const char *folder, struct tr_arena *arena,
                                     const struct tr_config_load **settings,
                                     struct tr_err *err)
{
    char store[TR_LIMIT_PATH_BYTES];
    char name[64];
    struct tr_graph_owner owner = {0};
    if (tr_config_project_origin(*settings) != TR_CONFIG_FROM_DEFAULT)
        return TR_OK;
    TR_TRY(write_store(folder, (*settings)->config.store.path, store,
                       sizeof(store), err));
    if (tr_graph_owner_peek(store, &owner, NULL) == TR_OK && owner.name[0] &&
        !owner.other[0])
        return tr_config_name_project(arena, tr_str_from(owner.name),
                                      TR_CONFIG_FROM_STORE, settings, err);
    tr_server_app_folder_name(folder, name);
    return tr_config_name_project(arena, tr_str_from(name),
                                  TR_CONFIG_FROM_FOLDER, settings, err);
}

static void take_settings(struct tr_server_app *app,
                          const struct tr_config_load *settings)
{
    app->settings = settings;
    app->config = &settings->config;
    (void)snprintf(app->name, sizeof(app->name), "%.*s",
                   TR_FMT(app->config->project.name));
}

tr_status tr_server_app_rename(struct tr_server_app *app, struct tr_err *err)
{
    const struct tr_config_load *settings = app->settings;
    enum tr_config_origin origin = tr_config_project_origin(settings);
    if (origin == TR_CONFIG_FROM_FILE)
        return TR_OK;
    TR_TRY(tr_config_name_project(&app->arena, TR_STR(""),
                                  TR_CONFIG_FROM_DEFAULT, &settings, err));
    TR_TRY(
        tr_server_app_name_project(app->folder, &app->arena, &settings, err));
    take_settings(app, settings);
    return TR_OK;
}

/* Ends a change of the app's files that a killed process has begun; logs why it
 * cannot. */
static void recover(const char *folder)
{
    struct tr_err err = {0};
    if (tr_gen_recover(folder, &err) != TR_OK)
        tr_log(TR_LOG_WARN, "a change of the app's files is not ended",
               TR_LOG_TEXT("folder", tr_str_from(folder)),
               TR_LOG_TEXT("why", tr_str_from(err.msg)));
}

static bool names_variable(const struct tr_err *err)
{
    return tr_str_starts(tr_str_from(err->msg), VARIABLES);
}

tr_status tr_server_app_open(struct tr_server_app *app, const char *folder,
                             struct tr_err *err)
{
    return tr_server_app_open_noted(app, folder, NULL, err);
}

tr_status tr_server_app_open_noted(struct tr_server_app *app,
                                   const char *folder,
                                   struct tr_server_sources *sources,
                                   struct tr_err *err)
{
    const struct tr_config_load *load = NULL;
    tr_str toml = {NULL, 0};
    recover(folder);
    *app = (struct tr_server_app){.folder = folder, .sources = sources};
    tr_arena_init(&app->arena, TR_LIMIT_CLI_MEMORY);
    tr_status status = tr_server_app_read_config(app, &app->arena, &toml, err);
    if (status == TR_OK)
        status = tr_server_credentials_take(&app->credentials, err);
    if (status == TR_OK)
        status = tr_server_secrets_take(app->file, toml, &app->secrets, err);
    if (status == TR_OK)
        status = tr_config_load(&app->arena, toml, environ, &load, err);
    if (status != TR_OK && names_variable(err))
        app->file[0] = '\0'; /* the message names the variable */
    if (status == TR_OK)
        status = tr_server_fetch_opts_read(&app->arena, folder, load,
                                           &app->fetch, err);
    if (status == TR_OK)
        status = tr_server_app_name_project(folder, &app->arena, &load, err);
    if (status != TR_OK) {
        tr_server_app_close(app);
        return status;
    }
    take_settings(app, load);
    return TR_OK;
}

tr_status tr_server_app_store(const struct tr_server_app *app, char *out,
                              size_t size, struct tr_err *err)
{
    return write_store(app->folder, app->config->store.path, out, size, err);
}

/* Says what to do about it. */
static tr_status refuse_store(const struct tr_server_app *app,
                              const struct tr_graph_owner *owner,
                              struct tr_err *err)
{
    if (owner->other[0])
        return tr_fail(err, TR_E_CONFLICT,
                       "the store has nodes of '%s' and of '%s': 'trails store "
                       "rename %s --from NAME' makes one name of them",
                       owner->name, owner->other, app->name);
    return tr_fail(err, TR_E_CONFLICT,
                   "the store is of project '%s', and this app is called '%s': "
                   "'trails store rename %s' renames the store",
                   owner->name, app->name, app->name);
}

tr_status tr_server_app_check_store(const struct tr_server_app *app,
                                    struct tr_err *err)
{
    char folder[TR_LIMIT_PATH_BYTES];
    struct tr_graph_owner owner;
    TR_TRY(tr_server_app_store(app, folder, sizeof(folder), err));
    TR_TRY(tr_graph_owner_peek(folder, &owner, err));
    return tr_graph_owner_is_other(&owner, tr_str_from(app->name))
               ? refuse_store(app, &owner, err)
               : TR_OK;
}

tr_status tr_server_app_claim(const struct tr_server_app *app,
                              struct tr_graph_store *store, struct tr_err *err)
{
    struct tr_graph_owner owner;
    tr_status status =
        tr_graph_store_claim(store, tr_str_from(app->name), &owner, err);
    return status == TR_E_CONFLICT ? refuse_store(app, &owner, err) : status;
}

tr_status tr_server_app_open_store(const struct tr_server_app *app,
                                   const struct tr_graph_store_opts *opts,
                                   const struct tr_cap_snapshot *snapshot,
                                   struct tr_graph_store **out,
                                   struct tr_err *err)
{
    char folder[TR_LIMIT_PATH_BYTES];
    struct tr_graph_owner owner = {0};
    struct tr_graph_store_opts own =
        opts ? *opts : (struct tr_graph_store_opts){0};
    own.folder = folder;
    own.project = tr_str_from(app->name);
    own.owner = &owner;
    own.declared =
        tr_server_fit_digest(tr_cap_snapshot_model(snapshot), snapshot);
    TR_TRY(tr_server_app_store(app, folder, sizeof(folder), err));
    tr_status status = tr_graph_store_open(&own, out, err);
    if (status == TR_E_CONFLICT &&
        tr_graph_owner_is_other(&owner, tr_str_from(app->name)))
        return refuse_store(app, &owner, err);
    TR_TRY(status);
    if (!tr_graph_store_fits(*out))
        tr_server_app_fit(*out, snapshot);
    return TR_OK;
}

void tr_server_app_close(struct tr_server_app *app)
{
    tr_crypto_secrets_free(app->credentials);
    tr_crypto_secrets_free(app->secrets);
    tr_arena_done(&app->arena);
}

/* Clears `file` after a failure: errors of Lua and of tools name it already. */
static tr_status run_lua(struct tr_server_app *app,
                         struct tr_cap_builder *builder, tr_str source,
                         struct tr_err *err)
{
    const struct tr_file_folder folder = {
        app->folder, app->sources ? tr_server_sources_note : NULL, app->sources,
        app->texts, app->text_count};
    struct tr_lua_app lua = {
        .path = tr_str_from(app->file),
        .source = source,
        .project = tr_str_from(app->name),
        .folder = &folder,
        .counts = app->lua_counts,
        .secrets = app->secrets,
        .own = &app->settings->own,
        .limits =
            {
                .instructions = (uint64_t)app->config->lua.instructions,
                .run_ms = (uint64_t)app->config->lua.call_seconds * 1000,
                .call_bytes = (size_t)app->config->lua.call_bytes,
            },
    };
    tr_status status = tr_lua_app_load(&lua, builder, err);
    if (status == TR_OK)
        status = tr_builtin_add_kg_tools(builder, err);
    bool is_setting = status == TR_E_VALIDATION;
    if (is_setting)
        name_file(app, "trails.toml");
    if (status != TR_OK && (!is_setting || names_variable(err)))
        app->file[0] = '\0';
    return status;
}

/* Refuses a budget for a capability that does not exist: it would bound
 * nothing. */
static tr_status check_budgets(const struct tr_cap_snapshot *snapshot,
                               const char *key,
                               const struct tr_config_list *list,
                               struct tr_err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct tr_config_budget_rule rule;
        if (tr_config_budget_rule_parse(list->items[i], &rule) ||
            tr_str_eq(rule.name, TR_STR("*")) ||
            tr_cap_snapshot_find_tool(snapshot, rule.name))
            continue;
        return tr_fail(err, TR_E_INVALID,
                       "budget.%s is about '%.*s', but there is no such "
                       "capability",
                       key, TR_FMT(rule.name));
    }
    return TR_OK;
}

static tr_status build(struct tr_server_app *app,
                       struct tr_cap_builder *builder,
                       const struct tr_cap_snapshot **out, struct tr_err *err)
{
    const struct tr_config *config = app->config;
    const struct tr_cap_snapshot *made = NULL;
    TR_TRY(tr_cap_registry_build(builder, &made, err));
    tr_status status =
        check_budgets(made, "capability", &config->budget.capability, err);
    if (status == TR_OK)
        status = check_budgets(made, "principal_capability",
                               &config->budget.principal_capability, err);
    if (status != TR_OK) {
        name_file(app, "trails.toml");
        tr_cap_snapshot_unpin(made);
        return status;
    }
    *out = made;
    return TR_OK;
}

/* One that a setting gives was checked where it stands. */
static tr_status check_name(struct tr_server_app *app, struct tr_err *err)
{
    const char *why = tr_config_check_project(tr_str_from(app->name));
    bool is_folder =
        tr_config_project_origin(app->settings) == TR_CONFIG_FROM_FOLDER;
    if (!why)
        return TR_OK;
    app->file[0] = '\0';
    return tr_fail(err, TR_E_INVALID, "the name '%s' of %s %s: %s", app->name,
                   is_folder ? "the folder" : "the store", why,
                   is_folder ? "set name in [project]"
                             : "'trails store rename' changes it");
}

/* Makes a snapshot of a text of app.lua. What `live` has lives with it from
 * then on, if there is any. */
static tr_status load_source(struct tr_server_app *app, tr_str source,
                             struct tr_server_live **live,
                             const struct tr_cap_snapshot **out,
                             struct tr_err *err)
{
    struct tr_cap_registry_opts opts = {
        .portable_names =
            app->config->mcp.tool_names == TR_CONFIG_NAMES_PORTABLE,
        .undeclared_may_write =
            app->config->project.env == TR_CONFIG_ENV_DEVELOPMENT,
    };
    struct tr_cap_builder *builder = NULL;
    tr_status status = tr_cap_builder_create(&opts, &builder, err);
    if (status == TR_OK && *live)
        status = tr_server_live_give(live, builder, err);
    if (status == TR_OK)
        status = tr_server_live_fill(app, builder, err);
    if (status == TR_OK)
        status = run_lua(app, builder, source, err);
    if (status == TR_OK)
        status = tr_builtin_add_prov_resources(builder, err);
    if (status == TR_OK)
        status = tr_builtin_add_kg_resources(builder, err);
    if (status == TR_OK)
        status = tr_meta_add(builder, err);
    if (status == TR_OK)
        status = build(app, builder, out, err);
    tr_cap_builder_free(builder);
    return status;
}

static tr_status load(struct tr_server_app *app, struct tr_server_live **live,
                      const struct tr_cap_snapshot **out, struct tr_err *err)
{
    struct tr_arena text;
    tr_str source;
    tr_arena_init(&text, 2 * TR_LIMIT_APP_BYTES);
    tr_status status = check_name(app, err);
    if (status == TR_OK)
        status = read_source(app, &text, &source, err);
    if (status == TR_OK)
        status = load_source(app, source, live, out, err);
    tr_arena_done(&text);
    return status;
}

tr_status tr_server_app_load(struct tr_server_app *app,
                             const struct tr_cap_snapshot **out,
                             struct tr_err *err)
{
    struct tr_server_live *none = NULL;
    return load(app, &none, out, err);
}

tr_status tr_server_app_load_again(struct tr_server_app *app,
                                   struct tr_server_again *out,
                                   struct tr_err *err)
{
    struct tr_server_app copy = *app; /* others read the settings meanwhile */
    struct tr_server_live *live = NULL;
    struct tr_buf waiting;
    *out = (struct tr_server_again){0};
    tr_buf_init_fixed(&waiting, out->waiting, sizeof(out->waiting) - 1);
    recover(app->folder);
    tr_server_sources_clear(app->sources);
    tr_status status = tr_server_live_read(&copy, &live, &waiting, err);
    if (status == TR_OK)
        status = load(&copy, &live, &out->snapshot, err);
    if (status == TR_OK) {
        out->log_level = copy.config->log.level;
        out->log_form = copy.config->log.form;
    }
    tr_server_live_free(live);
    memcpy(app->file, copy.file, sizeof(app->file));
    return status;
}

tr_status tr_server_app_try_files(const struct tr_server_app *app,
                                  const struct tr_file_text *texts,
                                  size_t count,
                                  const struct tr_cap_snapshot **out,
                                  char file[256], struct tr_err *err)
{
    struct tr_server_app copy = {
        /* not `file`, which a reload writes */
        .folder = app->folder,        .config = app->config,
        .settings = app->settings,    .fetch = app->fetch,
        .secrets = app->secrets,      .credentials = app->credentials,
        .lua_counts = app->lua_counts};
    struct tr_server_live *live = NULL;
    struct tr_buf waiting;
    char names[sizeof(((struct tr_server_again *)NULL)->waiting)];
    tr_buf_init_fixed(&waiting, names, sizeof(names) - 1);
    memcpy(copy.name, app->name, sizeof(copy.name));
    copy.texts = texts;
    copy.text_count = count;
    tr_status status = tr_server_live_read(&copy, &live, &waiting, err);
    if (status == TR_OK)
        status = load(&copy, &live, out, err);
    tr_server_live_free(live);
    (void)snprintf(file, 256, "%s", copy.file);
    return status;
}
