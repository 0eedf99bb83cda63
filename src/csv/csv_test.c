#include "base/limits.h"
#include "base/test.h"
#include "csv/reader.h"
#include "csv/writer.h"

#define LITERAL(text)                                                          \
    {                                                                          \
        (text), sizeof(text) - 1                                               \
    }

/* A source that gives so many bytes at a time. */
struct feed {
    tr_str text;
    size_t step;
};

static tr_status read_feed(void *context, char *to, size_t size, size_t *got,
                           struct tr_err *err)
{
    struct feed *feed = context;
    size_t count = feed->text.len < feed->step ? feed->text.len : feed->step;
    (void)err;
    *got = count < size ? count : size;
    if (*got)
        memcpy(to, feed->text.ptr, *got);
    feed->text = tr_str_skip(feed->text, *got);
    return TR_OK;
}

/* "[a|b'quoted'] " for each row; "!line:column why" for what is wrong. */
static tr_status show(struct tr_buf *out, struct feed feed, char separator,
                      struct tr_err *err)
{
    struct tr_csv_reader *reader = NULL;
    struct tr_csv_row row;
    bool more = true;
    TR_TRY(tr_csv_reader_create(read_feed, &feed, separator, &reader, err));
    tr_status status = TR_OK;
    while (status == TR_OK && more) {
        status = tr_csv_reader_next(reader, &row, &more, err);
        if (status != TR_OK || !more)
            break;
        if (row.fault) {
            tr_buf_putf(out, "!%u:%u %s ", row.fault->place.line,
                        row.fault->place.column, row.fault->msg);
            continue;
        }
        tr_buf_putf(out, "%u[", row.place.line);
        for (size_t i = 0; i < row.count; i++) {
            tr_buf_putf(out, "%s%s", i ? "|" : "",
                        row.cells[i].is_quoted ? "'" : "");
            tr_buf_put(out, row.cells[i].text);
        }
        tr_buf_put(out, TR_STR("] "));
    }
    tr_csv_reader_free(reader);
    return status;
}

TEST(csv_reads_what_rfc_4180_has)
{
    static const struct {
        const char *text;
        const char *shown;
    } rows[] = {
        {"", ""},
        {"a,b\n1,2\n", "1[a|b] 2[1|2] "},
        {"a,b\r\n1,2\r\n", "1[a|b] 2[1|2] "},
        {"a,b\n1,2", "1[a|b] 2[1|2] "},
        {"a,b\n1,2\r", "1[a|b] 2[1|2] "},
        {"\xEF\xBB\xBF"
         "a\nb\n",
         "1[a] 2[b] "},
        {"a\n\n\r\nb\n", "1[a] 4[b] "},
        {"a,\n,b\n", "1[a|] 2[|b] "},
        {"\"\",a\n", "1['|a] "},
        {"\"x,\"\"y\"\"\",b\n", "1['x,\"y\"|b] "},
        {"\"one\ntwo\r\nthree\",b\nc,d\n", "1['one\ntwo\r\nthree|b] 4[c|d] "},
        {"a;b\n1,5;2\n", "1[a|b] 2[1,5|2] "},
        {"a\tb\n1\t2\n", "1[a|b] 2[1|2] "},
        {"\"a,b\";c\n", "1['a,b|c] "},
        {" a , b \n", "1[ a | b ] "},
        {"\xC3\xA9,\xF0\x9F\x9A\xB2\n", "1[\xC3\xA9|\xF0\x9F\x9A\xB2] "},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        for (size_t step = 1; step < 9; step += 3) {
            struct feed feed = {tr_str_from(rows[i].text), step};
            struct tr_err err = {0};
            struct tr_buf out;
            tr_buf_init(&out, TR_MIB(1));
            CHECK_OK(show(&out, feed, 0, &err), &err);
            tr_buf_putc(&out, '\0');
            CHECK_STR(tr_str_from(out.ptr), rows[i].shown);
            tr_buf_done(&out);
        }
    }
}

TEST(csv_tells_what_is_wrong_with_a_row_and_goes_on)
{
    static const struct {
        tr_str text;
        const char *shown;
    } rows[] = {
        {LITERAL("a,b\n1,x\"y\n2,3\n"),
         "1[a|b] !2:4 a quote stands in a cell that does not begin with one "
         "3[2|3] "},
        {LITERAL("a,b\n\"1\"x,2\n2,3\n"),
         "1[a|b] !2:4 text stands behind the quotes of a cell 3[2|3] "},
        {LITERAL("a,b\n1,\xFF\n2,3\n"),
         "1[a|b] !2:3 a cell is not UTF-8 3[2|3] "},
        {LITERAL("a,b\n1,x\0y\n2,3\n"),
         "1[a|b] !2:4 a NUL cannot be in a cell 3[2|3] "},
        {LITERAL("a,b\n1,x\ry\n2,3\n"),
         "1[a|b] !2:4 a carriage return stands alone 3[2|3] "},
        {LITERAL("a,b\n\"\xC3\xA9\n\",x\0\n2,3\n"),
         "1[a|b] !3:4 a NUL cannot be in a cell 4[2|3] "},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct feed feed = {rows[i].text, 3};
        struct tr_err err = {0};
        struct tr_buf out;
        tr_buf_init(&out, TR_MIB(1));
        CHECK_OK(show(&out, feed, ',', &err), &err);
        tr_buf_putc(&out, '\0');
        CHECK_STR(tr_str_from(out.ptr), rows[i].shown);
        tr_buf_done(&out);
    }
}

static void check_refused(struct feed feed, char separator, tr_status status,
                          unsigned line, unsigned column, const char *why)
{
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(256));
    CHECK_INT(show(&out, feed, separator, &err), status);
    CHECK_STR(tr_str_from(err.msg), why);
    CHECK_INT(err.place.line, line);
    CHECK_INT(err.place.column, column);
    tr_buf_done(&out);
}

TEST(csv_refuses_what_has_no_end)
{
    check_refused((struct feed){TR_STR("a,b\n1,\"x\n\n2,3\n"), 5}, 0,
                  TR_E_SYNTAX, 2, 3,
                  "the quote that opens here is never closed");
    check_refused((struct feed){TR_STR("a,b;c\n"), 5}, 0, TR_E_INVALID, 1, 1,
                  "the header has several of , ; and tab: say which separates "
                  "its cells");
}

TEST(csv_has_its_bounds)
{
    static char text[TR_LIMIT_CSV_CELL + 2];
    memset(text, 'x', sizeof(text));
    struct feed feed = {{text, TR_LIMIT_CSV_CELL}, TR_MIB(1)};
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(32));
    CHECK_OK(show(&out, feed, ',', &err), &err);
    tr_buf_done(&out);
    feed.text.len++;
    check_refused(feed, ',', TR_E_LIMIT, 1, 1,
                  "a cell has more than 16777216 bytes");
    memset(text, ',', TR_LIMIT_CSV_COLUMNS);
    feed.text.len = TR_LIMIT_CSV_COLUMNS - 1;
    tr_buf_init(&out, TR_MIB(1));
    CHECK_OK(show(&out, feed, ',', &err), &err);
    tr_buf_done(&out);
    feed.text.len++;
    check_refused(feed, ',', TR_E_LIMIT, 1, TR_LIMIT_CSV_COLUMNS + 1,
                  "a row has more than 1024 cells");
}

TEST(csv_reads_what_it_writes)
{
    static const char alphabet[] = "a,;\t\"\r\n b\xC3\xA9=";
    for (size_t i = 0; i < 500; i++) {
        struct tr_buf text;
        struct tr_buf wanted;
        struct tr_buf out;
        struct tr_err err = {0};
        tr_buf_init(&text, TR_MIB(1));
        tr_buf_init(&wanted, TR_MIB(1));
        tr_buf_init(&out, TR_MIB(1));
        tr_buf_put(&wanted, TR_STR("1["));
        for (size_t cell = 0; cell < 3; cell++) {
            char room[8];
            size_t len = 0;
            size_t count = tr_test_random_below(4);
            for (size_t k = 0; k < count; k++) {
                size_t at = tr_test_random_below(sizeof(alphabet) - 1);
                if ((alphabet[at] & 0x80) && len + 2 <= sizeof(room)) {
                    room[len++] = '\xC3';
                    room[len++] = '\xA9';
                } else if (!(alphabet[at] & 0x80) && len < sizeof(room)) {
                    room[len++] = alphabet[at];
                }
            }
            if (cell)
                tr_buf_put(&text, TR_STR(","));
            tr_csv_put_cell(&text, (tr_str){room, len});
            tr_buf_put(&wanted, cell ? TR_STR("|") : TR_STR(""));
            tr_buf_put(&wanted, (tr_str){room, len});
        }
        tr_csv_end_row(&text);
        tr_buf_put(&wanted, TR_STR("] "));
        struct feed feed = {tr_buf_str(&text), 7};
        CHECK_OK(show(&out, feed, ',', &err), &err);
        /* Whether a cell was quoted is not what is compared. */
        size_t kept = 0;
        for (size_t k = 0; k < out.len; k++)
            if (out.ptr[k] != '\'')
                out.ptr[kept++] = out.ptr[k];
        out.len = kept;
        CHECK(out.ptr && wanted.ptr);
        CHECK(tr_str_eq(tr_buf_str(&out), tr_buf_str(&wanted)));
        tr_buf_done(&text);
        tr_buf_done(&wanted);
        tr_buf_done(&out);
    }
}

static tr_status read_all(void *context, struct tr_err *err)
{
    struct feed feed = {TR_STR("a,b\n1,\"two\nlines\"\n2,\xFF\n3,\"\"\"\"\n"),
                        4};
    struct tr_buf out;
    (void)context;
    tr_buf_init(&out, TR_MIB(1));
    tr_status status = show(&out, feed, 0, err);
    if (status == TR_OK)
        status = tr_buf_check(&out, err);
    tr_buf_done(&out);
    return status;
}

TEST(csv_survives_every_allocation_that_fails)
{
    tr_test_sweep(read_all, NULL);
}
