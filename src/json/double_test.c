#include "base/test.h"
#include "json/number.h"

#include <float.h>
#include <math.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static bool writes_as(double value, const char *text)
{
    char out[TR_JSON_DOUBLE_TEXT_MAX];
    size_t len = tr_json_double_write(value, out);
    bool same = tr_str_eq((tr_str){out, len}, tr_str_from(text));
    if (!same)
        print_error("%.17g is written as %.*s\n", value, (int)len, out);
    return same;
}

TEST(double_write_is_shortest_where_that_is_hard)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {100, "100"},
        {5e-324, "5e-324"},
        {1e-323, "1e-323"},
        {1.5e-323, "1.5e-323"},
        {2.2250738585072011e-308, "2.225073858507201e-308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {-DBL_MAX, "-1.7976931348623157e+308"},
        {DBL_EPSILON, "2.220446049250313e-16"},
        {9007199254740991, "9007199254740991"},
        {9007199254740992, "9007199254740992"},
        {1e23, "1e+23"},
        {9.5e-3, "0.0095"},
        {2e-44, "2e-44"},
        {4.35, "4.35"},
        {8.41e21, "8.41e+21"},
        {2.0 * 4503599627370496, "9007199254740992"},
        {9.109383632e-31, "9.109383632e-31"},
        {6.02214076e23, "6.02214076e+23"},
        {5e-7, "5e-7"},
        {1.2345678901234567, "1.2345678901234567"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(writes_as(rows[i].value, rows[i].text), rows[i].text);
}

TEST(double_write_lays_out_as_ecmascript_does)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {999999999999999900000.0, "999999999999999900000"},
        {123456789012345680000.0, "123456789012345680000"},
        {1234567890123456800000.0, "1.2345678901234568e+21"},
        {1e-6, "0.000001"},
        {1e-7, "1e-7"},
        {0.00000123, "0.00000123"},
        {0.000000123, "1.23e-7"},
        {123.456, "123.456"},
        {1e100, "1e+100"},
        {1.5e300, "1.5e+300"},
        {12e-10, "1.2e-9"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(writes_as(rows[i].value, rows[i].text), rows[i].text);
}

TEST(double_parse_gives_the_nearest_double)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"0", 0},
        {"-0", -0.0},
        {"-0.0e10", -0.0},
        {"12", 12},
        {"0.1", 0.1},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.0000000000000000000001", 9007199254740994.0},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"2.2250738585072012e-308", 2.2250738585072014e-308},
        {"4.9406564584124654e-324", 5e-324},
        {"2.4703282292062328e-324", 5e-324},
        {"2.4703282292062327e-324", 0},
        {"1.7976931348623157e308", DBL_MAX},
        {"1.7976931348623158e308", DBL_MAX},
        {"1.7976931348623159e308", INFINITY},
        {"-1e400", -INFINITY},
        {"1e-400", 0},
        {"0e999999999999999999999", 0},
        {"1e999999999999999999999", INFINITY},
        {"-1e-999999999999999999999", -0.0},
        {"0.00000000000000000000000000000001e32", 1},
        {"100000000000000000000000000000000e-32", 1},
        {"1E+2", 100},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        double value = tr_json_double_parse(tr_str_from(rows[i].text));
        CHECK_ROW(bits_of(value) == bits_of(rows[i].value), rows[i].text);
    }
}

/* `text` with what strtod makes of it; both round correctly. */
static void check_like_strtod(const char *text)
{
    double ours = tr_json_double_parse(tr_str_from(text));
    CHECK_ROW(bits_of(ours) == bits_of(strtod(text, NULL)), text);
}

static void check_round_trip(double value)
{
    char out[TR_JSON_DOUBLE_TEXT_MAX];
    tr_str text = {out, tr_json_double_write(value, out)};
    CHECK(bits_of(tr_json_double_parse(text)) == bits_of(value));
}

TEST(double_powers_of_two_and_their_neighbours_round_trip)
{
    for (int exponent = -1074; exponent < 1024; exponent++) {
        double power = ldexp(1, exponent);
        check_round_trip(power);
        check_round_trip(-power);
        check_round_trip(nextafter(power, 0));
        if (exponent < 1023)
            check_round_trip(nextafter(power, INFINITY));
    }
}

TEST(double_powers_of_ten_and_their_neighbours_round_trip)
{
    for (int exponent = -323; exponent <= 308; exponent++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "1e%d", exponent);
        check_like_strtod(text);
        double power = strtod(text, NULL);
        check_round_trip(power);
        check_round_trip(nextafter(power, 0));
        check_round_trip(nextafter(power, INFINITY));
    }
}

/* The last digit that is not 0 becomes one less. */
static void take_a_little(char *text)
{
    size_t i = strlen(text);
    while (i > 0 && (text[i - 1] == '0' || text[i - 1] == '.'))
        i--;
    if (i > 0)
        text[i - 1]--;
}

/*
 * Exactly between two doubles, written out in full: up to 767 digits. Then a
 * little more and a little less, which must fall to either side.
 */
TEST(double_parse_decides_halfway_cases_with_hundreds_of_digits)
{
    static char text[2000];
    for (int exponent = -1074; exponent < 900; exponent += 7) {
        /* 2^53 + 1 needs one bit more than a double has. */
        long double halfway = ldexpl(9007199254740993.0L, exponent);
        int len = snprintf(text, sizeof(text) - 1, "%.1200Lf", halfway);
        check_like_strtod(text);
        text[len] = '1';
        check_like_strtod(text);
        text[len] = '\0';
        take_a_little(text);
        check_like_strtod(text);
        memset(text, 0, sizeof(text));
    }
}

TEST(double_parse_notices_a_digit_far_behind)
{
    static char text[3000];
    for (size_t zeros = 700; zeros < 900; zeros++) {
        size_t len = (size_t)snprintf(text, sizeof(text), "9007199254740993.");
        memset(text + len, '0', zeros);
        text[len + zeros] = '\0';
        check_like_strtod(text);
        CHECK(tr_json_double_parse(tr_str_from(text)) == 9007199254740992.0);
        text[len + zeros] = '1';
        text[len + zeros + 1] = '\0';
        check_like_strtod(text);
        CHECK(tr_json_double_parse(tr_str_from(text)) == 9007199254740994.0);
    }
}

TEST(double_parse_takes_more_digits_than_it_keeps)
{
    static char text[5000];
    for (size_t len = 1; len < 4000; len += 13) {
        memset(text, '7', len);
        text[len / 2] = '.';
        (void)snprintf(text + len, sizeof(text) - len, "8e-%zu", len / 2 + 1);
        if (len > 2)
            check_like_strtod(text);
    }
}

TEST(double_parse_skips_zeros_in_front)
{
    static char text[3000] = "0.";
    for (size_t zeros = 0; zeros < 2000; zeros += 37) {
        memset(text + 2, '0', zeros);
        (void)snprintf(text + 2 + zeros, sizeof(text) - 2 - zeros, "125e%zu",
                       zeros + 1);
        CHECK(tr_json_double_parse(tr_str_from(text)) == 1.25);
    }
}
