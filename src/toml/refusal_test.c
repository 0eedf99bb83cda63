/*
 * What tr_toml_read refuses, with the place and the words.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "toml/reader.h"

struct bad {
    const char *toml;
    unsigned line;
    unsigned column;
    const char *msg;
};

static void check_bad(const struct bad *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_arena arena;
        struct tr_err err = {0};
        const struct tr_json *tree = NULL;

        tr_arena_init(&arena, TR_MIB(1));
        tr_status status =
            tr_toml_read(&arena, tr_str_from(rows[i].toml), &tree, &err);
        tr_arena_done(&arena);
        CHECK_ROW(status == TR_E_SYNTAX, rows[i].toml);
        CHECK_ROW(!tree, rows[i].toml);
        if (strcmp(err.msg, rows[i].msg) != 0 ||
            err.place.line != rows[i].line ||
            err.place.column != rows[i].column) {
            print_error("got: %u:%u: %s\n", err.place.line, err.place.column,
                        err.msg);
            CHECK_ROW(false, rows[i].toml);
        }
    }
}

TEST(toml_reader_refuses_what_is_no_text)
{
    static const struct bad rows[] = {
        {"a = 1\nb = '\xFF'", 2, 6, "the text is not UTF-8"},
        {"# \xED\xA0\x80", 1, 3, "the text is not UTF-8"},
        {"a = \"\x01\"", 1, 6, "the control character U+0001 is not allowed"},
        {"# \x7F", 1, 3, "the control character U+007F is not allowed"},
        {"a = 1\rb = 2", 1, 6, "the control character U+000D is not allowed"},
        {"a = 1\r", 1, 6, "the control character U+000D is not allowed"},
        {"\xEF\xBB\xBF\xEF\xBB\xBF", 1, 2, "expected a key"},
    };
    check_bad(rows, TR_LEN(rows));
}

/* A view may hold NUL bytes; stopping at one would hide what follows. */
TEST(toml_reader_refuses_a_nul)
{
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_INT(tr_toml_read(&arena, TR_STR("a = 1\n\0"), &tree, &err),
              TR_E_SYNTAX);
    CHECK_INT(err.place.offset, 6);
    tr_arena_done(&arena);
}

TEST(toml_reader_refuses_broken_lines)
{
    static const struct bad rows[] = {
        {"a = 1 b = 2", 1, 7, "expected the end of the line"},
        {"[a] b", 1, 5, "expected the end of the line"},
        {"a = 'x' 'y'", 1, 9, "expected the end of the line"},
        {"= 1", 1, 1, "expected a key"},
        {"a. = 1", 1, 4, "expected a key"},
        {".a = 1", 1, 1, "expected a key"},
        {"\xC3\xA4 = 1", 1, 1, "expected a key"},
        {"a", 1, 2, "expected '=' after the key"},
        {"a b = 1", 1, 3, "expected '=' after the key"},
        {"a\n= 1", 1, 2, "expected '=' after the key"},
        {"'''a''' = 1", 1, 1, "a key cannot be a multi-line string"},
        {"[]", 1, 2, "expected a key"},
        {"[ [a]]", 1, 3, "expected a key"},
        {"[a\n]", 1, 3, "expected ']' after the name"},
        {"[[a] ]", 1, 5, "expected ']]' after the name"},
        {"a =", 1, 4, "expected a value"},
        {"a = # 1", 1, 5, "expected a value"},
        {"a = =", 1, 5, "expected a value"},
        {"a = yes", 1, 5, "expected a value; strings need quotes"},
        {"a = True", 1, 5, "expected a value; strings need quotes"},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(toml_reader_refuses_broken_strings)
{
    static const struct bad rows[] = {
        {"a = \"x", 1, 7, "expected the end of the string"},
        {"a = \"x\ny\"", 1, 7, "expected the end of the string"},
        {"a = 'x\r\n'", 1, 7, "expected the end of the string"},
        {"a = \"x\\\"", 1, 9, "expected the end of the string"},
        {"a = \"x\\\ny\"", 1, 8, "expected the end of the string"},
        {"a = \"x\\", 1, 8, "expected the end of the string"},
        {"\n a = \"\"\"x\n\"\"", 2, 6, "the string has no end"},
        {"a = '''x''", 1, 5, "the string has no end"},
        {"a = \"\"\"\\\"\"\"", 1, 5, "the string has no end"},
        {"a = \"\"\"x\"\"\"\"\"\"", 1, 14, "expected the end of the line"},
        {"a = \"\\x41\"", 1, 6, "unknown escape"},
        {"a = \"\\e\"", 1, 6, "unknown escape"},
        {"a = \"\\\xC3\xA4\"", 1, 6, "unknown escape"},
        {"a = \"\"\"\\ x\"\"\"", 1, 8, "unknown escape"},
        {"a = \"x\\u12\"", 1, 7, "\\u needs four hexadecimal digits"},
        {"a = \"\\u00g0\"", 1, 6, "\\u needs four hexadecimal digits"},
        {"a = \"\\U0001F60\"", 1, 6, "\\U needs eight hexadecimal digits"},
        {"a = \"\\ud800\"", 1, 6, "the escape names no Unicode character"},
        {"a = \"\\U00110000\"", 1, 6, "the escape names no Unicode character"},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(toml_reader_refuses_broken_numbers)
{
    static const struct bad rows[] = {
        {"a = 01", 1, 5, "'01' is not a number"},
        {"a = -01", 1, 5, "'-01' is not a number"},
        {"a = +", 1, 5, "'+' is not a number"},
        {"a = +-1", 1, 5, "'+-1' is not a number"},
        {"a = ++1", 1, 5, "'++1' is not a number"},
        {"a = 1__0", 1, 5, "'1__0' is not a number"},
        {"a = _1", 1, 5, "'_1' is not a number"},
        {"a = 1_", 1, 5, "'1_' is not a number"},
        {"a = 1.", 1, 5, "'1.' is not a number"},
        {"a = .5", 1, 5, "'.5' is not a number"},
        {"a = 1._5", 1, 5, "'1._5' is not a number"},
        {"a = 1.e5", 1, 5, "'1.e5' is not a number"},
        {"a = 1e", 1, 5, "'1e' is not a number"},
        {"a = 1e5.0", 1, 5, "'1e5.0' is not a number"},
        {"a = 1.5.0", 1, 5, "'1.5.0' is not a number"},
        {"a = 1x", 1, 5, "'1x' is not a number"},
        {"a = 0x", 1, 5, "'0x' is not a number"},
        {"a = 0xg", 1, 5, "'0xg' is not a number"},
        {"a = 0x_1", 1, 5, "'0x_1' is not a number"},
        {"a = 0b12", 1, 5, "'0b12' is not a number"},
        {"a = 0o8", 1, 5, "'0o8' is not a number"},
        {"a = 0X1", 1, 5, "'0X1' is not a number"},
        {"a = +0x1", 1, 5, "'+0x1' is not a number"},
        {"a = -inf_", 1, 5, "'-inf_' is not a number"},
        {"a = 9223372036854775808", 1, 5,
         "'9223372036854775808' needs more than 64 bits"},
        {"a = -9223372036854775809", 1, 5,
         "'-9223372036854775809' needs more than 64 bits"},
        {"a = 0x8000000000000000", 1, 5,
         "'0x8000000000000000' needs more than 64 bits"},
        {"a = 0x10000000000000000", 1, 5,
         "'0x10000000000000000' needs more than 64 bits"},
        {"a = 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
         1, 5,
         "'0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffff' needs "
         "more than 64 bits"},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(toml_reader_refuses_dates_and_times_that_are_none)
{
    static const struct bad rows[] = {
        {"a = 2023-02-29", 1, 5, "expected a date such as 2026-07-28"},
        {"a = 20x3-01-01", 1, 5, "'20x3-01-01' is not a number"},
        {"a = 2023-1-1", 1, 5, "expected a date such as 2026-07-28"},
        {"a = 2023-01-01x", 1, 15, "expected 'T' after the date"},
        {"a = 2023-01-01T", 1, 16, "expected a time such as 12:30:00"},
        {"a = 2023-01-01T25:00:00", 1, 16, "expected a time such as 12:30:00"},
        {"a = 2023-01-01 12:30", 1, 16, "expected a time such as 12:30:00"},
        {"a = 12:30", 1, 5, "expected a time such as 12:30:00"},
        {"a = 12:30:00.", 1, 5, "expected a time such as 12:30:00"},
        {"a = 12:30:00Z", 1, 13, "unexpected text after the time"},
        {"a = 2023-01-01T12:30:00+24:00", 1, 24,
         "unexpected text after the time"},
        {"a = 2023-01-01T12:30:00ZZ", 1, 25, "unexpected text after the time"},
        {"a = 2023-01-01  12:30:00", 1, 17, "expected the end of the line"},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(toml_reader_refuses_broken_arrays_and_inline_tables)
{
    static const struct bad rows[] = {
        {"a = [1", 1, 7, "expected ',' or ']' in an array"},
        {"a = [1 2]", 1, 8, "expected ',' or ']' in an array"},
        {"a = [,]", 1, 6, "expected a value"},
        {"a = [1,,2]", 1, 8, "expected a value"},
        {"a = [", 1, 6, "expected a value"},
        {"a = {b = 1", 1, 11, "expected ',' or '}' in an inline table"},
        {"a = {b = 1 c = 2}", 1, 12, "expected ',' or '}' in an inline table"},
        {"a = {b = 1,}", 1, 12, "expected a key"},
        {"a = {,}", 1, 6, "expected a key"},
        {"a = {\n}", 1, 6, "an inline table must stand on one line"},
        {"a = {b = 1\r\n}", 1, 11, "an inline table must stand on one line"},
        {"a = {b = 1,\nc = 2}", 1, 12,
         "an inline table must stand on one line"},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(toml_reader_refuses_to_define_a_key_twice)
{
    static const struct bad rows[] = {
        {"a = 1\na = 2", 2, 1, "the key 'a' is already defined"},
        {"a = 1\n\"a\" = 2", 2, 1, "the key '\"a\"' is already defined"},
        {"a.b = 1\na.b = 2", 2, 1, "the key 'a.b' is already defined"},
        {"a.b = 1\na = 2", 2, 1, "the key 'a' is already defined"},
        {"[a]\nb.c = 1\nb = 2", 3, 1, "the key 'b' is already defined"},
        {"[a]\n[a]", 2, 2, "the key 'a' is already defined"},
        {"a.b = 1\n[a]", 2, 2, "the key 'a' is already defined"},
        {"[a]\nb.c = 1\n[a.b]", 3, 2, "the key 'a.b' is already defined"},
        {"a = 1\n[a]", 2, 2, "the key 'a' is already defined"},
        {"[[a]]\n[a]", 2, 2, "the key 'a' is already defined"},
        {"[a]\n[[a]]", 2, 3, "the key 'a' is already defined"},
        {"a = []\n[[a]]", 2, 3, "the key 'a' is already defined"},
        {"[a.b]\n[[a]]", 2, 3, "the key 'a' is already defined"},
        {"a = {b = 1, b = 2}", 1, 13, "the key 'b' is already defined"},
        {"[a.b.c]\n[a]\nb.d = 1\n[a.b]", 4, 2,
         "the key 'a.b' is already defined"},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(toml_reader_refuses_to_extend_what_is_closed)
{
    static const struct bad rows[] = {
        {"a = 1\na.b = 2", 2, 1,
         "the key 'a' is already defined, and not as a table"},
        {"a = 1\n[a.b]", 2, 2,
         "the key 'a' is already defined, and not as a table"},
        {"a = {}\na.b = 1", 2, 1, "the inline table 'a' cannot be extended"},
        {"a = {}\n[a.b]", 2, 2, "the inline table 'a' cannot be extended"},
        {"a = {b = {}, b.c = 1}", 1, 14,
         "the inline table 'b' cannot be extended"},
        {"a = [{}]\n[[a.b]]", 2, 3, "the array 'a' cannot be extended"},
        {"[a.b]\n[a]\nb.c = 1", 3, 1,
         "the table 'b' has a header, so dotted keys cannot add to it"},
        {"[[a.b]]\n[a]\nb.c = 1", 3, 1,
         "the table 'b' has a header, so dotted keys cannot add to it"},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(toml_reader_shows_the_start_of_a_long_key_and_whole_characters)
{
    struct tr_arena arena;
    struct tr_buf buf;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(1));
    tr_buf_init(&buf, TR_KIB(64));
    for (int line = 0; line < 2; line++) {
        tr_buf_putc(&buf, '\'');
        for (int i = 0; i < 500; i++)
            tr_buf_put(&buf, TR_STR("\xE2\x82\xAC"));
        tr_buf_put(&buf, TR_STR("' = 1\n"));
    }
    CHECK_INT(tr_toml_read(&arena, tr_buf_str(&buf), &tree, &err), TR_E_SYNTAX);
    CHECK(strstr(err.msg, "\xE2\x82\xAC' is already defined") != NULL);
    tr_buf_done(&buf);
    tr_arena_done(&arena);
}
