#include "base/test.h"
#include "json/number.h"

static tr_json_decimal of(const char *text)
{
    return tr_json_decimal_of(tr_str_from(text));
}

/* Ascending; those of one row are equal. */
static const char *const ascending[][4] = {
    {"-1e400", "-10e399"},
    {"-9007199254740993"},
    {"-9007199254740992"},
    {"-1.5", "-15e-1", "-0.15e1"},
    {"-1", "-1.0", "-100e-2"},
    {"-1e-400"},
    {"0", "-0", "0.0", "0e99"},
    {"1e-400", "0.1e-399"},
    {"0.1", "1e-1", "0.10"},
    {"0.11"},
    {"1", "1.0", "10E-1", "0.01e+2"},
    {"1.0000000000000000000001"},
    {"9", "9.0"},
    {"10", "1e1", "1.0e1"},
    {"99"},
    {"100", "1e2"},
    {"9007199254740992"},
    {"9007199254740993"},
    {"18446744073709551616"},
    {"1e400", "1000e397"},
    {"1e99999999999999999999"},
};

TEST(decimals_compare_by_value)
{
    for (size_t i = 0; i < TR_LEN(ascending); i++) {
        for (size_t k = 0; k < TR_LEN(ascending); k++) {
            for (size_t n = 0; n < 4 && ascending[k][n]; n++) {
                int order = tr_json_decimal_cmp(of(ascending[i][0]),
                                                of(ascending[k][n]));
                CHECK_ROW((order < 0) == (i < k), ascending[k][n]);
                CHECK_ROW((order > 0) == (i > k), ascending[k][n]);
            }
        }
    }
}

/* What XSD allows and RFC 8259 does not. */
TEST(decimals_of_xsd_are_read_too)
{
    static const char *const pairs[][2] = {
        {"+1", "1"}, {".5", "0.5"},    {"1.", "1"},
        {"01", "1"}, {"-.50", "-0.5"}, {"+00.10", "0.1"},
    };
    for (size_t i = 0; i < TR_LEN(pairs); i++)
        CHECK_ROW(tr_json_decimal_cmp(of(pairs[i][0]), of(pairs[i][1])) == 0,
                  pairs[i][0]);
}

TEST(digits_come_one_by_one_and_zeros_after_them)
{
    tr_json_decimal number = of("-0.0120500");
    size_t at = 0;
    CHECK_INT(tr_json_decimal_top(&number), -1);
    for (const char *digit = "120500"; *digit; digit++)
        CHECK_INT(tr_json_decimal_digit(&number, &at), *digit);
}

TEST(equal_decimals_have_equal_hashes)
{
    for (size_t i = 0; i < TR_LEN(ascending); i++) {
        for (size_t n = 1; n < 4 && ascending[i][n]; n++)
            CHECK_ROW(tr_json_decimal_hash(of(ascending[i][0]), 7) ==
                          tr_json_decimal_hash(of(ascending[i][n]), 7),
                      ascending[i][n]);
    }
}

TEST(an_integer_is_what_has_no_fraction)
{
    static const char *const yes[] = {"0",  "-0",  "1.0",   "1e2",    "1.50e1",
                                      "-7", "0.0", "1e400", "1200e-2"};
    static const char *const no[] = {"0.5", "1e-1", "1.01", "12e-2", "1e-400"};
    for (size_t i = 0; i < TR_LEN(yes); i++)
        CHECK_ROW(tr_json_decimal_is_integer(of(yes[i])), yes[i]);
    for (size_t i = 0; i < TR_LEN(no); i++)
        CHECK_ROW(!tr_json_decimal_is_integer(of(no[i])), no[i]);
}

static const struct {
    const char *value;
    const char *divisor;
    bool is_multiple;
} multiples[] = {
    {"0", "7", true},
    {"21", "7", true},
    {"22", "7", false},
    {"-21", "7", true},
    {"4.5", "1.5", true},
    {"35", "1.5", false},
    {"0.0075", "0.0001", true},
    {"0.00751", "0.0001", false},
    {"0.3", "0.1", true},
    {"1e308", "0.5", true},
    {"1e1000000", "3", false},
    {"3e1000000", "3", true},
    {"100", "1e2", true},
    {"10", "1e2", false},
    {"12391239123", "1e-8", true},
    {"1", "0.3", false},
    {"999999999999999999", "999999999999999999", true},
    {"1", "1234567890123456789", false},
};

TEST(multiples_are_exact)
{
    for (size_t i = 0; i < TR_LEN(multiples); i++)
        CHECK_ROW(tr_json_decimal_is_multiple(of(multiples[i].value),
                                              of(multiples[i].divisor)) ==
                      multiples[i].is_multiple,
                  multiples[i].value);
}

TEST(integers_of_64_bits_come_out_as_they_are)
{
    static const struct {
        const char *text;
        int64_t value;
    } fitting[] = {
        {"0", 0},
        {"-0.0", 0},
        {"1.0", 1},
        {"1e3", 1000},
        {"12.50e1", 125},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"-9.223372036854775808e18", INT64_MIN},
    };
    static const char *const others[] = {
        "9223372036854775808", "-9223372036854775809", "1e19", "1e20", "0.5",
        "1e99999999999999999", "10000000000000000000",
    };
    for (size_t i = 0; i < TR_LEN(fitting); i++) {
        int64_t value = -1;
        CHECK_ROW(tr_json_decimal_to_i64(of(fitting[i].text), &value),
                  fitting[i].text);
        CHECK_ROW(value == fitting[i].value, fitting[i].text);
    }
    for (size_t i = 0; i < TR_LEN(others); i++) {
        int64_t value = -1;
        CHECK_ROW(!tr_json_decimal_to_i64(of(others[i]), &value), others[i]);
        CHECK(value == -1);
    }
}
