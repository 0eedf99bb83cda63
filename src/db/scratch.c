#include "base/limits.h"
#include "db/db.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* What the name of a scratch file adds to that of its store. */
#define MARK ".scratch-"

static const char *const endings[] = {"", "-wal", "-shm", "-journal"};

/* The folder of a path, open, or -1; `name` becomes what follows it. */
static int open_folder(const char *path, const char **name)
{
    char folder[TR_LIMIT_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    *name = slash ? slash + 1 : path;
    if (len >= sizeof(folder))
        return -1;
    memcpy(folder, path, len);
    folder[len] = '\0';
    if (slash == path)
        return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

tr_status tr_db_scratch_open(struct tr_db_scratch *scratch, const char *store,
                             struct tr_err *err)
{
    const char *name;
    int len = snprintf(scratch->path, sizeof(scratch->path), "%s" MARK "%ld",
                       store, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(scratch->path))
        return tr_fail(err, TR_E_LIMIT, "the path of the store is too long");
    scratch->folder = open_folder(store, &name);
    if (scratch->folder < 0 || flock(scratch->folder, LOCK_SH) != 0) {
        tr_status status =
            tr_fail(err, TR_E_IO, "%s: %s", store, strerror(errno));
        if (scratch->folder >= 0)
            (void)close(scratch->folder);
        return status;
    }
    return TR_OK;
}

void tr_db_scratch_close(struct tr_db_scratch *scratch)
{
    char path[TR_LIMIT_PATH_BYTES + 16];
    for (size_t i = 0; i < TR_LEN(endings); i++) {
        (void)snprintf(path, sizeof(path), "%s%s", scratch->path, endings[i]);
        (void)unlink(path);
    }
    (void)close(scratch->folder);
}

static void remove_all(int folder, const char *name)
{
    char mark[256];
    int copy = dup(folder);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    int len = snprintf(mark, sizeof(mark), "%s" MARK, name);
    const struct dirent *entry;
    while (entries && len > 0 && (size_t)len < sizeof(mark) &&
           (entry = readdir(entries))) {
        if (strncmp(entry->d_name, mark, (size_t)len) == 0)
            (void)unlinkat(folder, entry->d_name, 0);
    }
    if (entries)
        (void)closedir(entries);
    else if (copy >= 0)
        (void)close(copy);
}

/* The lock of a process that was killed is free; who has one is left alone. */
void tr_db_scratch_sweep(const char *store)
{
    const char *name;
    int folder = open_folder(store, &name);
    if (folder < 0)
        return;
    if (flock(folder, LOCK_EX | LOCK_NB) == 0)
        remove_all(folder, name);
    (void)close(folder);
}
