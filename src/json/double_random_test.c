#include "base/test.h"
#include "json/number.h"

#include <ctype.h>
#include <math.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Any finite double; every third is small in digits or near a power of two. */
static double random_double(void)
{
    uint64_t bits = tr_test_random();
    switch (tr_test_random_below(6)) {
    case 0:
        return (double)(int64_t)(bits >> 40) / 1000;
    case 1:
        bits &= ~((UINT64_C(1) << 52) - 1) | 3;
        break;
    default:
        break;
    }
    double value = of_bits(bits);
    return isfinite(value) ? value : 1;
}

/* Digits that count: none of the zeros at either end, nothing of e+21. */
static int digits_of(tr_str text)
{
    int count = 0;
    int zeros = 0;
    for (size_t i = 0; i < text.len && text.ptr[i] != 'e'; i++) {
        if (!isdigit((unsigned char)text.ptr[i]))
            continue;
        zeros = text.ptr[i] == '0' ? zeros + 1 : 0;
        count += count > 0 || text.ptr[i] != '0';
    }
    return count ? count - zeros : 1;
}

/* The fewest digits with which printf's text reads back as the same double. */
static int fewest_digits(double value)
{
    char text[64];
    int n = 1;
    for (; n < 17; n++) {
        (void)snprintf(text, sizeof(text), "%.*e", n - 1, value);
        if (bits_of(strtod(text, NULL)) == bits_of(value))
            break;
    }
    return n;
}

TEST(double_of_random_bits_reads_back_from_its_text)
{
    size_t count = tr_test_scaled(1000000);
    for (size_t i = 0; i < count; i++) {
        char out[TR_JSON_DOUBLE_TEXT_MAX + 1] = "";
        double value = random_double();
        tr_str text = {out, tr_json_double_write(value, out)};
        CHECK_ROW(bits_of(tr_json_double_parse(text)) == bits_of(value), out);
        CHECK_ROW(bits_of(strtod(out, NULL)) == bits_of(value), out);
    }
}

TEST(double_of_random_bits_has_no_shorter_text)
{
    size_t count = tr_test_scaled(200000);
    for (size_t i = 0; i < count; i++) {
        char out[TR_JSON_DOUBLE_TEXT_MAX + 1] = "";
        double value = random_double();
        tr_str text = {out, tr_json_double_write(value, out)};
        CHECK_ROW(digits_of(text) <= fewest_digits(value), out);
    }
}

static size_t put_digits(char *to, size_t max)
{
    size_t len = 1 + tr_test_random_below(max);
    for (size_t i = 0; i < len; i++)
        to[i] = (char)('0' + tr_test_random_below(10));
    return len;
}

TEST(double_of_random_text_is_what_strtod_makes_of_it)
{
    size_t count = tr_test_scaled(500000);
    for (size_t i = 0; i < count; i++) {
        char text[128] = "-";
        size_t len = tr_test_random_below(2);
        len += put_digits(text + len, 25);
        if (tr_test_random_below(2)) {
            text[len++] = '.';
            len += put_digits(text + len, 25);
        }
        if (tr_test_random_below(2))
            len += (size_t)snprintf(text + len, sizeof(text) - len, "e%d",
                                    (int)tr_test_random_below(700) - 350);
        text[len] = '\0';
        double ours = tr_json_double_parse((tr_str){text, len});
        CHECK_ROW(bits_of(ours) == bits_of(strtod(text, NULL)), text);
    }
}
