#include "base/file.h"

#include "base/buf.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP ((size_t)16 * 1024)

/* A file may grow while it is read, or be a pipe: its size cannot be asked. */
static tr_status read_all(int fd, const char *path, struct tr_buf *buf,
                          struct tr_err *err)
{
    for (;;) {
        size_t left = buf->max - buf->len;
        size_t room = buf->cap - buf->len;
        size_t step = room ? room : left < READ_STEP ? left : READ_STEP;
        char *to = tr_buf_room(buf, step);
        if (!to)
            return tr_fail(err, TR_E_NOMEM, "no memory to read %s", path);
        ssize_t got = read(fd, to, step);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tr_fail(err, TR_E_IO, "cannot read %s: %s", path,
                           strerror(errno));
        if (got == 0)
            return TR_OK;
        buf->len += (size_t)got;
        if (buf->len == buf->max)
            return tr_fail(err, TR_E_LIMIT, "%s is larger than %zu bytes", path,
                           buf->max - 1);
    }
}

/* Takes at once what the file needs, if it is one: then nothing of it is left
 * behind when the buffer grows. */
static void expect_size(int fd, struct tr_buf *buf)
{
    struct stat about;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        (uintmax_t)about.st_size < buf->max)
        (void)tr_buf_room(buf, (size_t)about.st_size + 1);
}

/* What is read may be secret. */
static void wipe(struct tr_buf *buf)
{
    if (buf->ptr)
        explicit_bzero(buf->ptr, buf->held);
    tr_buf_done(buf);
}

static tr_status fail_open(const char *path, struct tr_err *err)
{
    tr_status st = errno == ENOENT   ? TR_E_NOT_FOUND
                   : errno == ENOMEM ? TR_E_NOMEM
                                     : TR_E_IO;
    return tr_fail(err, st, "cannot open %s: %s", path, strerror(errno));
}

tr_status tr_file_read_open(struct tr_arena *arena, int fd, const char *path,
                            size_t max_bytes, tr_str *out, struct tr_err *err)
{
    struct tr_buf buf;
    tr_buf_init(&buf, max_bytes + 1);
    expect_size(fd, &buf);
    tr_status st = read_all(fd, path, &buf, err);
    if (st == TR_OK && !tr_arena_copy(arena, tr_buf_str(&buf), out))
        st = tr_fail(err, TR_E_NOMEM, "no memory to read %s", path);
    wipe(&buf);
    return st;
}

tr_status tr_file_read(struct tr_arena *arena, const char *path,
                       size_t max_bytes, tr_str *out, struct tr_err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_open(path, err);
    tr_status st = tr_file_read_open(arena, fd, path, max_bytes, out, err);
    if (!is_stdin)
        (void)close(fd);
    return st;
}

/* Whether `path`, both without links, is a file below `folder`. */
static bool is_below(const char *folder, const char *path)
{
    size_t len = strlen(folder);
    while (len > 0 && folder[len - 1] == '/')
        len--;
    return strncmp(folder, path, len) == 0 && path[len] == '/';
}

/* Whether `whole`, which is `path` in `folder`, is below it without links. */
static tr_status check_below(const char *folder, const char *path,
                             const char *whole, struct tr_err *err)
{
    char *outer = realpath(folder, NULL);
    char *inner = outer ? realpath(whole, NULL) : NULL;
    tr_status st = TR_OK;
    if (!inner)
        st = fail_open(whole, err);
    else if (!is_below(outer, inner))
        st = tr_fail(err, TR_E_INVALID, "%s is not below the folder", path);
    free(outer);
    free(inner);
    return st;
}

const tr_str *tr_file_text_find(const struct tr_file_text *texts, size_t count,
                                const char *path)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_str_eq(texts[i].path, tr_str_from(path)))
            return &texts[i].text;
    }
    return NULL;
}

tr_status tr_file_read_below(struct tr_arena *arena,
                             const struct tr_file_folder *folder,
                             const char *path, size_t max_bytes, tr_str *out,
                             struct tr_err *err)
{
    char whole[TR_LIMIT_PATH_BYTES];
    int len = snprintf(whole, sizeof(whole), "%s/%s", folder->path, path);
    const tr_str *instead =
        tr_file_text_find(folder->texts, folder->text_count, path);
    if (instead && instead->len > max_bytes)
        return tr_fail(err, TR_E_LIMIT, "%s is larger than %zu bytes", path,
                       max_bytes);
    if (instead) {
        *out = *instead;
        return TR_OK;
    }
    if (path[0] == '/' || len < 0 || (size_t)len >= sizeof(whole))
        return tr_fail(err, TR_E_INVALID, "%s is not a path below the folder",
                       path[0] == '/' ? path : "this");
    tr_status st = check_below(folder->path, path, whole, err);
    if (st == TR_OK)
        st = tr_file_read(arena, whole, max_bytes, out, err);
    if (folder->heard)
        folder->heard(folder->data, path, st, st == TR_OK ? *out : TR_STR(""));
    return st;
}

static tr_status fail_write(const char *path, int why, struct tr_err *err)
{
    return tr_fail(err, TR_E_IO, "cannot write%s%s: %s", path ? " " : "",
                   path ? path : "", strerror(why));
}

tr_status tr_file_write_all(int fd, const char *path, tr_str text,
                            struct tr_err *err)
{
    while (text.len) {
        ssize_t count = write(fd, text.ptr, text.len);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) /* a 0 would come again, for ever */
            return fail_write(path, count < 0 ? errno : EIO, err);
        text = tr_str_skip(text, (size_t)count);
    }
    return TR_OK;
}

bool tr_file_takes_colours(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(fd) && !(no_color && *no_color) && term &&
           strcmp(term, "dumb") != 0;
}
