/*
 * Any bytes as CSV: rows whose texts are UTF-8 and which come back when they
 * are written and read again, or an error with a place.
 */
#include "base/limits.h"
#include "base/text.h"
#include "csv/reader.h"
#include "csv/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static tr_status read_some(void *context, char *to, size_t size, size_t *got,
                           struct tr_err *err)
{
    tr_str *text = context;
    (void)err;
    *got = text->len < size ? text->len : size;
    if (*got > 13)
        *got = 13;
    if (*got)
        memcpy(to, text->ptr, *got);
    *text = tr_str_skip(*text, *got);
    return TR_OK;
}

static void check_place(tr_place place, size_t size)
{
    must(place.line > 0 && place.column > 0 && place.offset <= size);
}

static void write_row(const struct tr_csv_row *row, struct tr_buf *out)
{
    for (size_t i = 0; i < row->count; i++) {
        must(tr_utf8_is_valid(row->cells[i].text));
        must(!memchr(row->cells[i].text.ptr, 0, row->cells[i].text.len));
        if (i)
            tr_buf_putc(out, ',');
        tr_csv_put_cell(out, row->cells[i].text);
    }
    tr_csv_end_row(out);
}

static void read_all(tr_str text, char separator, struct tr_buf *out)
{
    size_t size = text.len;
    struct tr_csv_reader *reader = NULL;
    struct tr_csv_row row;
    struct tr_err err = {0};
    bool more = true;
    if (tr_csv_reader_create(read_some, &text, separator, &reader, &err) !=
        TR_OK)
        return;
    while (more) {
        tr_status status = tr_csv_reader_next(reader, &row, &more, &err);
        if (status != TR_OK) {
            must(status == err.code && err.msg[0]);
            if (status != TR_E_NOMEM)
                check_place(err.place, size);
            break;
        }
        if (more && row.fault)
            check_place(row.fault->place, size);
        else if (more)
            write_row(&row, out);
    }
    tr_csv_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char separators[] = {0, ',', ';', '\t'};
    for (size_t i = 0; i < sizeof(separators); i++) {
        struct tr_buf once;
        struct tr_buf twice;
        tr_buf_init(&once, TR_MIB(64));
        tr_buf_init(&twice, TR_MIB(64));
        read_all((tr_str){(const char *)data, size}, separators[i], &once);
        read_all(tr_buf_str(&once), ',', &twice);
        must(tr_str_eq(tr_buf_str(&once), tr_buf_str(&twice)));
        tr_buf_done(&once);
        tr_buf_done(&twice);
    }
    return 0;
}
