#include "base/file.h"
#include "base/limits.h"
#include "cli/command.h"
#include "cli/hello.h"
#include "cli/report.h"
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

static tr_status write_file(const char *folder, const char *name, tr_str text,
                            struct tr_err *err)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
 * stays when the folder is called otherwise. */
static tr_status write_settings(const char *folder, const char *name,
                                struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_TOML_BYTES);
    tr_buf_put(&text, tr_cli_hello_toml);
    tr_buf_putf(&text,
                "\n[project]\n"
                "name = \"%s\"   # in every IRI: trails://%s/...\n",
                name, name);
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK)
        status = write_file(folder, "trails.toml", tr_buf_str(&text), err);
    tr_buf_done(&text);
    return status;
}

/* Writes into a new or empty folder alone: nothing is overwritten. */
int tr_cli_run_new(const struct tr_cli_invocation *invocation)
{
    const char *folder = invocation->arguments[0];
    struct tr_err err;
    struct tr_buf out;
    char name[64];
    tr_server_app_folder_name(folder, name);
    const char *why = tr_config_check_project(tr_str_from(name));
    if (why)
        return tr_cli_report_usage("the name '%s' of a project %s", name, why);
    if (mkdir(folder, 0777) != 0 && !(errno == EEXIST && is_empty(folder))) {
        int number = errno;
        (void)tr_fail(&err, TR_E_IO, "cannot make %s: %s", folder,
                      number == EEXIST ? "it is not empty" : strerror(number));
        return tr_cli_report_error(NULL, &err);
    }
    if (write_file(folder, "app.lua", tr_cli_hello_app, &err) != TR_OK ||
        write_settings(folder, name, &err) != TR_OK ||
        write_file(folder, ".gitignore", tr_cli_hello_ignore, &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);
    tr_buf_init(&out, 4096);
    tr_buf_putf(&out,
                "made %s/app.lua and %s/trails.toml\n\n"
                "    trails check %s     does it load?\n"
                "    trails serve %s     serve it\n",
                folder, folder, folder, folder);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}
