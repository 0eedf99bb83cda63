#include "base/limits.h"
#include "cli/clients.h"
#include "cli/report.h"
#include "json/writer.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

struct status {
    struct tr_arena arena; /* of the file that is looked at */
    struct tr_buf out;
    struct tr_json_writer json;
    bool is_json;
    bool is_named; /* the command line says which hosts */
};

static bool is_there(tr_str path, const char *file, int mode)
{
    char whole[TR_LIMIT_PATH_BYTES];
    int len = snprintf(whole, sizeof(whole), "%.*s%s", TR_FMT(path), file);
    return len > 0 && (size_t)len < sizeof(whole) && access(whole, mode) == 0;
}

/* Why a host could not start an entry, or NULL. What has no slash is looked for
 * by the host, in a PATH that is not ours. */
static const char *problem_of(const struct tr_install_found *found)
{
    tr_str command = found->entry.command;
    bool has_path = command.len && memchr(command.ptr, '/', command.len);
    if (!command.len)
        return "it has no command";
    if (has_path && !is_there(command, "", X_OK))
        return "the program is not there";
    if (found->folder.len && !is_there(found->folder, "/app.lua", R_OK))
        return "there is no app.lua in the folder";
    return NULL;
}

static int worst_of(const struct tr_install_file *file)
{
    for (size_t i = 0; i < file->entries.count; i++) {
        if (problem_of(&file->entries.items[i]))
            return TR_CLI_EXIT_FAILED;
    }
    return TR_CLI_EXIT_OK;
}

static void put_entry(struct tr_json_writer *w,
                      const struct tr_install_found *found)
{
    const char *problem = problem_of(found);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "name", found->entry.name);
    tr_jw_put_string(w, "command", found->entry.command);
    tr_jw_key(w, "args");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < found->entry.arg_count; i++)
        tr_jw_string(w, found->entry.args[i]);
    tr_jw_close(w, ']');
    tr_jw_put_string(w, "folder", found->folder);
    if (problem)
        tr_jw_put_string(w, "problem", tr_str_from(problem));
    tr_jw_close(w, '}');
}

/* As the error's own line on standard error has it, without the file. */
static void put_error(struct tr_json_writer *w, const struct tr_err *err)
{
    tr_jw_key(w, "error");
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "message", tr_str_from(err->msg));
    if (err->place.line) {
        tr_jw_put_i64(w, "line", err->place.line);
        tr_jw_put_i64(w, "column", err->place.column);
    }
    tr_jw_close(w, '}');
}

static void write_json(struct status *status, const struct tr_cli_client *host,
                       const struct tr_install_file *file,
                       const struct tr_err *err)
{
    struct tr_json_writer *w = &status->json;
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "host",
                     tr_str_from(host->host ? host->host->option : "custom"));
    tr_jw_put_string(w, "name", tr_str_from(host->name));
    tr_jw_put_string(w, "scope", tr_str_from(host->scope));
    tr_jw_put_string(w, "file", tr_str_from(host->path));
    tr_jw_key(w, "there");
    tr_jw_bool(w, file->is_there);
    if (err)
        put_error(w, err);
    tr_jw_key(w, "entries");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < file->entries.count; i++)
        put_entry(w, &file->entries.items[i]);
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
}

static void write_text(struct status *status, const struct tr_cli_client *host,
                       const struct tr_install_file *file,
                       const struct tr_err *err)
{
    struct tr_buf *out = &status->out;
    tr_buf_putf(out, "%s: %s%s\n", host->name, host->path,
                err                    ? " cannot be read"
                : !file->is_there      ? " is not there"
                : !file->entries.count ? " has no app of trails"
                                       : "");
    for (size_t i = 0; i < file->entries.count; i++) {
        const struct tr_install_found *found = &file->entries.items[i];
        const char *problem = problem_of(found);
        size_t start = out->len;
        tr_buf_putf(
            out, "    %.*s serves %.*s", TR_FMT(found->entry.name),
            TR_FMT(found->folder.len ? found->folder : TR_STR("no folder")));
        if (problem)
            tr_buf_putf(out, "; %s", problem);
        tr_cli_report_put_line(out, start);
    }
}

static int visit(const struct tr_cli_invocation *invocation,
                 const struct tr_cli_client *host, void *context)
{
    struct status *status = context;
    struct tr_install_file file;
    struct tr_err err;
    (void)invocation;
    tr_arena_init(&status->arena, TR_LIMIT_INSTALL_MEMORY);
    bool is_read =
        tr_install_look(&status->arena, &host->target, &file, &err) == TR_OK;
    int code = is_read ? worst_of(&file) : TR_CLI_EXIT_FAILED;
    if (status->is_json)
        write_json(status, host, &file, is_read ? NULL : &err);
    else
        write_text(status, host, &file, is_read ? NULL : &err);
    if (!is_read && !status->is_json)
        (void)tr_cli_report_error(host->path, &err);
    tr_arena_done(&status->arena);
    return code;
}

/* Whether a file is there, and is not its user's own: a home folder may be
 * where one works. */
static bool is_another(const struct tr_cli_client *host)
{
    struct tr_install_env env = tr_install_env_own();
    char own[TR_LIMIT_PATH_BYTES];
    struct stat a;
    struct stat b;
    if (stat(host->path, &a) != 0)
        return false;
    if (tr_install_user_file(host->host, &env, own, NULL) != TR_OK ||
        stat(own, &b) != 0)
        return true;
    return a.st_dev != b.st_dev || a.st_ino != b.st_ino;
}

/* A file in a project's folder is of interest when there is one. */
static int visit_all(const struct tr_cli_invocation *invocation,
                     struct status *status, const char *project)
{
    int worst = TR_CLI_EXIT_OK;
    for (size_t i = 0; i < TR_INSTALL_CLIENTS; i++) {
        const struct tr_install_client *host = &tr_install_clients[i];
        struct tr_cli_client found;
        struct tr_err err;
        if (project && !host->project)
            continue;
        int code = TR_CLI_EXIT_OK;
        if (tr_cli_client_find(invocation, host, project, &found, &err) !=
            TR_OK)
            code = tr_cli_report_error(NULL, &err);
        else if (!project || is_another(&found))
            code = visit(invocation, &found, status);
        worst = code > worst ? code : worst;
    }
    return worst;
}

int tr_cli_run_mcp_status(const struct tr_cli_invocation *invocation)
{
    const char *project = tr_cli_invocation_option(invocation, "project");
    struct status status = {
        .is_json = tr_cli_invocation_option(invocation, "json") != NULL};
    struct tr_err err;
    int worst = TR_CLI_EXIT_OK;
    tr_buf_init(&status.out, TR_LIMIT_CLI_OUTPUT);
    tr_jw_init_pretty(&status.json, &status.out);
    if (status.is_json)
        tr_jw_open(&status.json, '[');
    if (tr_cli_clients_are_named(invocation)) {
        worst = tr_cli_clients_each(invocation, visit, &status);
    } else {
        worst = visit_all(invocation, &status, NULL);
        int code = visit_all(invocation, &status, project ? project : ".");
        worst = code > worst ? code : worst;
    }
    if (status.is_json) {
        tr_jw_close(&status.json, ']');
        if (tr_jw_finish(&status.json, &err) != TR_OK)
            worst = tr_cli_report_error(NULL, &err);
        tr_buf_putc(&status.out, '\n');
    }
    int code = tr_cli_report_output(&status.out);
    tr_buf_done(&status.out);
    return code > worst ? code : worst;
}
