#include "net/lines.h"

#include "base/limits.h"

/* Memory that is kept between lines. */
#define KEPT TR_KIB(4)

void tr_net_lines_init(struct tr_net_lines *lines, size_t max_bytes)
{
    *lines = (struct tr_net_lines){0};
    tr_buf_init(&lines->rest, max_bytes ? max_bytes : TR_LIMIT_LINE_BYTES);
}

void tr_net_lines_done(struct tr_net_lines *lines)
{
    tr_buf_done(&lines->rest);
}

void tr_net_lines_stop(struct tr_net_lines *lines)
{
    lines->stopped = true;
}

static void forget(struct tr_net_lines *lines)
{
    if (lines->rest.held > KEPT)
        tr_buf_done(&lines->rest);
    else
        tr_buf_clear(&lines->rest);
}

static void refuse(struct tr_net_lines *lines, tr_status why,
                   tr_net_line_fn *fn, void *data)
{
    forget(lines);
    fn(data, why, (tr_str){NULL, 0});
}

/* A line has ended: `end` is its part in the bytes just fed. */
static void finish(struct tr_net_lines *lines, tr_str end, tr_net_line_fn *fn,
                   void *data)
{
    if (lines->skipping) {
        lines->skipping = false;
        return;
    }
    if (lines->rest.len == 0) {
        if (end.len > lines->rest.max)
            refuse(lines, TR_E_LIMIT, fn, data);
        else
            fn(data, TR_OK, end);
        return;
    }
    tr_buf_put(&lines->rest, end);
    if (lines->rest.failed) {
        refuse(lines, lines->rest.failed, fn, data);
        return;
    }
    fn(data, TR_OK, tr_buf_str(&lines->rest));
    forget(lines);
}

static void keep(struct tr_net_lines *lines, tr_str part, tr_net_line_fn *fn,
                 void *data)
{
    if (lines->skipping || part.len == 0)
        return;
    tr_buf_put(&lines->rest, part);
    if (lines->rest.failed) {
        lines->skipping = true;
        refuse(lines, lines->rest.failed, fn, data);
    }
}

void tr_net_lines_feed(struct tr_net_lines *lines, tr_str bytes,
                       tr_net_line_fn *fn, void *data)
{
    lines->stopped = false;
    while (bytes.len && !lines->stopped) {
        const char *end = memchr(bytes.ptr, '\n', bytes.len);
        if (!end) {
            keep(lines, bytes, fn, data);
            return;
        }
        size_t len = (size_t)(end - bytes.ptr);
        finish(lines, (tr_str){bytes.ptr, len}, fn, data);
        bytes = tr_str_skip(bytes, len + 1);
    }
}

void tr_net_lines_end(struct tr_net_lines *lines, tr_net_line_fn *fn,
                      void *data)
{
    if (lines->rest.len)
        finish(lines, (tr_str){NULL, 0}, fn, data);
    lines->skipping = false;
}
