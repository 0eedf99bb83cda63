#include "csv/writer.h"

static bool needs_quotes(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"' || c == ',' || c == '\n' || c == '\r' || c == ';' ||
            c == '\t')
            return true;
    }
    return text.len == 0 || text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ';
}

void tr_csv_put_cell(struct tr_buf *out, tr_str text)
{
    if (!needs_quotes(text)) {
        tr_buf_put(out, text);
        return;
    }
    tr_buf_putc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            tr_buf_putc(out, '"');
        tr_buf_putc(out, text.ptr[i]);
    }
    tr_buf_putc(out, '"');
}

void tr_csv_end_row(struct tr_buf *out)
{
    tr_buf_put(out, TR_STR("\r\n"));
}
