#include "rdf/source.h"

#include <errno.h>
#include <unistd.h>

static tr_status read_text(void *context, char *to, size_t size, size_t *got,
                           struct tr_err *err)
{
    tr_str *text = context;
    size_t count = text->len < size ? text->len : size;
    (void)err;
    if (count)
        memcpy(to, text->ptr, count);
    *text = tr_str_skip(*text, count);
    *got = count;
    return TR_OK;
}

struct tr_rdf_source tr_rdf_source_text(tr_str *text, tr_str base)
{
    return (struct tr_rdf_source){text, read_text, base};
}

static tr_status read_fd(void *context, char *to, size_t size, size_t *got,
                         struct tr_err *err)
{
    const int *fd = context;
    ssize_t count;
    do {
        count = read(*fd, to, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0)
        return tr_fail(err, TR_E_IO, "cannot read: %s", strerror(errno));
    *got = (size_t)count;
    return TR_OK;
}

struct tr_rdf_source tr_rdf_source_fd(int *fd, tr_str base)
{
    return (struct tr_rdf_source){fd, read_fd, base};
}
