#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"

struct refused {
    const char *text;
    uint32_t line;
    uint32_t column;
    const char *msg;
};

static void check_refused(tr_str text, const struct refused *row)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    const struct tr_json *root = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = tr_json_read(&arena, text, NULL, &root, &err);
    CHECK_ROW(status == TR_E_SYNTAX, row->text);
    CHECK_STR(tr_str_from(err.msg), row->msg);
    if (err.place.line != row->line || err.place.column != row->column)
        print_error("at %u:%u\n", err.place.line, err.place.column);
    CHECK_ROW(err.place.line == row->line, row->text);
    CHECK_ROW(err.place.column == row->column, row->text);
    tr_arena_done(&arena);
}

static void check_rows(const struct refused *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_refused(tr_str_from(rows[i].text), &rows[i]);
}

TEST(json_reader_refuses_texts_that_end_too_soon)
{
    static const char ends[] = "expected a value, but the text ends";
    static const struct refused rows[] = {
        {"", 1, 1, ends},        {"   ", 1, 4, ends},
        {"\n\n ", 3, 2, ends},   {"[", 1, 2, ends},
        {"[[", 1, 3, ends},      {"[1,", 1, 4, ends},
        {"{\"a\":", 1, 6, ends}, {"{\"a\":\n", 2, 1, ends},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_reader_refuses_an_absent_text)
{
    check_refused((tr_str){NULL, 0},
                  &(struct refused){"no text", 1, 1,
                                    "expected a value, but the text ends"});
}

TEST(json_reader_refuses_what_is_no_value)
{
    static const char expected[] = "expected a value";
    static const struct refused rows[] = {
        {"tru", 1, 1, expected},      {"True", 1, 1, expected},
        {"fals", 1, 1, expected},     {"falsy", 1, 1, expected},
        {"nul", 1, 1, expected},      {"nil", 1, 1, expected},
        {"x", 1, 1, expected},        {"'a'", 1, 1, expected},
        {"+1", 1, 1, expected},       {".5", 1, 1, expected},
        {"NaN", 1, 1, expected},      {"Infinity", 1, 1, expected},
        {"]", 1, 1, expected},        {"}", 1, 1, expected},
        {",", 1, 1, expected},        {"[,1]", 1, 2, expected},
        {"[1,]", 1, 4, expected},     {"[1,,2]", 1, 4, expected},
        {"{\"a\":}", 1, 6, expected}, {"[\n 1,\n /", 3, 2, expected},
        {"\v1", 1, 1, expected},      {"\xC2\xA0", 1, 1, expected},
        {"\xFF", 1, 1, expected},     {"/**/1", 1, 1, expected},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_reader_refuses_malformed_numbers)
{
    static const char point[] = "expected a digit after the point";
    static const char exponent[] = "expected a digit in the exponent";
    static const char zero[] = "a number may not start with 0";
    static const struct refused rows[] = {
        {"-", 1, 2, "expected a digit"},
        {"[-]", 1, 3, "expected a digit"},
        {"-a", 1, 2, "expected a digit"},
        {"--1", 1, 2, "expected a digit"},
        {"-.5", 1, 2, "expected a digit"},
        {"01", 1, 1, zero},
        {"-01", 1, 2, zero},
        {"[0,00]", 1, 4, zero},
        {"1.", 1, 3, point},
        {"1.e5", 1, 3, point},
        {"[1.]", 1, 4, point},
        {"1e", 1, 3, exponent},
        {"1E+", 1, 4, exponent},
        {"1e-", 1, 4, exponent},
        {"1e+-1", 1, 4, exponent},
        {"1.5ex", 1, 5, exponent},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_reader_refuses_text_after_the_value)
{
    static const char after[] = "unexpected text after the value";
    static const struct refused rows[] = {
        {"1 2", 1, 3, after},   {"1,", 1, 2, after},
        {"[]]", 1, 3, after},   {"{}{}", 1, 3, after},
        {"nullx", 1, 5, after}, {"0x1", 1, 2, after},
        {"1.5.5", 1, 4, after}, {"\"a\"\n\n\"b\"", 3, 1, after},
        {"1\f", 1, 2, after},   {"1e5.5", 1, 4, after},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_reader_refuses_malformed_arrays)
{
    static const char comma[] = "expected ',' or ']' in an array";
    static const struct refused rows[] = {
        {"[1", 1, 3, comma},      {"[1 2]", 1, 4, comma},
        {"[1}", 1, 3, comma},     {"[\"a\" \"b\"]", 1, 6, comma},
        {"[1:2]", 1, 3, comma},   {"[[1]", 1, 5, comma},
        {"[\n1\n2", 3, 1, comma}, {"[{}", 1, 4, comma},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_reader_refuses_malformed_objects)
{
    static const char key[] = "expected a key in double quotes";
    static const char colon[] = "expected ':' after the key";
    static const char comma[] = "expected ',' or '}' in an object";
    static const struct refused rows[] = {
        {"{", 1, 2, key},
        {"{1:2}", 1, 2, key},
        {"{a:1}", 1, 2, key},
        {"{'a':1}", 1, 2, key},
        {"{,}", 1, 2, key},
        {"{]", 1, 2, key},
        {"{\"a\":1,}", 1, 8, key},
        {"{\"a\":1,\n", 2, 1, key},
        {"{\"a\"}", 1, 5, colon},
        {"{\"a\"", 1, 5, colon},
        {"{\"a\" 1}", 1, 6, colon},
        {"{\"a\"::1}", 1, 6, "expected a value"},
        {"{\"a\":1", 1, 7, comma},
        {"{\"a\":1]", 1, 7, comma},
        {"{\"a\":1 \"b\":2}", 1, 8, comma},
        {"{\"a\":1;", 1, 7, comma},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_reader_refuses_malformed_strings)
{
    static const char end[] = "the string does not end";
    static const char control[] = "a control character must be escaped";
    static const char hex[] = "expected four hexadecimal digits after \\u";
    static const struct refused rows[] = {
        {"\"", 1, 2, end},
        {"\"abc", 1, 5, end},
        {"\"\\", 1, 3, end},
        {"\"\\\"", 1, 4, end},
        {"[\"a\",\"b", 1, 8, end},
        {"{\"a", 1, 4, end},
        {"\"\xC3\xA9", 1, 3, end},
        {"\"a\nb\"", 1, 3, control},
        {"\"\t\"", 1, 2, control},
        {"\"\x1F\"", 1, 2, control},
        {"\"\\n\x01\"", 1, 4, control},
        {"\"\x80\"", 1, 2, "not UTF-8"},
        {"\"ab\xFF\"", 1, 4, "not UTF-8"},
        {"\"\xC3\"", 1, 2, "not UTF-8"},
        {"\"\xED\xA0\x80\"", 1, 2, "not UTF-8"},
        {"\"\xC0\xAF\"", 1, 2, "not UTF-8"},
        {"\"\\n\xF4\x90\x80\x80\"", 1, 4, "not UTF-8"},
        {"{\"\xFE\":1}", 1, 3, "not UTF-8"},
        {"\"\\x\"", 1, 2, "no such escape"},
        {"\"a\\'\"", 1, 3, "no such escape"},
        {"\"\\U0041\"", 1, 2, "no such escape"},
        {"\"\\\n\"", 1, 2, "no such escape"},
        {"\"\\u\"", 1, 2, hex},
        {"\"\\u12", 1, 2, hex},
        {"\"\\u12g4\"", 1, 2, hex},
        {"\"\\u 123\"", 1, 2, hex},
        {"\"\xC3\xA9\\u-123\"", 1, 3, hex},
        {"\"\\uD800\"", 1, 2, "a lone surrogate"},
        {"\"x\\uDC00\"", 1, 3, "a lone surrogate"},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_reader_refuses_a_byte_order_mark)
{
    static const struct refused rows[] = {
        {"\xEF\xBB\xBF", 1, 1, "a byte order mark is not allowed"},
        {"\xEF\xBB\xBF{}", 1, 1, "a byte order mark is not allowed"},
    };
    check_rows(rows, TR_LEN(rows));
}

/* A view may hold NUL bytes; stopping at one would accept anything after. */
TEST(json_reader_refuses_nul_bytes_everywhere)
{
    static const struct {
        tr_str text;
        struct refused row;
    } rows[] = {
        {TR_STR_INIT("\0"), {"NUL", 1, 1, "expected a value"}},
        {TR_STR_INIT("1\0"),
         {"1 NUL", 1, 2, "unexpected text after the value"}},
        {TR_STR_INIT("[1\0]"),
         {"[1 NUL]", 1, 3, "expected ',' or ']' in an array"}},
        {TR_STR_INIT("{\0}"),
         {"{NUL}", 1, 2, "expected a key in double quotes"}},
        {TR_STR_INIT("\"a\0\""),
         {"\"a NUL\"", 1, 3, "a control character must be escaped"}},
        {TR_STR_INIT("nul\0"), {"nul NUL", 1, 1, "expected a value"}},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_refused(rows[i].text, &rows[i].row);
}
