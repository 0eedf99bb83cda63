#include "graph/generation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef _Atomic uint64_t counter;

_Static_assert(sizeof(counter) == 8 && ATOMIC_LLONG_LOCK_FREE == 2,
               "processes share the counter without a lock");

static tr_status fail(const char *path, struct tr_err *err)
{
    return tr_fail(err, TR_E_IO, "%s: %s", path, strerror(errno));
}

/* Two processes may extend the file at once: both add the same zeros. */
static tr_status map(struct tr_graph_generation *generation, int fd,
                     const char *path, struct tr_err *err)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        return fail(path, err);
    if (file.st_size < (off_t)sizeof(counter) &&
        ftruncate(fd, sizeof(counter)) != 0)
        return fail(path, err);
    void *page =
        mmap(NULL, sizeof(counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return fail(path, err);
    generation->page = page;
    return TR_OK;
}

tr_status tr_graph_generation_open(struct tr_graph_generation *generation,
                                   const char *path, struct tr_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return fail(path, err);
    tr_status status = map(generation, fd, path, err);
    if (status != TR_OK)
        (void)close(fd);
    generation->fd = fd;
    return status;
}

void tr_graph_generation_close(struct tr_graph_generation *generation)
{
    if (!generation->page)
        return;
    (void)munmap(generation->page, sizeof(counter));
    (void)close(generation->fd);
    generation->page = NULL;
}

uint64_t tr_graph_generation_get(const struct tr_graph_generation *generation)
{
    return atomic_load((const counter *)generation->page);
}

void tr_graph_generation_raise(const struct tr_graph_generation *generation)
{
    (void)atomic_fetch_add((counter *)generation->page, 1);
}
