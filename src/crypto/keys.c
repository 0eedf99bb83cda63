#include "base/file.h"
#include "base/limits.h"
#include "crypto/keys_inside.h"
#include "crypto/random.h"
#include "crypto/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1024)

static tr_status fail_system(const char *what, const char *path,
                             struct tr_err *err)
{
    return tr_fail(err, TR_E_IO, "cannot %s %s: %s", what, path,
                   strerror(errno));
}

/* The folder of a path, "." when it names none. */
static tr_status folder_of(const char *path, char *out, size_t size,
                           struct tr_err *err)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    if (len + 2 > size)
        return tr_fail(err, TR_E_LIMIT, "the path of the keys is too long");
    if (slash == path)
        len = 1;
    (void)snprintf(out, size, "%.*s", len ? (int)len : 1, len ? path : ".");
    return TR_OK;
}

static tr_status read_text(int fd, const char *path, char text[FILE_MAX],
                           size_t *len, struct tr_err *err)
{
    *len = 0;
    for (;;) {
        ssize_t got = read(fd, text + *len, FILE_MAX - *len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_system("read", path, err);
        *len += (size_t)got;
        if (*len == FILE_MAX)
            return tr_fail(err, TR_E_LIMIT, "%s is too long to be keys", path);
        if (got == 0)
            return TR_OK;
    }
}

/* Who can read the keys can forge what they seal. */
static tr_status check_mode(int fd, const char *path, struct tr_err *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return fail_system("look at", path, err);
    if (!S_ISREG(info.st_mode))
        return tr_fail(err, TR_E_INVALID, "%s is not a file", path);
    if (info.st_mode & 077)
        return tr_fail(err, TR_E_INVALID,
                       "%s can be used by others (mode %04o): run chmod 600 %s",
                       path, (unsigned)info.st_mode & 07777, path);
    return TR_OK;
}

/*
 * TR_E_NOT_FOUND when there is no such file, or an empty one: that is what a
 * power cut right after the first start may leave.
 */
static tr_status load(const char *path, struct tr_crypto_keys_file *out,
                      struct tr_err *err)
{
    char text[FILE_MAX];
    size_t len = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        return tr_fail(err, TR_E_NOT_FOUND, "there is no file %s", path);
    if (fd < 0)
        return fail_system("open", path, err);
    tr_status st = check_mode(fd, path, err);
    if (st == TR_OK)
        st = read_text(fd, path, text, &len, err);
    if (st == TR_OK && len == 0) {
        st = tr_fail(err, TR_E_NOT_FOUND, "%s is empty", path);
    } else if (st == TR_OK) {
        st = tr_crypto_keys_parse((tr_str){text, len}, out, err);
        if (st != TR_OK)
            tr_err_prefix(err, "%s", path);
    }
    tr_crypto_secret_wipe(text, sizeof(text));
    (void)close(fd);
    return st;
}

/*
 * The file is written beside the old one and renamed: a reader sees either.
 * Only a rotation waits for the disk: a first start must be quick, and has
 * nothing to lose.
 */
static tr_status store(const char *path, const struct tr_crypto_keys_file *file,
                       bool is_rotation, struct tr_err *err)
{
    char temporary[TR_LIMIT_PATH_BYTES];
    char storage[FILE_MAX];
    struct tr_buf text;
    int len = snprintf(temporary, sizeof(temporary), "%s.new", path);
    if (len < 0 || (size_t)len >= sizeof(temporary))
        return tr_fail(err, TR_E_LIMIT, "the path of the keys is too long");
    (void)unlink(temporary); /* what a process that died has left */
    int fd =
        open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
             S_IRUSR | S_IWUSR);
    if (fd < 0)
        return fail_system("create", temporary, err);
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    tr_crypto_keys_write(file, &text);
    tr_status st = tr_file_write_all(fd, temporary, tr_buf_str(&text), err);
    if (st == TR_OK && is_rotation && fsync(fd) != 0)
        st = fail_system("write", temporary, err);
    (void)close(fd);
    if (st == TR_OK && rename(temporary, path) != 0)
        st = fail_system("rename", temporary, err);
    if (st != TR_OK)
        (void)unlink(temporary);
    tr_crypto_secret_wipe(storage, sizeof(storage));
    return st;
}

/* Opens the folder and locks it: one process at a time writes keys. */
static tr_status lock_folder(const char *path, int *out, struct tr_err *err)
{
    char folder[TR_LIMIT_PATH_BYTES];
    struct stat info;
    TR_TRY(folder_of(path, folder, sizeof(folder), err));
    if (mkdir(folder, S_IRWXU) != 0 && errno != EEXIST)
        return fail_system("create the folder", folder, err);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail_system("open the folder", folder, err);
    tr_status st = TR_OK;
    if (fstat(fd, &info) != 0 || flock(fd, LOCK_EX) != 0)
        st = fail_system("lock the folder", folder, err);
    else if (info.st_mode & (S_IWGRP | S_IWOTH))
        st = tr_fail(err, TR_E_INVALID,
                     "others can write to %s (mode %04o): run chmod 700 %s",
                     folder, (unsigned)info.st_mode & 07777, folder);
    if (st == TR_OK)
        *out = fd;
    else
        (void)close(fd);
    return st;
}

/* Reads again under the lock: another process may have made the file. */
static tr_status make(const char *path, int64_t now,
                      struct tr_crypto_keys_file *out, struct tr_err *err)
{
    int folder = -1;
    TR_TRY(lock_folder(path, &folder, err));
    tr_status st = load(path, out, err);
    if (st == TR_E_NOT_FOUND) {
        *out = (struct tr_crypto_keys_file){.current_since = now};
        st = tr_crypto_random_bytes(out->current, sizeof(out->current), err);
        if (st == TR_OK)
            st = store(path, out, false, err);
    }
    (void)close(folder);
    return st;
}

static tr_status keys_of(const struct tr_crypto_keys_file *file,
                         struct tr_crypto_keys **out, struct tr_err *err)
{
    struct tr_crypto_keys *keys = calloc(1, sizeof(*keys));
    if (!keys)
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    tr_crypto_hmac_init(&keys->current, (tr_str){(const char *)file->current,
                                                 TR_CRYPTO_KEY_BYTES});
    if (file->has_previous) {
        tr_crypto_hmac_init(
            &keys->previous,
            (tr_str){(const char *)file->previous, TR_CRYPTO_KEY_BYTES});
        keys->previous_until =
            file->previous_since + TR_CRYPTO_KEY_GRACE_SECONDS;
    }
    *out = keys;
    return TR_OK;
}

tr_status tr_crypto_keys_open(const char *path, int64_t now,
                              struct tr_crypto_keys **out, struct tr_err *err)
{
    struct tr_crypto_keys_file file = {0};
    tr_status st = load(path, &file, err);
    if (st == TR_E_NOT_FOUND)
        st = make(path, now, &file, err);
    if (st == TR_OK)
        st = keys_of(&file, out, err);
    tr_crypto_secret_wipe(&file, sizeof(file));
    return st;
}

tr_status tr_crypto_keys_create(struct tr_crypto_keys **out, struct tr_err *err)
{
    struct tr_crypto_keys_file file = {0};
    tr_status st =
        tr_crypto_random_bytes(file.current, sizeof(file.current), err);
    if (st == TR_OK)
        st = keys_of(&file, out, err);
    tr_crypto_secret_wipe(&file, sizeof(file));
    return st;
}

tr_status tr_crypto_keys_rotate(const char *path, int64_t now,
                                struct tr_err *err)
{
    struct tr_crypto_keys_file file = {0};
    int folder = -1;
    TR_TRY(lock_folder(path, &folder, err));
    tr_status st = load(path, &file, err);
    if (st == TR_OK) {
        memcpy(file.previous, file.current, sizeof(file.previous));
        file.has_previous = true;
        file.previous_since = now;
        file.current_since = now;
        st = tr_crypto_random_bytes(file.current, sizeof(file.current), err);
    }
    if (st == TR_OK)
        st = store(path, &file, true, err);
    tr_crypto_secret_wipe(&file, sizeof(file));
    (void)close(folder);
    return st;
}

/* The first block of an HMAC is the key: equal states mean equal keys. */
static bool same_key(const struct tr_crypto_hmac *a,
                     const struct tr_crypto_hmac *b)
{
    return tr_crypto_secret_eq(
        (tr_str){(const char *)a->inner.state, sizeof(a->inner.state)},
        (tr_str){(const char *)b->inner.state, sizeof(b->inner.state)});
}

bool tr_crypto_keys_same(const struct tr_crypto_keys *a,
                         const struct tr_crypto_keys *b)
{
    return same_key(&a->current, &b->current) &&
           same_key(&a->previous, &b->previous) &&
           a->previous_until == b->previous_until;
}

void tr_crypto_keys_free(struct tr_crypto_keys *keys)
{
    if (!keys)
        return;
    tr_crypto_secret_wipe(keys, sizeof(*keys));
    free(keys);
}
