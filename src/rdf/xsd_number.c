#include "rdf/xsd_number.h"

#include "json/double.h"

#include <math.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static tr_str take_digits(tr_str *rest)
{
    size_t i = 0;
    while (i < rest->len && is_digit(rest->ptr[i]))
        i++;
    tr_str digits = {rest->ptr, i};
    *rest = tr_str_skip(*rest, i);
    return digits;
}

static bool take_char(tr_str *rest, char c)
{
    if (rest->len == 0 || rest->ptr[0] != c)
        return false;
    *rest = tr_str_skip(*rest, 1);
    return true;
}

static tr_str without_leading_zeros(tr_str digits)
{
    while (digits.len && digits.ptr[0] == '0')
        digits = tr_str_skip(digits, 1);
    return digits;
}

static tr_str without_trailing_zeros(tr_str digits)
{
    while (digits.len && digits.ptr[digits.len - 1] == '0')
        digits.len--;
    return digits;
}

/* Sign and digits from the front of *rest. */
static bool take_decimal(tr_str *rest, bool is_integer, tr_xsd_decimal *out)
{
    tr_str fraction = {NULL, 0};
    bool is_negative = take_char(rest, '-');
    if (!is_negative)
        (void)take_char(rest, '+');
    tr_str whole = take_digits(rest);
    if (!is_integer && take_char(rest, '.'))
        fraction = take_digits(rest);
    if (whole.len + fraction.len == 0)
        return false;
    *out = (tr_xsd_decimal){is_negative, without_leading_zeros(whole),
                            without_trailing_zeros(fraction)};
    return true;
}

bool tr_xsd_decimal_parse(tr_str text, bool is_integer, tr_xsd_decimal *out)
{
    tr_xsd_decimal decimal;
    if (!take_decimal(&text, is_integer, &decimal) || text.len)
        return false;
    if (decimal.whole.len + decimal.fraction.len == 0)
        decimal.is_negative = false; /* there is one zero only */
    *out = decimal;
    return true;
}

static int cmp_magnitude(const tr_xsd_decimal *a, const tr_xsd_decimal *b)
{
    if (a->whole.len != b->whole.len)
        return a->whole.len < b->whole.len ? -1 : 1;
    int order = tr_str_cmp(a->whole, b->whole);
    return order ? order : tr_str_cmp(a->fraction, b->fraction);
}

int tr_xsd_decimal_cmp(const tr_xsd_decimal *a, const tr_xsd_decimal *b)
{
    if (a->is_negative != b->is_negative)
        return a->is_negative ? -1 : 1;
    int order = cmp_magnitude(a, b);
    order = order < 0 ? -1 : order > 0;
    return a->is_negative ? -order : order;
}

/* More digits than these never decide which double is nearest; that there are
 * more is told by one more, which is not zero. */
enum { DIGITS_MAX = 800, NUMBER_MAX = DIGITS_MAX + 64 };

struct digits {
    char text[NUMBER_MAX];
    size_t len;
    bool is_inexact;
};

static void put_digits(struct digits *to, tr_str digits)
{
    for (size_t i = 0; i < digits.len; i++) {
        if (to->len < DIGITS_MAX)
            to->text[to->len++] = digits.ptr[i];
        else
            to->is_inexact |= digits.ptr[i] != '0';
    }
}

/* A number as RFC 8259 has it, with a NUL behind. */
static double number_of(const tr_xsd_decimal *decimal, long exponent,
                        bool is_single)
{
    struct digits number = {.len = 0};
    tr_str fraction = decimal->fraction;
    if (decimal->whole.len == 0)
        fraction = without_leading_zeros(fraction);
    exponent +=
        (long)decimal->whole.len - (long)(decimal->fraction.len - fraction.len);
    if (decimal->is_negative)
        number.text[number.len++] = '-';
    number.text[number.len++] = '0';
    number.text[number.len++] = '.';
    put_digits(&number, decimal->whole);
    put_digits(&number, fraction);
    if (number.is_inexact)
        number.text[number.len++] = '1';
    /* "0." is not complete when there are no digits at all. */
    number.text[number.len++] = '0';
    int len = snprintf(number.text + number.len, 32, "e%ld", exponent);
    number.len += (size_t)len;
    if (is_single)
        return (double)strtof(number.text, NULL);
    return tr_double_parse((tr_str){number.text, number.len});
}

double tr_xsd_decimal_to_double(const tr_xsd_decimal *decimal, bool is_single)
{
    return number_of(decimal, 0, is_single);
}

/* Beyond any exponent that makes a difference, however many digits. */
static bool take_exponent(tr_str *rest, long *out)
{
    bool is_negative = take_char(rest, '-');
    if (!is_negative)
        (void)take_char(rest, '+');
    tr_str digits = take_digits(rest);
    long value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (value < 100000000)
            value = value * 10 + (digits.ptr[i] - '0');
    }
    *out = is_negative ? -value : value;
    return digits.len > 0;
}

static bool parse_special(tr_str text, double *out)
{
    if (tr_str_eq(text, TR_STR("NaN")))
        *out = NAN;
    else if (tr_str_eq(text, TR_STR("INF")) || tr_str_eq(text, TR_STR("+INF")))
        *out = INFINITY;
    else if (tr_str_eq(text, TR_STR("-INF")))
        *out = -INFINITY;
    else
        return false;
    return true;
}

bool tr_xsd_float_parse(tr_str text, bool is_single, double *out)
{
    tr_xsd_decimal decimal;
    long exponent = 0;
    if (parse_special(text, out))
        return true;
    if (!take_decimal(&text, false, &decimal))
        return false;
    if ((take_char(&text, 'e') || take_char(&text, 'E')) &&
        !take_exponent(&text, &exponent))
        return false;
    if (text.len)
        return false;
    *out = number_of(&decimal, exponent, is_single);
    return true;
}

/* XSD 1.1, decimalCanonicalMap: without a point when it is an integer. */
void tr_xsd_decimal_write(struct tr_buf *out, const tr_xsd_decimal *decimal)
{
    if (decimal->is_negative)
        tr_buf_putc(out, '-');
    if (decimal->whole.len == 0)
        tr_buf_putc(out, '0');
    tr_buf_put(out, decimal->whole);
    if (decimal->fraction.len) {
        tr_buf_putc(out, '.');
        tr_buf_put(out, decimal->fraction);
    }
}

/* The shortest text that reads back as the same float. */
static size_t write_single(double value, char out[TR_DOUBLE_TEXT_MAX])
{
    int len = 0;
    for (int digits = 1; digits <= 9; digits++) {
        len = snprintf(out, TR_DOUBLE_TEXT_MAX, "%.*e", digits - 1, value);
        if (strtof(out, NULL) == (float)value)
            break;
    }
    return (size_t)len;
}

/* Moves the point behind the first digit that is not zero. */
static void put_scientific(struct tr_buf *out, tr_str number)
{
    tr_xsd_decimal decimal = {.is_negative = false};
    long exponent = 0;
    (void)take_decimal(&number, false, &decimal);
    if (take_char(&number, 'e'))
        (void)take_exponent(&number, &exponent);
    tr_str rest = decimal.whole;
    if (rest.len) {
        exponent += (long)rest.len - 1;
    } else {
        rest = without_leading_zeros(decimal.fraction);
        exponent -= (long)(decimal.fraction.len - rest.len) + 1;
        decimal.fraction.len = 0;
    }
    if (rest.len == 0)
        return; /* zero, which the caller has written */
    tr_buf_putc(out, rest.ptr[0]);
    tr_buf_putc(out, '.');
    rest = tr_str_skip(rest, 1);
    if (decimal.fraction.len == 0)
        rest = without_trailing_zeros(rest);
    tr_buf_put(out, rest);
    tr_buf_put(out, decimal.fraction);
    if (rest.len + decimal.fraction.len == 0)
        tr_buf_putc(out, '0');
    tr_buf_putf(out, "E%ld", exponent);
}

void tr_xsd_float_write(struct tr_buf *out, double value, bool is_single)
{
    char text[TR_DOUBLE_TEXT_MAX];
    if (isnan(value)) {
        tr_buf_put(out, TR_STR("NaN"));
        return;
    }
    if (signbit(value))
        tr_buf_putc(out, '-');
    value = fabs(value);
    if (isinf(value)) {
        tr_buf_put(out, TR_STR("INF"));
    } else if (value == 0) {
        tr_buf_put(out, TR_STR("0.0E0"));
    } else {
        size_t len = is_single ? write_single(value, text)
                               : tr_double_write(value, text);
        put_scientific(out, (tr_str){text, len});
    }
}
