#include "base/ascii.h"
#include "base/file.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAFTS_MAX 100 /* names of a draft that are tried */
#define LINKS_MAX  40  /* as Linux has it */

/* A file that is being written beside the one whose place it takes. */
struct draft {
    int folder;
    const char *shown; /* the file in messages */
    char name[64];
    int fd;
};

static tr_status fail_to_write(const char *shown, const char *why,
                               struct tr_err *err)
{
    return tr_fail(err, TR_E_IO, "cannot write %s: %s", shown, why);
}

static bool is_plain_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

/*
 * Looks at what has the name. rename() asks for the folder's permission alone;
 * who has made a file read-only means the file.
 */
static tr_status look(const struct draft *draft, const char *name,
                      struct stat *about, bool *exists, struct tr_err *err)
{
    *exists = fstatat(draft->folder, name, about, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*exists)
        return errno == ENOENT
                   ? TR_OK
                   : fail_to_write(draft->shown, strerror(errno), err);
    if (!S_ISREG(about->st_mode))
        return tr_fail(err, TR_E_INVALID, "%s is %s, not a file", draft->shown,
                       S_ISLNK(about->st_mode)   ? "a link"
                       : S_ISDIR(about->st_mode) ? "a folder"
                                                 : "something else");
    if (faccessat(draft->folder, name, W_OK, AT_EACCESS) != 0)
        return fail_to_write(draft->shown, strerror(errno), err);
    return TR_OK;
}

static const char *skip_digits(const char *text)
{
    const char *at = text;
    while (tr_ascii_is_digit(*at))
        at++;
    return at > text ? at : "";
}

bool tr_file_is_draft(const char *name)
{
    static const char begin[] = ".trails-";
    if (strncmp(name, begin, sizeof(begin) - 1) != 0)
        return false;
    const char *at = skip_digits(name + sizeof(begin) - 1);
    return *at == '-' && strcmp(skip_digits(at + 1), ".tmp") == 0;
}

/* A process that died may have left a draft with its number, which then is
 * ours. */
static tr_status open_draft(struct draft *draft, mode_t mode,
                            struct tr_err *err)
{
    for (int i = 0; i < DRAFTS_MAX; i++) {
        (void)snprintf(draft->name, sizeof(draft->name), ".trails-%ld-%d.tmp",
                       (long)getpid(), i);
        draft->fd =
            openat(draft->folder, draft->name,
                   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (draft->fd >= 0)
            return TR_OK;
        if (errno != EEXIST)
            break;
    }
    return fail_to_write(draft->shown, strerror(errno), err);
}

/* Changing the owner takes bits away from the mode, which is set after it. */
static tr_status keep_owner(const struct draft *draft, const struct stat *old,
                            struct tr_err *err)
{
    struct stat now;
    if (fstat(draft->fd, &now) != 0)
        return fail_to_write(draft->shown, strerror(errno), err);
    bool is_kept = now.st_uid == old->st_uid && now.st_gid == old->st_gid;
    if (!is_kept && fchown(draft->fd, old->st_uid, old->st_gid) != 0)
        return fail_to_write(draft->shown,
                             now.st_uid == old->st_uid
                                 ? "its group cannot be kept"
                                 : "it belongs to another user",
                             err);
    if (fchmod(draft->fd, old->st_mode & 07777) != 0)
        return fail_to_write(draft->shown, strerror(errno), err);
    return TR_OK;
}

/* link() alone fails where something has the name. */
static tr_status give_name(const struct draft *draft, const char *name,
                           bool must_be_new, struct tr_err *err)
{
    int failed =
        must_be_new ? linkat(draft->folder, draft->name, draft->folder, name, 0)
                    : renameat(draft->folder, draft->name, draft->folder, name);
    if (failed && must_be_new && errno == EEXIST)
        return tr_fail(err, TR_E_CONFLICT, "%s is there already", draft->shown);
    if (failed)
        return fail_to_write(draft->shown, strerror(errno), err);
    if (must_be_new)
        (void)unlinkat(draft->folder, draft->name, 0);
    /* Some file systems cannot do this to a folder, and say EINVAL. */
    if (fsync(draft->folder) != 0 && errno != EINVAL)
        return fail_to_write(draft->shown, strerror(errno), err);
    return TR_OK;
}

tr_status tr_file_replace(int folder, const char *name, tr_str text,
                          const struct tr_file_replacing *how,
                          struct tr_err *err)
{
    struct draft draft = {.folder = folder,
                          .shown = how->shown ? how->shown : name};
    struct stat old;
    bool exists = false;
    if (!is_plain_name(name))
        return tr_fail(err, TR_E_INVALID, "'%s' is not the name of a file",
                       name);
    TR_TRY(look(&draft, name, &old, &exists, err));
    if (exists && how->must_be_new)
        return tr_fail(err, TR_E_CONFLICT, "%s is there already", draft.shown);
    /* Until the mode is known to be right, nobody else reads it. */
    TR_TRY(open_draft(&draft, exists ? 0600 : how->mode, err));
    tr_status status = exists ? keep_owner(&draft, &old, err) : TR_OK;
    if (status == TR_OK)
        status = tr_file_write_all(draft.fd, draft.shown, text, err);
    if (status == TR_OK && fsync(draft.fd) != 0)
        status = fail_to_write(draft.shown, strerror(errno), err);
    (void)close(draft.fd);
    if (status == TR_OK)
        status = give_name(&draft, name, how->must_be_new, err);
    if (status != TR_OK)
        (void)unlinkat(folder, draft.name, 0);
    return status;
}

tr_status tr_file_lock_folder(const char *path, int *out, struct tr_err *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int why = fd < 0 ? errno : 0;
    while (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        why = errno;
        if (why != EINTR)
            break;
        why = 0;
    }
    /* Some file systems have no locks, or none of folders. */
    if (fd >= 0 && why != 0 && why != EBADF && why != ENOLCK &&
        why != EOPNOTSUPP) {
        (void)close(fd);
        fd = -1;
    }
    if (fd < 0)
        return tr_fail(err, why == ENOENT ? TR_E_NOT_FOUND : TR_E_IO,
                       "cannot open the folder %s: %s", path, strerror(why));
    *out = fd;
    return TR_OK;
}

tr_status tr_file_make_folders(const char *path, mode_t mode,
                               struct tr_err *err)
{
    char part[TR_LIMIT_PATH_BYTES];
    struct stat about;
    size_t len = strlen(path);
    if (len >= sizeof(part))
        return tr_fail(err, TR_E_LIMIT, "the path of the folder is too long");
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        (void)snprintf(part, sizeof(part), "%.*s", (int)i, path);
        if (mkdir(part, mode) == 0)
            continue;
        int why = errno;
        /* Where one may not make anything, it may be there all the same. */
        if (stat(part, &about) != 0 || !S_ISDIR(about.st_mode))
            return tr_fail(err, TR_E_IO, "cannot make the folder %s: %s", part,
                           strerror(why));
    }
    return TR_OK;
}

static tr_status fail_path(const char *path, int why, struct tr_err *err)
{
    return tr_fail(err, why == ENAMETOOLONG ? TR_E_LIMIT : TR_E_IO,
                   "cannot follow %s: %s", path, strerror(why));
}

/* Puts what a link says in the place of the link. */
static bool step(char at[TR_LIMIT_PATH_BYTES], const char *target)
{
    char next[TR_LIMIT_PATH_BYTES];
    const char *slash = strrchr(at, '/');
    size_t folder = slash && target[0] != '/' ? (size_t)(slash - at) + 1 : 0;
    int len = snprintf(next, sizeof(next), "%.*s%s", (int)folder, at, target);
    if (len < 0 || (size_t)len >= sizeof(next))
        return false;
    memcpy(at, next, (size_t)len + 1);
    return true;
}

tr_status tr_file_follow(const char *path, char out[TR_LIMIT_PATH_BYTES],
                         struct tr_err *err)
{
    char at[TR_LIMIT_PATH_BYTES];
    char target[TR_LIMIT_PATH_BYTES];
    int len = snprintf(at, sizeof(at), "%s", path);
    if (len < 0 || (size_t)len >= sizeof(at))
        return fail_path("this path", ENAMETOOLONG, err);
    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t got = readlink(at, target, sizeof(target) - 1);
        /* EINVAL: it is not a link. */
        if (got < 0 && errno != EINVAL && errno != ENOENT)
            return fail_path(path, errno, err);
        if (got < 0) {
            memcpy(out, at, strlen(at) + 1);
            return TR_OK;
        }
        target[got] = '\0';
        if (!step(at, target))
            return fail_path(path, ENAMETOOLONG, err);
    }
    return fail_path(path, ELOOP, err);
}
