#include "base/file.h"
#include "base/limits.h"
#include "rdf/writer.h"

#define ENOUGH TR_KIB(64)

static tr_status write_buf(void *context, tr_str bytes, struct tr_err *err)
{
    tr_buf_put(context, bytes);
    return tr_buf_check(context, err);
}

struct tr_rdf_output tr_rdf_output_buf(struct tr_buf *buf)
{
    return (struct tr_rdf_output){buf, write_buf};
}

static tr_status write_fd(void *context, tr_str bytes, struct tr_err *err)
{
    const int *fd = context;
    return tr_file_write_all(*fd, NULL, bytes, err);
}

struct tr_rdf_output tr_rdf_output_fd(int *fd)
{
    return (struct tr_rdf_output){fd, write_fd};
}

tr_status tr_rdf_output_flush(const struct tr_rdf_output *output,
                              struct tr_buf *text, bool all, struct tr_err *err)
{
    TR_TRY(tr_buf_check(text, err));
    if (text->len == 0 || (!all && text->len < ENOUGH))
        return TR_OK;
    TR_TRY(output->write(output->context, tr_buf_str(text), err));
    tr_buf_clear(text);
    return TR_OK;
}
