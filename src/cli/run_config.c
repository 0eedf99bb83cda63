#include "base/file.h"
#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/command.h"
#include "cli/own.h"
#include "cli/report.h"
#include "config/config.h"
#include "config/settings.h"
#include "crypto/secrets.h"
#include "json/writer.h"
#include "server/app.h"
#include "server/secrets.h"

#include <unistd.h>

/* The folder of a file; standard input stands for one in the working directory.
 */
static const char *folder_of(struct tr_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    tr_str folder = {path,
                     slash ? (size_t)(slash - path) + (slash == path) : 0};
    return slash && tr_arena_copy(arena, folder, &folder) ? folder.ptr : ".";
}

/* Prints each mistake on a line of its own, as "FILE:LINE:COLUMN: ...". */
static void tell(const void *data, const struct tr_err *err)
{
    (void)tr_cli_report_error(data, err);
}

/* A file of the given name, with the environment over it. Returns NULL after
 * saying all that is wrong. */
static const struct tr_config_load *
load_file(const struct tr_cli_invocation *invocation, const char *path,
          tr_str text)
{
    const struct tr_config_load *load = NULL;
    const struct tr_config_listener listener = {tell, path};
    struct tr_err err;
    tr_status status = tr_config_load_whole(invocation->arena, text, environ,
                                            &listener, &load, &err);
    if (status != TR_OK && status != TR_E_INVALID) /* else each was told */
        (void)tr_cli_report_error(path, &err);
    return load;
}

static int print(struct tr_buf *out)
{
    int exit_code = tr_cli_report_output(out);
    tr_buf_done(out);
    return exit_code;
}

/* What is in effect, when the app beside the file takes its own settings. */
static int print_checked(const struct tr_cli_invocation *invocation,
                         const char *path, const struct tr_config_load *load,
                         const struct tr_crypto_secrets *secrets)
{
    const char *folder = folder_of(invocation->arena, path);
    struct tr_cli_own own;
    struct tr_err err;
    struct tr_buf out;
    if (tr_server_app_name_project(folder, invocation->arena, &load, &err) !=
        TR_OK)
        return tr_cli_report_error(NULL, &err);
    if (!tr_cli_own_open(&own, folder, path))
        return TR_CLI_EXIT_FAILED;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (tr_cli_invocation_option(invocation, "json")) {
        tr_config_show_json(load, &out);
    } else {
        tr_config_show(load, &out);
        tr_cli_own_show(own.snapshot, secrets, &out);
    }
    tr_cli_own_close(&own);
    return print(&out);
}

int tr_cli_run_config_check(const struct tr_cli_invocation *invocation)
{
    const char *path = invocation->arguments[0];
    struct tr_err err;
    tr_str text;

    if (tr_file_read(invocation->arena, path, TR_LIMIT_TOML_BYTES, &text,
                     &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);
    bool is_file = strcmp(path, "-") != 0;
    struct tr_crypto_secrets *secrets = NULL;
    if (tr_server_secrets_take(is_file ? path : NULL, text, &secrets, &err) !=
        TR_OK)
        return tr_cli_report_error(path, &err);
    const struct tr_config_load *load = load_file(invocation, path, text);
    int exit_code = load ? print_checked(invocation, path, load, secrets)
                         : TR_CLI_EXIT_FAILED;
    tr_crypto_secrets_free(secrets);
    return exit_code;
}

/* A project has no default name that would be the same everywhere. */
static const char *default_of(size_t i)
{
    return i == TR_CONFIG_PROJECT_NAME ? "the store's, else the folder's"
                                       : tr_config_setting_at(i)->fallback;
}

static void list_as_text(const struct tr_config_load *load, struct tr_buf *out)
{
    for (size_t i = 0; i < tr_config_setting_count(); i++) {
        const struct tr_config_setting *setting = tr_config_setting_at(i);
        struct tr_json_writer w;
        char allowed[128];
        tr_config_setting_describe(setting, allowed, sizeof(allowed));
        tr_buf_putf(out, "%s%s.%s = ", i ? "\n" : "",
                    tr_config_setting_section(setting), setting->key);
        tr_jw_init(&w, out);
        tr_config_show_value(&load->config, setting, &w);
        tr_buf_putf(out, "  # %s\n    %s\n    %s",
                    tr_config_origin_name(load, i), setting->help, allowed);
        if (default_of(i)[0])
            tr_buf_putf(out, "; default: %s", default_of(i));
        if (setting->variable)
            tr_buf_putf(out, "; %s overrides the file", setting->variable);
        tr_buf_putc(out, '\n');
    }
}

static void list_as_json(const struct tr_config_load *load,
                         const struct tr_cap_snapshot *snapshot,
                         const struct tr_crypto_secrets *secrets,
                         struct tr_buf *out)
{
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < tr_config_setting_count(); i++) {
        const struct tr_config_setting *setting = tr_config_setting_at(i);
        char text[128];
        tr_jw_open(&w, '{');
        (void)snprintf(text, sizeof(text), "%s.%s",
                       tr_config_setting_section(setting), setting->key);
        tr_jw_put_string(&w, "name", tr_str_from(text));
        tr_jw_key(&w, "value");
        tr_config_show_value(&load->config, setting, &w);
        tr_jw_put_string(&w, "origin",
                         tr_str_from(tr_config_origin_name(load, i)));
        tr_jw_put_string(&w, "default", tr_str_from(default_of(i)));
        tr_config_setting_describe(setting, text, sizeof(text));
        tr_jw_put_string(&w, "values", tr_str_from(text));
        tr_jw_key(&w, "variable");
        if (setting->variable)
            tr_jw_string(&w, tr_str_from(setting->variable));
        else
            tr_jw_null(&w);
        tr_jw_put_bool(&w, "live", setting->is_live);
        tr_jw_put_string(&w, "help", tr_str_from(setting->help));
        tr_jw_close(&w, '}');
    }
    tr_cli_own_list_json(snapshot, secrets, &w);
    tr_jw_close(&w, ']');
    tr_buf_putc(out, '\n');
}

int tr_cli_run_config_list(const struct tr_cli_invocation *invocation)
{
    const char *folder =
        invocation->argument_count ? invocation->arguments[0] : ".";
    struct tr_server_app app;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err;
    struct tr_buf out;
    if (tr_server_app_open(&app, folder, &err) != TR_OK)
        return tr_cli_report_error(app.file, &err);
    int exit_code =
        tr_cli_own_load(&app, &snapshot) ? TR_CLI_EXIT_OK : TR_CLI_EXIT_FAILED;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (tr_cli_invocation_option(invocation, "json")) {
        list_as_json(app.settings, snapshot, app.secrets, &out);
    } else {
        list_as_text(app.settings, &out);
        tr_cli_own_list(snapshot, app.secrets, &out);
    }
    int printed = print(&out);
    tr_cap_snapshot_unpin(snapshot);
    tr_server_app_close(&app);
    return printed == TR_CLI_EXIT_OK ? exit_code : printed;
}
