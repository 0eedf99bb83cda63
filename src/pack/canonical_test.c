#include "pack/canonical.h"

#include "base/test.h"

TEST(canonical_integers_come_back_as_they_were)
{
    static const char *const texts[] = {
        "0",
        "5",
        "-5",
        "10",
        "-1000000",
        "9223372036854775807",
        "9007199254740993",
        "-9223372036854775808",
    };
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        char text[TR_PACK_CANONICAL_TEXT];
        int64_t value;
        CHECK_ROW(tr_pack_integer_parse(tr_str_from(texts[i]), &value),
                  texts[i]);
        CHECK_STR(tr_pack_integer_write(value, text), texts[i]);
    }
}

TEST(canonical_integers_have_no_other_spelling)
{
    static const char *const texts[] = {
        "",    "-",   "+5",  "05",  "-0",  "00",
        "-05", "5.0", " 5",  "5 ",  "abc", "9223372036854775808",
        "1e3", "--5", "0x5", "-00",
    };
    int64_t value;
    for (size_t i = 0; i < TR_LEN(texts); i++)
        CHECK_ROW(!tr_pack_integer_parse(tr_str_from(texts[i]), &value),
                  texts[i]);
}

TEST(canonical_times_come_back_as_they_were)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-07-28T12:30:59Z", 1785241859},
        {"1969-12-31T23:59:59Z", -1},
        {"0000-01-01T00:00:00Z", TR_PACK_TIME_MIN},
        {"9999-12-31T23:59:59Z", TR_PACK_TIME_MAX},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char text[TR_PACK_CANONICAL_TEXT];
        int64_t seconds = 0;
        CHECK_ROW(tr_pack_time_parse(tr_str_from(rows[i].text), &seconds),
                  rows[i].text);
        CHECK_INT(seconds, rows[i].seconds);
        CHECK_STR(tr_pack_time_write(seconds, text), rows[i].text);
    }
}

TEST(canonical_times_have_no_other_spelling)
{
    static const char *const texts[] = {
        "",
        "2026-07-28",
        "2026-07-28T12:30:59",
        "2026-07-28T12:30:59+00:00",
        "2026-07-28T12:30:59-00:00",
        "2026-07-28T12:30:59+02:00",
        "2026-07-28T12:30:59.5Z",
        "2026-07-28T12:30:59.0Z",
        "2026-07-28t12:30:59Z",
        "2026-07-28T12:30:59z",
        "2026-07-28T24:00:00Z",
        "2016-12-31T23:59:60Z",
        "2026-02-29T00:00:00Z",
        "12026-07-28T12:30:59Z",
        "-026-07-28T12:30:59Z",
    };
    int64_t seconds;
    for (size_t i = 0; i < TR_LEN(texts); i++)
        CHECK_ROW(!tr_pack_time_parse(tr_str_from(texts[i]), &seconds),
                  texts[i]);
}
