#include "base/limits.h"
#include "cli/app.h"
#include "cli/clients.h"
#include "cli/report.h"

#include <errno.h>
#include <unistd.h>

/* What is put into every host that is named, or taken out of it. */
struct task {
    struct tr_install_wish wish;
    struct tr_buf diff;
    bool is_dry;
    char name[80];
    char command[TR_LIMIT_PATH_BYTES];
    char folder[TR_LIMIT_PATH_BYTES];
    char token_file[TR_LIMIT_PATH_BYTES];
};

/*
 * The whole path of what is named. A link on the way to a folder stays one, for
 * that may be how versions are changed; but what leads upwards is followed.
 */
static bool find_whole(const char *path, char out[TR_LIMIT_PATH_BYTES])
{
    char here[TR_LIMIT_PATH_BYTES] = "";
    char whole[TR_LIMIT_PATH_BYTES];
    bool goes_up = strcmp(path, "..") == 0 || strncmp(path, "../", 3) == 0 ||
                   strstr(path, "/..") != NULL || path[0] == '.';
    if (goes_up || !*path)
        return realpath(path, out) != NULL;
    if (path[0] != '/' && !getcwd(here, sizeof(here)))
        return false;
    int len = snprintf(whole, sizeof(whole), "%s%s%s", here,
                       path[0] == '/' ? "" : "/", path);
    while (len > 1 && (size_t)len < sizeof(whole) && whole[len - 1] == '/')
        whole[--len] = '\0';
    if (len < 0 || (size_t)len >= sizeof(whole) || access(whole, F_OK) != 0)
        return false;
    memcpy(out, whole, (size_t)len + 1);
    return true;
}

static tr_status fail_path(const char *path, const char *why,
                           struct tr_err *err)
{
    return tr_fail(err, TR_E_IO, "cannot use %s: %s", path, why);
}

/* The app must be one: what is installed is started by others, later. */
static tr_status find_app(struct task *task, const char *folder,
                          struct tr_err *err)
{
    char file[TR_LIMIT_PATH_BYTES + 16];
    if (!find_whole(folder, task->folder))
        return fail_path(folder, strerror(errno), err);
    (void)snprintf(file, sizeof(file), "%s/app.lua", task->folder);
    if (access(file, R_OK) != 0)
        return fail_path(file, strerror(errno), err);
    task->wish.folder = task->folder;
    return TR_OK;
}

static tr_status find_program(struct task *task, struct tr_err *err)
{
    ssize_t len =
        readlink("/proc/self/exe", task->command, sizeof(task->command));
    if (len < 0 || (size_t)len >= sizeof(task->command))
        return fail_path("this program", strerror(errno), err);
    task->command[len] = '\0';
    task->wish.command = task->command;
    return TR_OK;
}

static tr_status find_token_file(struct task *task, const char *path,
                                 struct tr_err *err)
{
    if (!path)
        return TR_OK;
    if (!find_whole(path, task->token_file))
        return fail_path(path, strerror(errno), err);
    task->wish.token_file = task->token_file;
    return TR_OK;
}

static int show_diff(const struct task *task)
{
    return task->diff.len ? tr_cli_report_output(&task->diff) : TR_CLI_EXIT_OK;
}

static int report(const struct task *task, const struct tr_cli_client *host,
                  const struct tr_install_done *done, const char *changed,
                  const char *unchanged)
{
    int code =
        tr_cli_report_line("%s: %s %s %s", host->name, task->name,
                           done->changed ? changed : unchanged, host->path);
    if (code == TR_CLI_EXIT_OK && done->is_gone)
        code = tr_cli_report_line("    which is gone, as it was before");
    if (code == TR_CLI_EXIT_OK && done->changed && done->has_copy)
        code = tr_cli_report_line("    how it was before: %s", done->copy);
    return code;
}

/* A name that is another app's can be given up for another one. */
static int report_failure(const struct tr_cli_client *host, const char *hint,
                          const struct tr_err *err)
{
    (void)tr_cli_report_error(host->path, err);
    if (err->code == TR_E_CONFLICT && !err->place.line)
        (void)tr_cli_report_usage("%s", hint);
    return TR_CLI_EXIT_FAILED;
}

static int add(const struct tr_cli_invocation *invocation,
               const struct tr_cli_client *host, void *context)
{
    struct task *task = context;
    struct tr_install_done done;
    struct tr_err err;
    (void)invocation;
    task->wish.variable = host->host ? host->host->variable : NULL;
    tr_buf_clear(&task->diff);
    if (tr_install_add(&host->target, &task->wish,
                       task->is_dry ? &task->diff : NULL, &done, &err) != TR_OK)
        return report_failure(host, "--name gives this one another name", &err);
    return task->is_dry
               ? show_diff(task)
               : report(task, host, &done, "is now in", "is already in");
}

static int take_out(const struct tr_cli_invocation *invocation,
                    const struct tr_cli_client *host, void *context)
{
    struct task *task = context;
    struct tr_install_done done;
    struct tr_err err;
    (void)invocation;
    tr_buf_clear(&task->diff);
    if (tr_install_take_out(&host->target, &task->wish,
                            task->is_dry ? &task->diff : NULL, &done,
                            &err) != TR_OK)
        return report_failure(host, "--name takes out whichever has the name",
                              &err);
    return task->is_dry
               ? show_diff(task)
               : report(task, host, &done, "is no longer in", "is not in");
}

static int start(const struct tr_cli_invocation *invocation, struct task *task)
{
    *task = (struct task){
        .is_dry = tr_cli_invocation_option(invocation, "dry-run") != NULL};
    if (!tr_cli_clients_must_be_named(invocation))
        return TR_CLI_EXIT_USAGE;
    int code = tr_cli_clients_entry(invocation, task->name);
    task->wish.name = tr_str_from(task->name);
    tr_buf_init(&task->diff, TR_LIMIT_CLI_OUTPUT);
    return code;
}

int tr_cli_run_mcp_install(const struct tr_cli_invocation *invocation)
{
    struct task task;
    struct tr_err err;
    int code = start(invocation, &task);
    if (code != TR_CLI_EXIT_OK)
        return code;
    tr_status status = find_app(&task, tr_cli_app_folder(invocation), &err);
    if (status == TR_OK)
        status = find_program(&task, &err);
    if (status == TR_OK)
        status = find_token_file(
            &task, tr_cli_invocation_option(invocation, "token-file"), &err);
    code = status == TR_OK ? tr_cli_clients_each(invocation, add, &task)
                           : tr_cli_report_error(NULL, &err);
    tr_buf_done(&task.diff);
    return code;
}

/* With --name the app may be gone; without it, its entry alone is taken out. */
int tr_cli_run_mcp_uninstall(const struct tr_cli_invocation *invocation)
{
    struct task task;
    struct tr_err err;
    int code = start(invocation, &task);
    if (code != TR_CLI_EXIT_OK)
        return code;
    tr_status status = TR_OK;
    if (!tr_cli_invocation_option(invocation, "name"))
        status = find_app(&task, tr_cli_app_folder(invocation), &err);
    code = status == TR_OK ? tr_cli_clients_each(invocation, take_out, &task)
                           : tr_cli_report_error(NULL, &err);
    tr_buf_done(&task.diff);
    return code;
}
