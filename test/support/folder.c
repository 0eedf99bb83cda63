#include "support/folder.h"

#include "base/test.h"

#include <ftw.h>
#include <unistd.h>

void folder_open(struct folder *folder)
{
    const char *parent = getenv("TMPDIR");
    *folder = (struct folder){0};
    (void)snprintf(folder->path, sizeof(folder->path), "%s/trails-XXXXXX",
                   parent && strlen(parent) < 32 ? parent : "/tmp");
    CHECK(mkdtemp(folder->path));
}

static int remove_one(const char *path, const struct stat *what, int kind,
                      struct FTW *at)
{
    (void)what;
    (void)kind;
    (void)at;
    return remove(path);
}

void folder_close(struct folder *folder)
{
    CHECK(nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

const char *folder_path(const struct folder *folder, const char *name)
{
    static _Thread_local char paths[4][128];
    static _Thread_local size_t next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof(paths[0]), "%s/%s", folder->path, name);
    return path;
}

void folder_write(const struct folder *folder, const char *name,
                  const char *text)
{
    FILE *file = fopen(folder_path(folder, name), "w");
    bool good = file && fputs(text, file) >= 0;
    CHECK(file && fclose(file) == 0 && good);
}
