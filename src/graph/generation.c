#include "graph/generation.h"

#include "base/time.h"
#include "crypto/random.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_value(const struct tr_graph_generation *generation,
                       uint64_t *out)
{
    return generation->is_open &&
           pread(generation->fd, out, sizeof(*out), 0) == sizeof(*out);
}

static int try_open(const char *path, int how)
{
    return open(path, how | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

tr_status tr_graph_generation_open(struct tr_graph_generation *generation,
                                   const char *path, bool is_read_only,
                                   struct tr_err *err)
{
    uint64_t value = 0;
    int fd = try_open(path, is_read_only ? O_RDONLY : O_RDWR | O_CREAT);
    if (fd < 0 && !(is_read_only && errno == ENOENT))
        return tr_fail(err, TR_E_IO, "%s: %s", path, strerror(errno));
    generation->fd = fd;
    generation->is_open = fd >= 0;
    if (!is_read_only && !read_value(generation, &value))
        tr_graph_generation_raise(generation);
    return TR_OK;
}

void tr_graph_generation_close(struct tr_graph_generation *generation)
{
    if (generation->is_open)
        (void)close(generation->fd);
    generation->is_open = false;
}

/*
 * A file that was cut has no value: then each time is another one, and nobody
 * takes what he has seen before for what is there now.
 */
uint64_t tr_graph_generation_get(const struct tr_graph_generation *generation)
{
    uint64_t value = 0;
    return read_value(generation, &value) ? value : tr_time_ticks_ns();
}

/*
 * Two processes may do it at once, and somebody may have cut the file: a number
 * by chance is none that was there before. Where there is none, the clock does.
 */
void tr_graph_generation_raise(const struct tr_graph_generation *generation)
{
    uint64_t value = 0;
    struct tr_err ignored;
    if (!generation->is_open)
        return;
    if (tr_crypto_random_bytes(&value, sizeof(value), &ignored) != TR_OK)
        value = tr_time_ticks_ns() ^ ((uint64_t)getpid() << 40);
    ssize_t written = pwrite(generation->fd, &value, sizeof(value), 0);
    (void)written; /* see above: without it, no value is the same */
}
