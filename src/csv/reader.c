#include "csv/reader.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

#include <stdlib.h>

/* Bytes that are read at a time, and how far a first row is searched for what
 * separates its cells. */
enum { CHUNK = 65536, HEADER_MAX = 1048576 };

enum { END = -1 };

/* A cell of the row that is being read; its text may still move. */
struct span {
    size_t from;
    size_t to;
    tr_place place;
    bool is_quoted;
};

struct tr_csv_reader {
    tr_csv_read_fn *read;
    void *context;
    char separator;
    bool is_started;
    bool is_ended;    /* the source has no more */
    struct tr_buf in; /* what was read; from `at` on it is still to be used */
    size_t at;
    tr_place place;      /* of the next byte */
    struct tr_buf text;  /* of the cells of a row, one behind the other */
    struct tr_buf spans; /* struct span */
    struct tr_buf cells; /* struct tr_csv_cell */
    struct tr_err fault;
    bool has_fault;
};

tr_status tr_csv_reader_create(tr_csv_read_fn *read, void *context,
                               char separator, struct tr_csv_reader **out,
                               struct tr_err *err)
{
    struct tr_csv_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return tr_fail(err, TR_E_NOMEM, "no memory for a CSV file");
    reader->read = read;
    reader->context = context;
    reader->separator = separator;
    reader->place = (tr_place){0, 1, 1};
    tr_buf_init(&reader->in, HEADER_MAX + 2 * CHUNK);
    tr_buf_init(&reader->text, TR_LIMIT_CSV_ROW);
    tr_buf_init(&reader->spans,
                (TR_LIMIT_CSV_COLUMNS + 1) * sizeof(struct span));
    tr_buf_init(&reader->cells,
                (TR_LIMIT_CSV_COLUMNS + 1) * sizeof(struct tr_csv_cell));
    *out = reader;
    return TR_OK;
}

void tr_csv_reader_free(struct tr_csv_reader *reader)
{
    if (!reader)
        return;
    tr_buf_done(&reader->in);
    tr_buf_done(&reader->text);
    tr_buf_done(&reader->spans);
    tr_buf_done(&reader->cells);
    free(reader);
}

/* Reads on, behind what is still to be used. */
static tr_status fill(struct tr_csv_reader *r, struct tr_err *err)
{
    size_t got = 0;
    if (r->at > 0) {
        r->in.len -= r->at;
        memmove(r->in.ptr, r->in.ptr + r->at, r->in.len);
        r->at = 0;
    }
    char *to = tr_buf_room(&r->in, CHUNK);
    if (!to)
        return tr_buf_check(&r->in, err);
    TR_TRY(r->read(r->context, to, CHUNK, &got, err));
    r->in.len += got;
    r->is_ended = got == 0;
    return TR_OK;
}

/* The next byte, which stays; END behind the last. */
static tr_status peek(struct tr_csv_reader *r, int *out, struct tr_err *err)
{
    while (r->at == r->in.len && !r->is_ended)
        TR_TRY(fill(r, err));
    *out = r->at == r->in.len ? END : (unsigned char)r->in.ptr[r->at];
    return TR_OK;
}

static void step(struct tr_csv_reader *r, int c)
{
    r->at++;
    r->place.offset++;
    if (c == '\n') {
        r->place.line++;
        r->place.column = 1;
    } else if ((c & 0xC0) != 0x80) {
        r->place.column++;
    }
}

/* The first fault of a row is told. */
static void note_fault(struct tr_csv_reader *r, tr_place place, const char *why)
{
    if (r->has_fault)
        return;
    r->has_fault = true;
    (void)tr_fail(&r->fault, TR_E_SYNTAX, "%s", why);
    r->fault.place = place;
}

static void put(struct tr_csv_reader *r, int c)
{
    if (c == '\0')
        note_fault(r, r->place, "a NUL cannot be in a cell");
    tr_buf_putc(&r->text, (char)c);
    step(r, c);
}

static tr_status check_size(const struct tr_csv_reader *r, size_t from,
                            tr_place place, struct tr_err *err)
{
    if (r->text.len - from <= TR_LIMIT_CSV_CELL && r->text.failed == TR_OK)
        return TR_OK;
    tr_status status =
        r->text.failed == TR_E_NOMEM
            ? tr_fail(err, TR_E_NOMEM, "no memory for a row")
        : r->text.failed != TR_OK
            ? tr_fail(err, TR_E_LIMIT, "a row has more than %zu bytes",
                      TR_LIMIT_CSV_ROW)
            : tr_fail(err, TR_E_LIMIT, "a cell has more than %zu bytes",
                      TR_LIMIT_CSV_CELL);
    if (err)
        err->place = place;
    return status;
}

/* Behind the first quote, up to behind the last. */
static tr_status read_quoted(struct tr_csv_reader *r, const struct span *span,
                             struct tr_err *err)
{
    int c;
    for (;;) {
        TR_TRY(peek(r, &c, err));
        if (c == END) {
            (void)tr_fail(err, TR_E_SYNTAX,
                          "the quote that opens here is never closed");
            if (err)
                err->place = span->place;
            return TR_E_SYNTAX;
        }
        if (c == '"') {
            step(r, c);
            TR_TRY(peek(r, &c, err));
            if (c != '"')
                return TR_OK;
        }
        put(r, c);
        TR_TRY(check_size(r, span->from, span->place, err));
    }
}

static bool ends_cell(const struct tr_csv_reader *r, int c)
{
    return c == END || c == '\n' || c == r->separator;
}

/* Up to what ends the cell; behind quotes nothing but that may stand. */
static tr_status read_plain(struct tr_csv_reader *r, struct span *span,
                            struct tr_err *err)
{
    int c;
    int next = 0;
    for (;;) {
        TR_TRY(peek(r, &c, err));
        if (ends_cell(r, c))
            return TR_OK;
        tr_place place = r->place;
        if (c == '\r') {
            step(r, c);
            TR_TRY(peek(r, &next, err));
            if (next == '\n' || next == END)
                return TR_OK;
            note_fault(r, place, "a carriage return stands alone");
            continue;
        }
        if (span->is_quoted)
            note_fault(r, place, "text stands behind the quotes of a cell");
        else if (c == '"')
            note_fault(r, place,
                       "a quote stands in a cell that does not begin with one");
        put(r, c);
        TR_TRY(check_size(r, span->from, span->place, err));
    }
}

static tr_status read_cell(struct tr_csv_reader *r, struct tr_err *err)
{
    struct span span = {.from = r->text.len, .place = r->place};
    int c;
    TR_TRY(peek(r, &c, err));
    if (c == '"') {
        span.is_quoted = true;
        step(r, c);
        TR_TRY(read_quoted(r, &span, err));
    }
    TR_TRY(read_plain(r, &span, err));
    span.to = r->text.len;
    tr_str text = {r->text.ptr + span.from, span.to - span.from};
    if (text.len && !tr_utf8_is_valid(text))
        note_fault(r, span.place, "a cell is not UTF-8");
    if (r->spans.len / sizeof(span) >= TR_LIMIT_CSV_COLUMNS) {
        (void)tr_fail(err, TR_E_LIMIT, "a row has more than %d cells",
                      TR_LIMIT_CSV_COLUMNS);
        if (err)
            err->place = span.place;
        return TR_E_LIMIT;
    }
    tr_buf_put(&r->spans, (tr_str){(const char *)&span, sizeof(span)});
    return tr_buf_check(&r->spans, err);
}

/* Up to behind the end of the line. */
static tr_status read_cells(struct tr_csv_reader *r, struct tr_err *err)
{
    int c;
    tr_buf_clear(&r->text);
    tr_buf_clear(&r->spans);
    r->has_fault = false;
    for (;;) {
        TR_TRY(read_cell(r, err));
        TR_TRY(peek(r, &c, err));
        if (c != END)
            step(r, c);
        if (c != r->separator)
            return TR_OK;
    }
}

static tr_status finish_row(struct tr_csv_reader *r, struct tr_csv_row *out,
                            struct tr_err *err)
{
    const struct span *spans = (const void *)r->spans.ptr;
    size_t count = r->spans.len / sizeof(*spans);
    tr_buf_clear(&r->cells);
    for (size_t i = 0; i < count; i++) {
        struct tr_csv_cell cell = {
            .text = {r->text.ptr ? r->text.ptr + spans[i].from : "",
                     spans[i].to - spans[i].from},
            .is_quoted = spans[i].is_quoted,
            .place = spans[i].place};
        tr_buf_put(&r->cells, (tr_str){(const char *)&cell, sizeof(cell)});
    }
    TR_TRY(tr_buf_check(&r->cells, err));
    *out = (struct tr_csv_row){.cells = (const void *)r->cells.ptr,
                               .count = count,
                               .place = spans[0].place,
                               .fault = r->has_fault ? &r->fault : NULL};
    return TR_OK;
}

static bool is_blank(const struct tr_csv_reader *r)
{
    const struct span *span = (const void *)r->spans.ptr;
    return r->spans.len == sizeof(*span) && !span->is_quoted &&
           span->to == span->from && !r->has_fault;
}

/* Which separators stand in the first line, outside of quotes. */
static tr_status find_separator(struct tr_csv_reader *r, struct tr_err *err)
{
    static const char all[] = {',', ';', '\t'};
    bool has[sizeof(all)] = {false};
    bool is_quoted = false;
    size_t kinds = 0;
    r->separator = ',';
    for (size_t i = 0; i < HEADER_MAX; i++) {
        while (i == r->in.len && !r->is_ended)
            TR_TRY(fill(r, err));
        if (i == r->in.len || (r->in.ptr[i] == '\n' && !is_quoted))
            break;
        is_quoted ^= r->in.ptr[i] == '"';
        for (size_t k = 0; k < sizeof(all); k++)
            has[k] |= !is_quoted && r->in.ptr[i] == all[k];
    }
    for (size_t k = 0; k < sizeof(all); k++) {
        kinds += has[k];
        if (has[k])
            r->separator = all[k];
    }
    if (kinds < 2)
        return TR_OK;
    (void)tr_fail(err, TR_E_INVALID,
                  "the header has several of , ; and tab: say which separates "
                  "its cells");
    if (err)
        err->place = r->place;
    return TR_E_INVALID;
}

static tr_status start(struct tr_csv_reader *r, struct tr_err *err)
{
    r->is_started = true;
    while (r->in.len < 3 && !r->is_ended)
        TR_TRY(fill(r, err));
    if (r->in.len >= 3 && memcmp(r->in.ptr, "\xEF\xBB\xBF", 3) == 0) {
        r->in.len -= 3;
        memmove(r->in.ptr, r->in.ptr + 3, r->in.len);
        r->place.offset = 3;
    }
    return r->separator ? TR_OK : find_separator(r, err);
}

tr_status tr_csv_reader_next(struct tr_csv_reader *r, struct tr_csv_row *out,
                             bool *more, struct tr_err *err)
{
    int c;
    *more = false;
    if (!r->is_started)
        TR_TRY(start(r, err));
    do {
        TR_TRY(peek(r, &c, err));
        if (c == END)
            return TR_OK;
        TR_TRY(read_cells(r, err));
    } while (is_blank(r));
    *more = true;
    return finish_row(r, out, err);
}
