#include "db/files.h"

#include "base/limits.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether files can be made beside the store. */
static bool is_folder_closed(const char *path)
{
    char folder[TR_LIMIT_PATH_BYTES + 64];
    const char *slash = strrchr(path, '/');
    int len = slash ? snprintf(folder, sizeof(folder), "%.*s",
                               (int)(slash - path + 1), path)
                    : snprintf(folder, sizeof(folder), ".");
    return len > 0 && (size_t)len < sizeof(folder) &&
           access(folder, W_OK) != 0 && (errno == EROFS || errno == EACCES);
}

tr_status tr_db_files_are_fixed(const char *path, bool *out, struct tr_err *err)
{
    struct tr_db_files files = {.path = (char *)(uintptr_t)path};
    struct stat about;
    *out = false;
    if (!is_folder_closed(path) || look(&files, 2, &about))
        return TR_OK;
    if (look(&files, 1, &about) && about.st_size > 0)
        return tr_fail(err, TR_E_IO,
                       "there is a log, %s-wal, but no %s-shm, which cannot be "
                       "made here: copy all files to where they can be written",
                       path, path);
    *out = true;
    return TR_OK;
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
