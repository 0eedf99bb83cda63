#include "net/lines.h"

#include "base/test.h"

/* All calls, as text: lines in brackets, "!" for one too long. */
struct told {
    struct tr_buf text;
    struct tr_net_lines *stop; /* after the first line, when set */
};

static void on_line(void *data, tr_status status, tr_str line)
{
    struct told *told = data;
    if (status == TR_E_LIMIT) {
        CHECK_INT(line.len, 0);
        tr_buf_putc(&told->text, '!');
        return;
    }
    CHECK_INT(status, TR_OK);
    tr_buf_putc(&told->text, '[');
    tr_buf_put(&told->text, line);
    tr_buf_putc(&told->text, ']');
    if (told->stop)
        tr_net_lines_stop(told->stop);
}

static const struct {
    const char *bytes;
    const char *told;
} rows[] = {
    {"", ""},
    {"\n", "[]"},
    {"a\n", "[a]"},
    {"a", "[a]"},
    {"a\nb", "[a][b]"},
    {"a\r\n\nb\n", "[a\r][][b]"},
    {"12345678\n", "[12345678]"},
    {"123456789\n", "!"},
    {"123456789", "!"},
    {"12345678901234567890\nok\n", "![ok]"},
    {"ok\n123456789\n123456789\nok", "[ok]!![ok]"},
};

TEST(lines_are_cut_the_same_however_they_arrive)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        for (size_t step = 1; step < 30; step++) {
            struct tr_net_lines lines;
            struct told told = {0};
            tr_str bytes = tr_str_from(rows[i].bytes);
            tr_net_lines_init(&lines, 8);
            tr_buf_init(&told.text, 1000);
            while (bytes.len) {
                size_t len = bytes.len < step ? bytes.len : step;
                tr_net_lines_feed(&lines, (tr_str){bytes.ptr, len}, on_line,
                                  &told);
                bytes = tr_str_skip(bytes, len);
            }
            tr_net_lines_end(&lines, on_line, &told);
            CHECK_STR(tr_buf_str(&told.text), rows[i].told);
            tr_buf_done(&told.text);
            tr_net_lines_done(&lines);
        }
    }
}

TEST(lines_stop_when_they_are_told_to)
{
    struct tr_net_lines lines;
    struct told told = {.stop = &lines};
    tr_net_lines_init(&lines, 0);
    tr_buf_init(&told.text, 1000);
    tr_net_lines_feed(&lines, TR_STR("a\nb\nc"), on_line, &told);
    CHECK_STR(tr_buf_str(&told.text), "[a]");
    tr_buf_done(&told.text);
    tr_net_lines_done(&lines);
}

static void on_any(void *data, tr_status status, tr_str line)
{
    tr_status *worst = data;
    (void)line;
    if (status != TR_OK)
        *worst = status;
}

static tr_status feed_all(void *context, struct tr_err *err)
{
    struct tr_net_lines lines;
    tr_status worst = TR_OK;
    (void)context;
    tr_net_lines_init(&lines, 0);
    for (int i = 0; i < 2000; i++)
        tr_net_lines_feed(&lines, TR_STR("many bytes"), on_any, &worst);
    tr_net_lines_feed(&lines, TR_STR("\nlast"), on_any, &worst);
    tr_net_lines_end(&lines, on_any, &worst);
    tr_net_lines_done(&lines);
    return worst == TR_OK ? TR_OK : tr_fail(err, worst, "told");
}

TEST(lines_tell_when_there_is_no_memory)
{
    tr_test_sweep(feed_all, NULL);
}
