#include "gen/tree.h"

#include "base/ascii.h"
#include "base/file.h"
#include "base/vec.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "gen/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void tr_gen_hash(tr_str text, char out[65])
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    tr_crypto_sha256(text, digest);
    tr_crypto_hex_write((tr_str){(const char *)digest, sizeof(digest)}, out);
    out[64] = '\0';
}

tr_status tr_gen_tree_open(const char *folder, struct tr_gen_tree *out,
                           struct tr_err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return tr_fail(err, errno == ENOENT ? TR_E_NOT_FOUND : TR_E_IO,
                       "cannot open the folder %s: %s", folder,
                       strerror(errno));
    out->fd = fd;
    return TR_OK;
}

void tr_gen_tree_close(struct tr_gen_tree *tree)
{
    if (tree->fd >= 0)
        (void)close(tree->fd);
    tree->fd = -1;
}

void tr_gen_spot_close(struct tr_gen_spot *spot)
{
    if (spot->fd >= 0)
        (void)close(spot->fd);
    spot->fd = -1;
}

/* A name of a path that was checked, or "" for one that is too long. */
static void copy_name(tr_str name, char out[TR_LIMIT_GEN_NAME + 1])
{
    bool fits = name.len <= TR_LIMIT_GEN_NAME;
    if (fits)
        memcpy(out, name.ptr, name.len);
    out[fits ? name.len : 0] = '\0';
}

static tr_status fail_step(const char *name, struct tr_err *err)
{
    bool is_odd = errno == ELOOP || errno == ENOTDIR;
    return tr_fail(err, is_odd ? TR_E_INVALID : TR_E_IO, "%s %s%s",
                   is_odd ? "on the way is a link, or no folder:"
                          : "cannot open",
                   name, is_odd ? "" : strerror(errno));
}

/* Goes into a folder; -1 in spot->fd when there is none. */
static tr_status enter(struct tr_gen_spot *spot, tr_str name, bool makes,
                       struct tr_err *err)
{
    copy_name(name, spot->name);
    if (makes && mkdirat(spot->fd, spot->name, 0777) != 0 && errno != EEXIST)
        return tr_fail(err, TR_E_IO, "cannot make the folder %s: %s",
                       spot->name, strerror(errno));
    int inner = openat(spot->fd, spot->name, FOLDER);
    if (inner < 0 && errno != ENOENT)
        return fail_step(spot->name, err);
    tr_gen_spot_close(spot);
    spot->fd = inner;
    return TR_OK;
}

tr_status tr_gen_spot_open(const struct tr_gen_tree *tree, tr_str path,
                           bool makes, struct tr_gen_spot *out,
                           struct tr_err *err)
{
    struct tr_gen_spot spot = {.fd = openat(tree->fd, ".", FOLDER)};
    tr_status status = TR_OK;
    tr_str name;
    tr_str rest;
    if (spot.fd < 0)
        return tr_fail(err, TR_E_IO, "cannot open the app's folder: %s",
                       strerror(errno));
    while (status == TR_OK && spot.fd >= 0 &&
           tr_str_cut(path, '/', &name, &rest)) {
        status = enter(&spot, name, makes, err);
        path = rest;
    }
    if (status != TR_OK) {
        tr_gen_spot_close(&spot);
        return status;
    }
    copy_name(path, spot.name);
    *out = spot;
    return TR_OK;
}

static bool is_same_but_case(const char *a, const char *b)
{
    size_t i = 0;
    if (strcmp(a, b) == 0)
        return false;
    while (a[i] && tr_ascii_is_same(a[i], b[i]))
        i++;
    return !a[i] && !b[i];
}

/* Some file systems take two spellings of a name for one file. */
static tr_status refuse_twin(const struct tr_gen_spot *spot, struct tr_err *err)
{
    int fd = openat(spot->fd, ".", FOLDER);
    DIR *open = fd < 0 ? NULL : fdopendir(fd);
    tr_status status = TR_OK;
    if (!open && fd >= 0)
        (void)close(fd);
    if (!open)
        return tr_fail(err, TR_E_IO, "cannot read a folder: %s",
                       strerror(errno));
    for (struct dirent *entry; status == TR_OK && (entry = readdir(open));) {
        if (is_same_but_case(entry->d_name, spot->name))
            status = tr_fail(err, TR_E_INVALID,
                             "%s is there, which differs in case alone",
                             entry->d_name);
    }
    (void)closedir(open);
    return status;
}

/* Each name of the path, in the folder that it is in. */
static tr_status refuse_twins(const struct tr_gen_tree *tree, tr_str path,
                              struct tr_err *err)
{
    for (size_t i = 0; i <= path.len; i++) {
        struct tr_gen_spot spot = {.fd = -1};
        if (i < path.len && path.ptr[i] != '/')
            continue;
        TR_TRY(
            tr_gen_spot_open(tree, (tr_str){path.ptr, i}, false, &spot, err));
        tr_status status = spot.fd < 0 ? TR_OK : refuse_twin(&spot, err);
        tr_gen_spot_close(&spot);
        TR_TRY(status);
    }
    return TR_OK;
}

/* Opens a plain file to read it; -1 when there is none. */
static tr_status open_file(const struct tr_gen_spot *spot, int *out,
                           size_t *bytes, struct tr_err *err)
{
    struct stat about;
    int fd = openat(spot->fd, spot->name,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *out = fd;
    if (fd < 0 && errno == ENOENT)
        return TR_OK;
    if (fd < 0 && errno == ELOOP)
        return tr_fail(err, TR_E_INVALID, "%s is a link", spot->name);
    if (fd < 0)
        return tr_fail(err, TR_E_IO, "cannot open %s: %s", spot->name,
                       strerror(errno));
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        *bytes = (size_t)about.st_size;
        return TR_OK;
    }
    (void)close(fd);
    *out = -1;
    return tr_fail(err, TR_E_INVALID, "%s is no plain file", spot->name);
}

static tr_status read_spot(const struct tr_gen_spot *spot,
                           struct tr_arena *arena, struct tr_gen_file *out,
                           bool *is_there, struct tr_err *err)
{
    int fd = -1;
    TR_TRY(open_file(spot, &fd, &out->bytes, err));
    *is_there = fd >= 0;
    if (fd < 0)
        return TR_OK;
    tr_status status = tr_file_read_open(arena, fd, spot->name,
                                         TR_LIMIT_GEN_FILE, &out->text, err);
    (void)close(fd);
    if (status == TR_OK) {
        tr_gen_hash(out->text, out->sha256);
        out->bytes = out->text.len;
    }
    return status;
}

tr_status tr_gen_tree_read(const struct tr_gen_tree *tree, tr_str path,
                           struct tr_arena *arena, struct tr_gen_file *out,
                           bool *is_there, struct tr_err *err)
{
    struct tr_gen_spot spot = {.fd = -1};
    *is_there = false;
    *out = (struct tr_gen_file){.path = path};
    TR_TRY(refuse_twins(tree, path, err));
    TR_TRY(tr_gen_spot_open(tree, path, false, &spot, err));
    tr_status status =
        spot.fd < 0 ? TR_OK : read_spot(&spot, arena, out, is_there, err);
    tr_gen_spot_close(&spot);
    return status;
}

/* What is listed into, and where it is now. */
struct listing {
    const struct tr_gen_tree *tree;
    struct tr_arena *arena;
    struct tr_gen_paths *out;
    struct tr_err *err;
};

static tr_status add_path(const struct listing *l, tr_str path)
{
    tr_str copy;
    if (l->out->count == TR_LIMIT_GEN_FILES)
        return tr_fail(l->err, TR_E_LIMIT, "an app has at most %zu files",
                       TR_LIMIT_GEN_FILES);
    if (!tr_arena_copy(l->arena, path, &copy) ||
        !tr_vec_push(l->arena, l->out, copy))
        return tr_fail(l->err, TR_E_NOMEM, "no memory to list the files");
    return TR_OK;
}

static tr_status list_folder(const struct listing *l, tr_str folder);

/* One entry of a folder: a file of the app, a folder with more, or neither. */
static tr_status list_entry(const struct listing *l, int folder_fd,
                            tr_str folder, const char *name)
{
    char text[TR_LIMIT_GEN_PATH + 1];
    struct stat about;
    int len = snprintf(text, sizeof(text), "%.*s%s%s", TR_FMT(folder),
                       folder.len ? "/" : "", name);
    if (len < 0 || (size_t)len >= sizeof(text) ||
        fstatat(folder_fd, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return TR_OK;
    tr_str path = {text, (size_t)len};
    if (S_ISREG(about.st_mode) && !tr_gen_path_refuse(path))
        return add_path(l, path);
    if (S_ISDIR(about.st_mode) && tr_gen_path_is_folder(path))
        return list_folder(l, path);
    return TR_OK;
}

/* The folder itself, opened by its steps; "" is the app's. */
static tr_status open_listed(const struct listing *l, tr_str folder, DIR **out)
{
    char whole[TR_LIMIT_GEN_PATH + 3];
    struct tr_gen_spot spot = {.fd = -1};
    int len = snprintf(whole, sizeof(whole), "%.*s/x", TR_FMT(folder));
    *out = NULL;
    TR_TRY(tr_gen_spot_open(
        l->tree, folder.len ? (tr_str){whole, (size_t)len} : TR_STR("x"), false,
        &spot, l->err));
    *out = spot.fd < 0 ? NULL : fdopendir(spot.fd);
    if (!*out)
        tr_gen_spot_close(&spot);
    return TR_OK;
}

static tr_status list_folder(const struct listing *l, tr_str folder)
{
    DIR *open;
    TR_TRY(open_listed(l, folder, &open));
    tr_status status = TR_OK;
    while (open && status == TR_OK) {
        const struct dirent *entry = readdir(open);
        if (!entry)
            break;
        if (entry->d_name[0] != '.')
            status = list_entry(l, dirfd(open), folder, entry->d_name);
    }
    if (open)
        (void)closedir(open);
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    return tr_str_cmp(*(const tr_str *)a, *(const tr_str *)b);
}

tr_status tr_gen_tree_list(const struct tr_gen_tree *tree,
                           struct tr_arena *arena, struct tr_gen_paths *out,
                           struct tr_err *err)
{
    const struct listing l = {tree, arena, out, err};
    TR_TRY(list_folder(&l, TR_STR("")));
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), by_bytes);
    return TR_OK;
}
