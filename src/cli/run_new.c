#include "base/file.h"
#include "base/limits.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/scaffold.h"
#include "config/settings.h"
#include "server/app.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_empty(const char *folder)
{
    DIR *open = opendir(folder);
    size_t count = 0;
    while (open && readdir(open))
        count++;
    if (open)
        (void)closedir(open);
    return open && count == 2; /* . and .. */
}

static tr_status write_file(const char *path, tr_str text, mode_t mode,
                            struct tr_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return tr_fail(err, TR_E_IO, "cannot make %s: %s", path,
                       strerror(errno));
    tr_status status = tr_file_write_all(fd, path, text, err);
    if (close(fd) != 0 && status == TR_OK)
        return tr_fail(err, TR_E_IO, "cannot write %s: %s", path,
                       strerror(errno));
    return status;
}

/* The name stands in every IRI that the app makes, so it is written down: it
 * stays when the folder is called otherwise. Secrets may be added. */
static tr_status write_settings(const char *path, tr_str text, const char *name,
                                struct tr_err *err)
{
    struct tr_buf whole;
    tr_buf_init(&whole, TR_LIMIT_TOML_BYTES);
    tr_buf_put(&whole, text);
    tr_buf_putf(&whole,
                "\n[project]\n"
                "name = \"%s\"   # in every IRI: trails://%s/...\n",
                name, name);
    tr_status status = tr_buf_check(&whole, err);
    if (status == TR_OK)
        status = write_file(path, tr_buf_str(&whole), 0600, err);
    tr_buf_done(&whole);
    return status;
}

/* Makes the folder of a file that does not lie in the app's own. */
static tr_status make_folder(const char *path, size_t len, struct tr_err *err)
{
    char folder[TR_LIMIT_PATH_BYTES];
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)len, path);
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return TR_OK;
    return tr_fail(err, TR_E_IO, "cannot make %s: %s", folder, strerror(errno));
}

static tr_status write_one(const char *folder,
                           const struct tr_cli_scaffold_file *file,
                           const char *name, struct tr_err *err)
{
    char path[TR_LIMIT_PATH_BYTES];
    const char *slash = strrchr(file->path, '/');
    int len = snprintf(path, sizeof(path), "%s/%s", folder, file->path);
    if (len < 0 || (size_t)len >= sizeof(path))
        return tr_fail(err, TR_E_LIMIT, "the path of the folder is too long");
    if (slash)
        TR_TRY(make_folder(path, (size_t)len - strlen(slash), err));
    return strcmp(file->path, "trails.toml") == 0
               ? write_settings(path, file->text, name, err)
               : write_file(path, file->text, 0666, err);
}

/* "hello" without, "hello-types" with types. False when there is none. */
static bool find_scaffold(const char *with, char *out, size_t size)
{
    (void)snprintf(out, size, "hello%s%s", with ? "-" : "", with ? with : "");
    for (size_t i = 0; i < tr_cli_scaffold_files_count; i++) {
        if (strcmp(tr_cli_scaffold_files[i].folder, out) == 0)
            return true;
    }
    return false;
}

static tr_status write_all(const char *folder, const char *scaffold,
                           const char *name, struct tr_err *err)
{
    for (size_t i = 0; i < tr_cli_scaffold_files_count; i++) {
        const struct tr_cli_scaffold_file *file = &tr_cli_scaffold_files[i];
        if (strcmp(file->folder, scaffold) == 0)
            TR_TRY(write_one(folder, file, name, err));
    }
    return TR_OK;
}

static int report_made(const char *folder)
{
    struct tr_buf out;
    tr_buf_init(&out, 4 * TR_LIMIT_PATH_BYTES);
    tr_buf_putf(&out,
                "made %s/app.lua and %s/trails.toml; %s/README.md goes on\n\n"
                "    trails check %s     does it load?\n"
                "    trails serve %s     serve it\n",
                folder, folder, folder, folder, folder);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

/* Writes into a new or empty folder alone: nothing is overwritten. */
int tr_cli_run_new(const struct tr_cli_invocation *invocation)
{
    const char *folder = invocation->arguments[0];
    const char *with = tr_cli_invocation_option(invocation, "with");
    struct tr_err err;
    char scaffold[64];
    char name[64];
    tr_server_app_folder_name(folder, name);
    const char *why = tr_config_check_project(tr_str_from(name));
    if (why)
        return tr_cli_report_usage("the name '%s' of a project %s", name, why);
    if (!find_scaffold(with, scaffold, sizeof(scaffold)))
        return tr_cli_report_usage(
            "--with is types or api, not '%s'%s", with,
            strcmp(with, "records") == 0 ? ", which is not there yet" : "");
    if (mkdir(folder, 0777) != 0 && !(errno == EEXIST && is_empty(folder))) {
        int number = errno;
        (void)tr_fail(&err, TR_E_IO, "cannot make %s: %s", folder,
                      number == EEXIST ? "it is not empty" : strerror(number));
        return tr_cli_report_error(NULL, &err);
    }
    if (write_all(folder, scaffold, name, &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);
    return report_made(folder);
}
