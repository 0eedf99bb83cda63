#include "json/string.h"

#include "base/limits.h"
#include "base/test.h"
#include "base/text.h"

/* Reads the string that `text` is, opening quote included. */
static tr_status read_quoted(struct tr_arena *arena, tr_str text, tr_str *out,
                             struct tr_err *err)
{
    struct tr_json_string_source source = {text, text.ptr + 1,
                                           text.ptr + text.len};
    tr_status status = tr_json_string_read(arena, &source, out, err);
    CHECK(status != TR_OK || source.at == source.end);
    return status;
}

static bool reads_as(tr_str text, tr_str want)
{
    struct tr_arena arena;
    tr_str value = {NULL, 0};
    tr_arena_init(&arena, TR_KIB(4));
    bool same = read_quoted(&arena, text, &value, NULL) == TR_OK &&
                tr_str_eq(value, want);
    tr_arena_done(&arena);
    return same;
}

TEST(json_string_decodes_every_escape)
{
    static const struct {
        tr_str text;
        tr_str value;
    } rows[] = {
        {TR_STR_INIT("\"\""), TR_STR_INIT("")},
        {TR_STR_INIT("\"a b\""), TR_STR_INIT("a b")},
        {TR_STR_INIT("\"\\\"\""), TR_STR_INIT("\"")},
        {TR_STR_INIT("\"\\\\\""), TR_STR_INIT("\\")},
        {TR_STR_INIT("\"\\/\""), TR_STR_INIT("/")},
        {TR_STR_INIT("\"\\b\\f\\n\\r\\t\""), TR_STR_INIT("\b\f\n\r\t")},
        {TR_STR_INIT("\"\\u0041\""), TR_STR_INIT("A")},
        {TR_STR_INIT("\"\\u0000\""), TR_STR_INIT("\0")},
        {TR_STR_INIT("\"a\\nb\\nc\""), TR_STR_INIT("a\nb\nc")},
        {TR_STR_INIT("\"\\\\u0041\""), TR_STR_INIT("\\u0041")},
        {TR_STR_INIT("\"\\\\\\\"\""), TR_STR_INIT("\\\"")},
        {TR_STR_INIT("\"\\u00e9\\u00E9\""), TR_STR_INIT("\xC3\xA9\xC3\xA9")},
        {TR_STR_INIT("\"\\uFFFF\""), TR_STR_INIT("\xEF\xBF\xBF")},
        {TR_STR_INIT("\"\\uD7FF\\uE000\""),
         TR_STR_INIT("\xED\x9F\xBF\xEE\x80\x80")},
        {TR_STR_INIT("\"\\ud800\\udc00\""), TR_STR_INIT("\xF0\x90\x80\x80")},
        {TR_STR_INIT("\"\\uDBFF\\uDFFF\""), TR_STR_INIT("\xF4\x8F\xBF\xBF")},
        {TR_STR_INIT("\"\xC3\xA9\\n\xC3\xA9\""),
         TR_STR_INIT("\xC3\xA9\n\xC3\xA9")},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(reads_as(rows[i].text, rows[i].value), rows[i].text.ptr);
}

TEST(json_string_decodes_every_escaped_code_point_of_four_digits)
{
    for (uint32_t c = 0; c < 0x10000; c++) {
        char text[16];
        char want[4];
        int len = snprintf(text, sizeof(text),
                           c % 2 ? "\"\\u%04x\"" : "\"\\u%04X\"", c);
        size_t want_len = tr_utf8_encode(c, want);
        if (want_len)
            CHECK(reads_as((tr_str){text, (size_t)len},
                           (tr_str){want, want_len}));
    }
}

TEST(json_string_decodes_every_pair_of_surrogates)
{
    uint32_t step = (uint32_t)(0x100000 / tr_test_scaled(0x100000));
    for (uint32_t c = 0x10000; c < 0x110000; c += step) {
        char text[16];
        char want[4];
        unsigned high = 0xD800 + ((c - 0x10000) >> 10);
        unsigned low = 0xDC00 + ((c - 0x10000) & 0x3FF);
        int len = snprintf(text, sizeof(text), "\"\\u%04X\\u%04x\"", high, low);
        size_t want_len = tr_utf8_encode(c, want);
        CHECK(reads_as((tr_str){text, (size_t)len}, (tr_str){want, want_len}));
    }
}

struct refused {
    tr_str text;
    size_t offset;
    const char *msg;
};

static void check_refused(const struct refused *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_arena arena;
        struct tr_err err = {0};
        tr_str value = {NULL, 0};
        tr_arena_init(&arena, TR_KIB(4));
        tr_status status = read_quoted(&arena, rows[i].text, &value, &err);
        CHECK_ROW(status == TR_E_SYNTAX, rows[i].text.ptr);
        CHECK_STR(tr_str_from(err.msg), rows[i].msg);
        CHECK_ROW(err.place.offset == rows[i].offset, rows[i].text.ptr);
        tr_arena_done(&arena);
    }
}

TEST(json_string_refuses_lone_surrogates)
{
    static const char lone[] = "a lone surrogate";
    static const struct refused rows[] = {
        {TR_STR_INIT("\"\\uD800\""), 1, lone},
        {TR_STR_INIT("\"\\uDBFF\""), 1, lone},
        {TR_STR_INIT("\"\\uDC00\""), 1, lone},
        {TR_STR_INIT("\"\\uDFFF\""), 1, lone},
        {TR_STR_INIT("\"ab\\uDC00\\uD800\""), 3, lone},
        {TR_STR_INIT("\"\\uD800\\uD800\\uDC00\""), 1, lone},
        {TR_STR_INIT("\"\\uD800\\uE000\""), 1, lone},
        {TR_STR_INIT("\"\\uD800\\n\""), 1, lone},
        {TR_STR_INIT("\"\\uD800x\""), 1, lone},
        {TR_STR_INIT("\"\\uD800\\u\""), 1, lone},
        {TR_STR_INIT("\"\\uD800\\uDC0\""), 1, lone},
        {TR_STR_INIT("\"\\uD800\\uDC0g\""), 1, lone},
        {TR_STR_INIT("\"\\uD800\\xDC00\""), 1, lone},
        {TR_STR_INIT("\"\\uD83D\\uDE00\\uDE00\""), 13, lone},
    };
    check_refused(rows, TR_LEN(rows));
}

TEST(json_string_refuses_everything_that_is_no_escape)
{
    for (int c = 1; c < 256; c++) {
        char text[] = {'"', '\\', (char)c, 'x', '"', '\0'};
        const struct refused row = {{text, 5}, 1, "no such escape"};
        if (!strchr("\"\\/bfnrtu", c))
            check_refused(&row, 1);
    }
}

TEST(json_string_refuses_a_nul_after_a_backslash)
{
    static const struct refused rows[] = {
        {TR_STR_INIT("\"\\\0\""), 1, "no such escape"},
        {TR_STR_INIT("\"\\u12\0\0\""), 1,
         "expected four hexadecimal digits after \\u"},
    };
    check_refused(rows, TR_LEN(rows));
}

TEST(json_string_refuses_strings_that_do_not_end)
{
    static const char whole[] = "\"a\\u00e9\\uD83D\\uDE00\\n";
    for (size_t len = 1; len < sizeof(whole); len++) {
        struct tr_arena arena;
        struct tr_err err = {0};
        tr_str value = {NULL, 0};
        char *text = calloc(1, len);
        if (!text)
            abort();
        memcpy(text, whole, len);
        tr_arena_init(&arena, TR_KIB(4));
        CHECK_INT(read_quoted(&arena, (tr_str){text, len}, &value, &err),
                  TR_E_SYNTAX);
        CHECK(err.place.offset <= len);
        tr_arena_done(&arena);
        free(text);
    }
}

/* No escape makes a text longer, so its length is enough memory. */
TEST(json_string_takes_no_more_memory_than_the_text_is_long)
{
    struct tr_arena arena;
    tr_str value = {NULL, 0};
    tr_arena_init(&arena, 48);
    CHECK_INT(read_quoted(&arena,
                          TR_STR("\"\\uFFFF\\uFFFF\\uFFFF\\uFFFF"
                                 "\\uFFFF\\uFFFF\\uFFFF\\uFFFF\""),
                          &value, NULL),
              TR_OK);
    CHECK_INT(value.len, 24);
    tr_arena_done(&arena);
}
