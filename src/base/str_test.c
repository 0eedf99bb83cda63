#include "base/str.h"

#include "base/test.h"

TEST(str_from_null_is_empty)
{
    tr_str s = tr_str_from(NULL);
    CHECK(s.ptr == NULL);
    CHECK_INT(s.len, 0);
}

TEST(str_of_a_literal_counts_its_nul_bytes_but_the_last)
{
    CHECK_INT(TR_STR("a\0b").len, 3);
    CHECK_INT(TR_STR("").len, 0);
}

TEST(str_eq_compares_every_byte)
{
    CHECK(tr_str_eq(TR_STR("abc"), TR_STR("abc")));
    CHECK(!tr_str_eq(TR_STR("abc"), TR_STR("abd")));
    CHECK(!tr_str_eq(TR_STR("abc"), TR_STR("ab")));
    CHECK(!tr_str_eq(TR_STR("a\0b"), TR_STR("a\0c")));
}

TEST(str_eq_takes_every_empty_view_for_the_same)
{
    CHECK(tr_str_eq((tr_str){NULL, 0}, TR_STR("")));
    CHECK(tr_str_eq((tr_str){NULL, 0}, (tr_str){NULL, 0}));
    CHECK(!tr_str_eq((tr_str){NULL, 0}, TR_STR("a")));
}

TEST(str_starts_with_its_prefixes_only)
{
    CHECK(tr_str_starts(TR_STR("abc"), TR_STR("ab")));
    CHECK(tr_str_starts(TR_STR("abc"), TR_STR("abc")));
    CHECK(tr_str_starts(TR_STR("abc"), (tr_str){NULL, 0}));
    CHECK(tr_str_starts((tr_str){NULL, 0}, TR_STR("")));
    CHECK(!tr_str_starts(TR_STR("abc"), TR_STR("b")));
    CHECK(!tr_str_starts(TR_STR("ab"), TR_STR("abc")));
}

static int sign_of(int order)
{
    return (order > 0) - (order < 0);
}

TEST(str_cmp_orders_by_bytes_and_then_by_length)
{
    static const struct {
        const char *a;
        const char *b;
        int order;
    } rows[] = {
        {"", "", 0},       {"", "a", -1},        {"a", "", 1},
        {"a", "b", -1},    {"b", "a", 1},        {"a", "aa", -1},
        {"aa", "a", 1},    {"ab", "ab", 0},      {"Z", "a", -1},
        {"a", "\xC3", -1}, {"\x7F", "\x80", -1}, {"\xFF", "a", 1},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        int order = tr_str_cmp(tr_str_from(rows[i].a), tr_str_from(rows[i].b));
        CHECK_ROW(sign_of(order) == rows[i].order, rows[i].a);
    }
}

TEST(str_cmp_accepts_null_pointers_of_empty_views)
{
    CHECK_INT(tr_str_cmp((tr_str){NULL, 0}, (tr_str){NULL, 0}), 0);
    CHECK(tr_str_cmp((tr_str){NULL, 0}, TR_STR("a")) < 0);
}

TEST(str_skip_past_the_end_is_empty)
{
    CHECK_STR(tr_str_skip(TR_STR("abc"), 0), "abc");
    CHECK_STR(tr_str_skip(TR_STR("abc"), 2), "c");
    CHECK_STR(tr_str_skip(TR_STR("abc"), 3), "");
    CHECK_STR(tr_str_skip(TR_STR("abc"), SIZE_MAX), "");
    CHECK_STR(tr_str_skip((tr_str){NULL, 0}, 1), "");
}

TEST(str_cut_splits_at_the_first_separator)
{
    static const struct {
        const char *text;
        const char *before;
        const char *after;
    } rows[] = {
        {"a=b", "a", "b"}, {"a=b=c", "a", "b=c"}, {"=", "", ""},
        {"a=", "a", ""},   {"=b", "", "b"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_str before;
        tr_str after;
        bool cut = tr_str_cut(tr_str_from(rows[i].text), '=', &before, &after);
        CHECK_ROW(cut, rows[i].text);
        CHECK_STR(before, rows[i].before);
        CHECK_STR(after, rows[i].after);
    }
}

TEST(str_cut_without_separator_writes_nothing)
{
    tr_str before = TR_STR("before");
    tr_str after = TR_STR("after");
    CHECK(!tr_str_cut(TR_STR("abc"), '=', &before, &after));
    CHECK(!tr_str_cut((tr_str){NULL, 0}, '=', &before, &after));
    CHECK_STR(before, "before");
    CHECK_STR(after, "after");
}

TEST(str_trim_takes_blanks_off_both_ends)
{
    static const struct {
        const char *text;
        const char *trimmed;
    } rows[] = {
        {"", ""},         {" \t\r\n", ""},    {"a", "a"},
        {" a b ", "a b"}, {"\n\ta\r\n", "a"}, {"\va\f", "\va\f"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_STR(tr_str_trim(tr_str_from(rows[i].text)), rows[i].trimmed);
}

TEST(str_to_i64_reads_everything_from_the_least_to_the_greatest)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"0", 0},
        {"-0", 0},
        {"007", 7},
        {"-42", -42},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775807", -INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"00000000000000000000000000000001", 1},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        int64_t value = 1;
        CHECK_ROW(tr_str_to_i64(tr_str_from(rows[i].text), &value),
                  rows[i].text);
        CHECK_ROW(value == rows[i].value, rows[i].text);
    }
}

TEST(str_to_i64_refuses_everything_else)
{
    static const tr_str rows[] = {
        TR_STR_INIT(""),
        TR_STR_INIT("-"),
        TR_STR_INIT("+1"),
        TR_STR_INIT("--1"),
        TR_STR_INIT(" 1"),
        TR_STR_INIT("1 "),
        TR_STR_INIT("1.0"),
        TR_STR_INIT("0x1"),
        TR_STR_INIT("1-"),
        TR_STR_INIT("\xB1"),
        TR_STR_INIT("9223372036854775808"),
        TR_STR_INIT("-9223372036854775809"),
        TR_STR_INIT("9223372036854775810"),
        TR_STR_INIT("18446744073709551616"),
        TR_STR_INIT("99999999999999999999"),
        TR_STR_INIT("-99999999999999999999"),
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        int64_t value = 77;
        CHECK_ROW(!tr_str_to_i64(rows[i], &value), rows[i].ptr);
        CHECK_ROW(value == 77, rows[i].ptr);
    }
}

TEST(str_to_i64_reads_past_an_embedded_nul)
{
    int64_t value;
    CHECK(!tr_str_to_i64(TR_STR("1\0"), &value));
    CHECK(!tr_str_to_i64((tr_str){NULL, 0}, &value));
}
