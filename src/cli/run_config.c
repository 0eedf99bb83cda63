#include "base/file.h"
#include "base/limits.h"
#include "cli/command.h"
#include "cli/report.h"
#include "config/config.h"
#include "config/settings.h"
#include "json/writer.h"
#include "server/app.h"

#include <unistd.h>

/* The folder of a file; standard input stands for one in the working directory.
 */
static const char *folder_of(struct tr_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    tr_str folder = {path, slash ? (size_t)(slash - path) + 1 : 0};
    return slash && tr_arena_copy(arena, folder, &folder) ? folder.ptr : ".";
}

int tr_cli_run_config_check(const struct tr_cli_invocation *invocation)
{
    const char *path = invocation->arguments[0];
    const struct tr_config_load *load = NULL;
    struct tr_err err;
    tr_str text;

    if (tr_file_read(invocation->arena, path, TR_LIMIT_TOML_BYTES, &text,
                     &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);
    if (tr_config_load(invocation->arena, text, environ, &load, &err) != TR_OK)
        return tr_cli_report_error(path, &err);
    if (tr_server_app_name_project(folder_of(invocation->arena, path),
                                   invocation->arena, &load, &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);

    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (tr_cli_invocation_option(invocation, "json"))
        tr_config_show_json(load, &out);
    else
        tr_config_show(load, &out);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

/* A project has no default name that would be the same everywhere: here it is
 * that of the app in the working directory, or "" when that cannot be read. */
static const char *default_of(size_t i, const struct tr_server_app *here)
{
    return i == TR_CONFIG_PROJECT_NAME ? here->name
                                       : tr_config_settings[i].fallback;
}

static void list_as_text(struct tr_buf *out, const struct tr_server_app *here)
{
    for (size_t i = 0; i < tr_config_setting_count; i++) {
        const struct tr_config_setting *setting = &tr_config_settings[i];
        char allowed[128];
        tr_config_setting_describe(setting, allowed, sizeof(allowed));
        tr_buf_putf(out, "%s%s.%s = %s\n    %s\n    %s", i ? "\n" : "",
                    setting->section, setting->key, default_of(i, here),
                    setting->help, allowed);
        if (i == TR_CONFIG_PROJECT_NAME && here->settings)
            tr_buf_putf(out, "; here from: %s",
                        tr_config_origin_name(here->settings, i));
        if (setting->variable)
            tr_buf_putf(out, "; %s overrides the file", setting->variable);
        tr_buf_putc(out, '\n');
    }
}

static void list_as_json(struct tr_buf *out, const struct tr_server_app *here)
{
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < tr_config_setting_count; i++) {
        const struct tr_config_setting *setting = &tr_config_settings[i];
        char text[128];
        tr_jw_open(&w, '{');
        tr_jw_key(&w, "name");
        (void)snprintf(text, sizeof(text), "%s.%s", setting->section,
                       setting->key);
        tr_jw_string(&w, tr_str_from(text));
        tr_jw_put_string(&w, "default", tr_str_from(default_of(i, here)));
        tr_jw_key(&w, "values");
        tr_config_setting_describe(setting, text, sizeof(text));
        tr_jw_string(&w, tr_str_from(text));
        tr_jw_key(&w, "variable");
        if (setting->variable)
            tr_jw_string(&w, tr_str_from(setting->variable));
        else
            tr_jw_null(&w);
        tr_jw_put_string(&w, "help", tr_str_from(setting->help));
        tr_jw_close(&w, '}');
    }
    tr_jw_close(&w, ']');
    tr_buf_putc(out, '\n');
}

int tr_cli_run_config_list(const struct tr_cli_invocation *invocation)
{
    struct tr_server_app here;
    struct tr_err ignored;
    struct tr_buf out;
    bool is_open = tr_server_app_open(&here, ".", &ignored) == TR_OK;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (tr_cli_invocation_option(invocation, "json"))
        list_as_json(&out, &here);
    else
        list_as_text(&out, &here);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    if (is_open)
        tr_server_app_close(&here);
    return exit_code;
}
