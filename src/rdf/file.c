#include "base/limits.h"
#include "base/text.h"
#include "rdf/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file: IRI of a path, made absolute where the file exists. */
static void put_file_iri(struct tr_buf *out, const char *path)
{
    char *absolute = realpath(path, NULL);
    tr_buf_put(out, TR_STR("file://"));
    if (!absolute && path[0] != '/')
        tr_buf_putc(out, '/');
    tr_percent_put(out, tr_str_from(absolute ? absolute : path), "/");
    free(absolute);
}

static tr_status open_file(const char *path, int *out, struct tr_err *err)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO
                                    : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tr_fail(err, errno == ENOENT ? TR_E_NOT_FOUND : TR_E_IO,
                       "cannot open it: %s", strerror(errno));
    *out = fd;
    return TR_OK;
}

static tr_status find_format(const char *path,
                             const struct tr_rdf_file_opts *opts,
                             enum tr_rdf_format *out, struct tr_err *err)
{
    if (opts->format) {
        *out = *opts->format;
        return TR_OK;
    }
    if (!tr_rdf_format_of_file(tr_str_from(path), out))
        return tr_fail(err, TR_E_INVALID,
                       "its name does not tell the format: nt, nq, ttl, trig, "
                       "jsonld");
    return TR_OK;
}

/* A source that reports how far the file has been read. */
struct watched {
    const struct tr_rdf_file_opts *opts;
    struct tr_rdf_source inside;
    uint64_t done;
    uint64_t total;
};

static tr_status read_watched(void *context, char *to, size_t size, size_t *got,
                              struct tr_err *err)
{
    struct watched *watched = context;
    TR_TRY(watched->inside.read(watched->inside.context, to, size, got, err));
    watched->done += *got;
    if (watched->opts->progress)
        watched->opts->progress(watched->opts->context, watched->done,
                                watched->total);
    return TR_OK;
}

static tr_status read_fd(int fd, enum tr_rdf_format format, tr_str base,
                         const struct tr_rdf_file_opts *opts,
                         const struct tr_rdf_sink *sink, struct tr_err *err)
{
    struct stat info;
    struct watched watched = {opts, tr_rdf_source_fd(&fd, base), 0, 0};
    struct tr_rdf_source source = {&watched, read_watched, base};
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        watched.total = (uint64_t)info.st_size;
    return tr_rdf_read(format, &source, sink, err);
}

tr_status tr_rdf_file_read(const char *path,
                           const struct tr_rdf_file_opts *opts,
                           const struct tr_rdf_sink *sink, struct tr_err *err)
{
    enum tr_rdf_format format;
    struct tr_buf base;
    int fd = -1;
    TR_TRY(find_format(path, opts, &format, err));
    TR_TRY(open_file(path, &fd, err));
    tr_buf_init(&base, TR_LIMIT_RDF_TERM);
    if (opts->base.len)
        tr_buf_put(&base, opts->base);
    else if (fd != STDIN_FILENO)
        put_file_iri(&base, path);

    tr_status status = tr_buf_check(&base, err);
    if (status == TR_OK)
        status = read_fd(fd, format, tr_buf_str(&base), opts, sink, err);
    tr_buf_done(&base);
    if (fd != STDIN_FILENO)
        (void)close(fd);
    return status;
}
