#include "cli/output_file.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static tr_status fail_output(struct tr_err *err)
{
    return tr_fail(err, TR_E_IO, "cannot write it: %s", strerror(errno));
}

static tr_status write_fd(int fd, tr_cli_output_fn *write, void *context,
                          struct tr_err *err)
{
    struct tr_rdf_output output = tr_rdf_output_fd(&fd);
    return write(context, &output, err);
}

tr_status tr_cli_output_file(const char *path, tr_cli_output_fn *write,
                             void *context, struct tr_err *err)
{
    char draft[TR_LIMIT_PATH_BYTES];
    if (strcmp(path, "-") == 0)
        return write_fd(STDOUT_FILENO, write, context, err);
    int len =
        snprintf(draft, sizeof(draft), "%s.%ld.tmp", path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(draft)) {
        errno = ENAMETOOLONG;
        return fail_output(err);
    }
    int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_output(err);
    tr_status status = write_fd(fd, write, context, err);
    bool is_closed = close(fd) == 0;
    if (status == TR_OK && (!is_closed || rename(draft, path) != 0))
        status = fail_output(err);
    if (status != TR_OK)
        (void)unlink(draft);
    return status;
}
