#include "net/stdio.h"

#include <fcntl.h>
#include <unistd.h>

tr_status tr_stdio_open(struct tr_loop *loop, size_t max_queue,
                        struct tr_stream **out, struct tr_err *err)
{
    (void)fflush(stdout);
    int protocol = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (protocol < 0)
        return tr_fail(err, TR_E_IO, "standard output is not open");
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        (void)close(protocol);
        return tr_fail(err, TR_E_IO, "standard error is not open");
    }
    const int in_out[2] = {STDIN_FILENO, protocol};
    return tr_stream_open_pair(loop, in_out, max_queue, out, err);
}
