#include "db/files.h"

#include "base/limits.h"

#include <sys/stat.h>

static const char *const endings[TR_DB_FILES] = {"", "-wal", "-shm"};

tr_status tr_db_files_init(struct tr_db_files *files, const char *path,
                           struct tr_err *err)
{
    size_t size = strlen(path) + 1;
    files->path = calloc(1, size);
    if (!files->path)
        return tr_fail(err, TR_E_NOMEM, "no memory for a path");
    memcpy(files->path, path, size);
    return TR_OK;
}

void tr_db_files_done(struct tr_db_files *files)
{
    free(files->path);
    files->path = NULL;
}

/* Whether there is such a file. */
static bool look(const struct tr_db_files *files, size_t i, struct stat *out)
{
    char path[TR_LIMIT_PATH_BYTES + 64];
    int len = snprintf(path, sizeof(path), "%s%s", files->path, endings[i]);
    return len > 0 && (size_t)len < sizeof(path) && stat(path, out) == 0;
}

void tr_db_files_note(struct tr_db_files *files)
{
    struct stat about;
    if (!files->path || files->is_noted)
        return;
    for (size_t i = 0; i < TR_DB_FILES; i++) {
        if (!look(files, i, &about))
            return;
        files->known[i].device = about.st_dev;
        files->known[i].inode = about.st_ino;
    }
    files->is_noted = true;
}

tr_status tr_db_files_check(const struct tr_db_files *files, struct tr_err *err)
{
    struct stat about;
    for (size_t i = 0; files->is_noted && i < TR_DB_FILES; i++) {
        if (!look(files, i, &about))
            return tr_fail(err, TR_E_IO,
                           "%s%s was removed while it was open: nothing is "
                           "written any more",
                           files->path, endings[i]);
        if (about.st_dev != files->known[i].device ||
            about.st_ino != files->known[i].inode)
            return tr_fail(err, TR_E_IO,
                           "%s%s was replaced while it was open: nothing is "
                           "written any more",
                           files->path, endings[i]);
    }
    return TR_OK;
}
