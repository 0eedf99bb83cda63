#include "base/file.h"
#include "cli/command.h"
#include "cli/hello.h"
#include "cli/report.h"

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

/* Writes into a new or empty folder alone: nothing is overwritten. */
int tr_cli_run_new(const struct tr_cli_invocation *invocation)
{
    const char *folder = invocation->arguments[0];
    struct tr_err err;
    struct tr_buf out;
    if (mkdir(folder, 0777) != 0 && !(errno == EEXIST && is_empty(folder))) {
        int why = errno;
        (void)tr_fail(&err, TR_E_IO, "cannot make %s: %s", folder,
                      why == EEXIST ? "it is not empty" : strerror(why));
        return tr_cli_report_error(NULL, &err);
    }
    if (write_file(folder, "app.lua", tr_cli_hello_app, &err) != TR_OK ||
        write_file(folder, "trails.toml", tr_cli_hello_toml, &err) != TR_OK ||
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
