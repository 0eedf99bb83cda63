#include "cli/clients.h"

#include "base/file.h"
#include "cli/app.h"
#include "cli/report.h"
#include "config/settings.h"
#include "server/app.h"

bool tr_cli_client_is_named(const struct tr_cli_invocation *invocation,
                            const struct tr_install_client *host)
{
    return tr_cli_invocation_option(invocation, host->option) != NULL;
}

bool tr_cli_clients_are_named(const struct tr_cli_invocation *invocation)
{
    bool is_named = tr_cli_invocation_option(invocation, "custom") != NULL;
    for (size_t i = 0; i < TR_INSTALL_CLIENTS; i++)
        is_named = is_named ||
                   tr_cli_client_is_named(invocation, &tr_install_clients[i]);
    return is_named;
}

bool tr_cli_clients_must_be_named(const struct tr_cli_invocation *invocation)
{
    if (tr_cli_clients_are_named(invocation))
        return true;
    (void)tr_cli_report_usage("which host? --claude, --claude-code, --cursor, "
                              "--vscode, --codex, --gemini or --custom FILE");
    return false;
}

static tr_status find_custom(const char *path, struct tr_cli_client *out,
                             struct tr_err *err)
{
    struct tr_arena arena;
    tr_str text = {NULL, 0};
    int len = snprintf(out->path, sizeof(out->path), "%s", path);
    if (len < 0 || (size_t)len >= sizeof(out->path))
        return tr_fail(err, TR_E_LIMIT, "the path of the file is too long");
    out->name = out->path;
    out->scope = "custom";
    out->target.is_private = true;
    tr_arena_init(&arena, TR_LIMIT_INSTALL_MEMORY);
    /* Of a file that cannot be read its name alone says how it is read. */
    if (tr_file_read(&arena, path, TR_LIMIT_INSTALL_BYTES, &text, NULL) !=
        TR_OK)
        text = TR_STR("");
    out->target.form = tr_install_form_of(out->path, text);
    tr_arena_done(&arena);
    return TR_OK;
}

tr_status tr_cli_client_find(const struct tr_cli_invocation *invocation,
                             const struct tr_install_client *host,
                             const char *project, struct tr_cli_client *out,
                             struct tr_err *err)
{
    *out = (struct tr_cli_client){.host = host, .start = "/"};
    out->target.path = out->path;
    if (!host)
        return find_custom(tr_cli_invocation_option(invocation, "custom"), out,
                           err);
    struct tr_install_env env = tr_install_env_own();
    out->name = host->form.host;
    out->scope = project ? "project" : "user";
    out->start = project ? project : "/";
    out->target.form = host->form;
    out->target.is_private = !project;
    return project ? tr_install_project_file(host, project, out->path, err)
                   : tr_install_user_file(host, &env, out->path, err);
}

int tr_cli_clients_each(const struct tr_cli_invocation *invocation,
                        tr_cli_client_fn *visit, void *context)
{
    const char *project = tr_cli_invocation_option(invocation, "project");
    size_t has_custom = tr_cli_invocation_option(invocation, "custom") != NULL;
    int worst = TR_CLI_EXIT_OK;
    for (size_t i = 0; i < TR_INSTALL_CLIENTS + has_custom; i++) {
        const struct tr_install_client *host =
            i < TR_INSTALL_CLIENTS ? &tr_install_clients[i] : NULL;
        struct tr_cli_client found;
        struct tr_err err;
        if (host && !tr_cli_client_is_named(invocation, host))
            continue;
        int code = TR_CLI_EXIT_OK;
        if (tr_cli_client_find(invocation, host, project, &found, &err) !=
            TR_OK)
            code = tr_cli_report_error(NULL, &err);
        else
            code = visit(invocation, &found, context);
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* Of the project in the folder that the command line names. */
static int read_project(const struct tr_cli_invocation *invocation,
                        char out[64])
{
    struct tr_server_app app;
    struct tr_err err;
    if (tr_server_app_open(&app, tr_cli_app_folder(invocation), &err) != TR_OK)
        return tr_cli_report_error(app.file, &err);
    (void)snprintf(out, 64, "%s", app.name);
    tr_server_app_close(&app);
    return TR_CLI_EXIT_OK;
}

int tr_cli_clients_entry(const struct tr_cli_invocation *invocation,
                         char out[80])
{
    const char *given = tr_cli_invocation_option(invocation, "name");
    char project[64] = "";
    const char *why =
        given ? tr_config_check_project(tr_str_from(given)) : NULL;
    if (why)
        return tr_cli_report_usage("--name '%s' %s", given, why);
    int code = given ? TR_CLI_EXIT_OK : read_project(invocation, project);
    (void)snprintf(out, 80, TR_INSTALL_PREFIX "%.63s", given ? given : project);
    return code;
}
