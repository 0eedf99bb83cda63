#include "base/err.h"

#include "base/test.h"
#include "base/text.h"

#define LONG_TEXT 300

TEST(fail_writes_code_and_message_and_clears_the_rest)
{
    struct tr_err err;
    memset(&err, 'x', sizeof(err));
    CHECK_INT(tr_fail(&err, TR_E_CONFLICT, "%d of %s", 3, "ten"),
              TR_E_CONFLICT);
    CHECK_INT(err.code, TR_E_CONFLICT);
    CHECK_STR(tr_str_from(err.msg), "3 of ten");
    CHECK_STR(tr_str_from(err.at), "");
    CHECK_INT(err.place.line, 0);
}

TEST(fail_accepts_that_nobody_wants_the_error)
{
    CHECK_INT(tr_fail(NULL, TR_E_IO, "x"), TR_E_IO);
    CHECK_INT(tr_fail_in(NULL, TR_E_SYNTAX, TR_STR("x"), 0, "x"), TR_E_SYNTAX);
    tr_err_prefix(NULL, "x");
    tr_err_set_at(NULL, "x");
}

TEST(fail_cuts_a_message_that_is_too_long)
{
    struct tr_err err;
    (void)tr_fail(&err, TR_E_IO, "%0300d", 0);
    CHECK_INT(strlen(err.msg), sizeof(err.msg) - 1);
}

TEST(fail_in_names_the_place)
{
    struct tr_err err;
    CHECK_INT(tr_fail_in(&err, TR_E_SYNTAX, TR_STR("ab\ncd"), 4, "bad %c", 'd'),
              TR_E_SYNTAX);
    CHECK_STR(tr_str_from(err.msg), "bad d");
    CHECK_INT(err.place.offset, 4);
    CHECK_INT(err.place.line, 2);
    CHECK_INT(err.place.column, 2);
}

TEST(place_counts_lines_and_code_points_from_one)
{
    static const struct {
        const char *text;
        size_t offset;
        uint32_t line;
        uint32_t column;
    } rows[] = {
        {"", 0, 1, 1},
        {"a", 0, 1, 1},
        {"a", 1, 1, 2},
        {"a\n", 1, 1, 2},
        {"a\n", 2, 2, 1},
        {"\n\n\n", 3, 4, 1},
        {"\r\nx", 2, 2, 1},
        {"a\rb", 2, 1, 3},
        {"\xC3\xA9x", 2, 1, 2},
        {"\xC3\xA9x", 3, 1, 3},
        {"\xF0\x9F\x98\x80", 4, 1, 2},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_place place = tr_place_of(tr_str_from(rows[i].text), rows[i].offset);
        CHECK_ROW(place.line == rows[i].line, rows[i].text);
        CHECK_ROW(place.column == rows[i].column, rows[i].text);
        CHECK_ROW(place.offset == rows[i].offset, rows[i].text);
    }
}

TEST(place_past_the_end_is_that_of_the_end)
{
    tr_place place = tr_place_of(TR_STR("a\nbc"), 100);
    CHECK_INT(place.line, 2);
    CHECK_INT(place.column, 3);
    place = tr_place_of((tr_str){NULL, 0}, 0);
    CHECK_INT(place.line, 1);
    CHECK_INT(place.column, 1);
}

TEST(prefix_stands_in_front_of_the_message)
{
    struct tr_err err;
    (void)tr_fail(&err, TR_E_IO, "no such file");
    tr_err_prefix(&err, "cannot open '%s'", "x.toml");
    CHECK_STR(tr_str_from(err.msg), "cannot open 'x.toml': no such file");
    CHECK_INT(err.code, TR_E_IO);
}

TEST(prefix_keeps_place_and_pointer)
{
    struct tr_err err;
    (void)tr_fail_in(&err, TR_E_SYNTAX, TR_STR("abc"), 2, "bad");
    tr_err_set_at(&err, "/a/%d", 7);
    tr_err_prefix(&err, "line");
    CHECK_STR(tr_str_from(err.at), "/a/7");
    CHECK_INT(err.place.column, 3);
}

/* The caller's struct need not be cleared: then its last byte is anything. */
TEST(prefix_that_is_too_long_leaves_a_terminated_message)
{
    struct tr_err err;
    memset(&err, 'x', sizeof(err));
    (void)tr_fail(&err, TR_E_IO, "short");
    tr_err_prefix(&err, "%0300d", 0);
    CHECK(memchr(err.msg, '\0', sizeof(err.msg)) != NULL);
    CHECK_INT(strlen(err.msg), sizeof(err.msg) - 1);
}

static void fill_with_emoji(char *text, size_t shift)
{
    static const char emoji[4] = {'\xF0', '\x9F', '\x98', '\x80'};
    memset(text, 'x', shift);
    for (size_t i = shift; i < LONG_TEXT; i++)
        text[i] = emoji[(i - shift) % 4];
    text[LONG_TEXT] = '\0';
}

static bool is_cut_well(const char *text, size_t size)
{
    return tr_utf8_is_valid(tr_str_from(text)) && strlen(text) < size &&
           strlen(text) > size - 5;
}

/* Errors are sent as JSON, which takes nothing but UTF-8. */
TEST(texts_that_are_cut_end_with_a_whole_character)
{
    for (size_t shift = 0; shift < 8; shift++) {
        struct tr_err err;
        char text[LONG_TEXT + 1];
        fill_with_emoji(text, shift);
        (void)tr_fail(&err, TR_E_IO, "%s", text);
        CHECK(is_cut_well(err.msg, sizeof(err.msg)));
        tr_err_prefix(&err, "y");
        CHECK(is_cut_well(err.msg, sizeof(err.msg)));
        tr_err_set_at(&err, "%s", text);
        CHECK(is_cut_well(err.at, sizeof(err.at)));
    }
}

/* A message may repeat what others said, in whatever bytes. */
TEST(messages_are_utf8_whatever_is_put_into_them)
{
    static const struct {
        const char *given;
        const char *kept;
    } rows[] = {
        {"a\xFFz", "a?z"},
        {"\xC3", "?"},
        {"\xED\xA0\x80", "???"},
        {"\xC0\xAF", "??"},
        {"\xC3\xA9\x80\xC3", "\xC3\xA9??"},
        {"\xF0\x9F\x98", "???"},
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        (void)tr_fail(&err, TR_E_INVALID, "%s", rows[i].given);
        CHECK_STR(tr_str_from(err.msg), rows[i].kept);
        tr_err_set_at(&err, "%s", rows[i].given);
        CHECK_STR(tr_str_from(err.at), rows[i].kept);
        tr_err_prefix(&err, "%s", rows[i].given);
        CHECK(tr_utf8_is_valid(tr_str_from(err.msg)));
    }
}

TEST(texts_that_fit_exactly_lose_nothing)
{
    struct tr_err err;
    (void)tr_fail(&err, TR_E_IO, "%0253d\xC3\xA9", 0);
    CHECK_INT(strlen(err.msg), 255);
    tr_err_set_at(&err, "%0189d\xC3\xA9", 0);
    CHECK_INT(strlen(err.at), 191);
}

TEST(set_at_cuts_what_is_too_long)
{
    struct tr_err err;
    (void)tr_fail(&err, TR_E_IO, "x");
    tr_err_set_at(&err, "%0300d", 0);
    CHECK_INT(strlen(err.at), sizeof(err.at) - 1);
}

TEST(every_status_has_a_name_of_its_own)
{
    for (int a = TR_OK; a <= TR_E_INTERNAL; a++) {
        const char *name = tr_status_name((tr_status)a);
        CHECK(name[0] != '\0');
        for (int b = TR_OK; b < a; b++)
            CHECK_ROW(strcmp(name, tr_status_name((tr_status)b)) != 0, name);
    }
    CHECK_STR(tr_str_from(tr_status_name(TR_E_NOT_FOUND)), "not_found");
}

TEST(a_number_that_is_no_status_is_called_unknown)
{
    CHECK_STR(tr_str_from(tr_status_name((tr_status)(TR_E_INTERNAL + 1))),
              "unknown");
}

static tr_status try_both(tr_status first, tr_status second)
{
    TR_TRY(first);
    TR_TRY(second);
    return TR_OK;
}

TEST(try_returns_the_first_failure)
{
    CHECK_INT(try_both(TR_OK, TR_OK), TR_OK);
    CHECK_INT(try_both(TR_OK, TR_E_IO), TR_E_IO);
    CHECK_INT(try_both(TR_E_LIMIT, TR_E_IO), TR_E_LIMIT);
}
