#include "support/folder.h"

#include "base/test.h"

#include <dirent.h>
#include <unistd.h>

void folder_open(struct folder *folder)
{
    const char *parent = getenv("TMPDIR");
    *folder = (struct folder){0};
    (void)snprintf(folder->path, sizeof(folder->path), "%s/trails-XXXXXX",
                   parent && strlen(parent) < 32 ? parent : "/tmp");
    CHECK(mkdtemp(folder->path));
}

void folder_close(struct folder *folder)
{
    DIR *dir = opendir(folder->path);
    CHECK(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] != '.')
            (void)unlink(folder_path(folder, entry->d_name));
    }
    (void)closedir(dir);
    CHECK(rmdir(folder->path) == 0);
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
