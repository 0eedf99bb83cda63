#include "base/ascii.h"
#include "json/number.h"
#include "rdf/xsd.h"

#include <math.h>

static size_t skip_sign(tr_str text, size_t at)
{
    return at + (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'));
}

static size_t skip_digits(tr_str text, size_t at)
{
    while (at < text.len && tr_ascii_is_digit(text.ptr[at]))
        at++;
    return at;
}

/* Where sign, digits and a point end; 0 when there are no digits. */
static size_t decimal_end(tr_str text, bool is_integer)
{
    size_t start = skip_sign(text, 0);
    size_t at = skip_digits(text, start);
    size_t digits = at - start;
    if (!is_integer && at < text.len && text.ptr[at] == '.') {
        size_t end = skip_digits(text, at + 1);
        digits += end - at - 1;
        at = end;
    }
    return digits ? at : 0;
}

bool tr_rdf_xsd_decimal_parse(tr_str text, bool is_integer,
                              tr_json_decimal *out)
{
    if (text.len == 0 || decimal_end(text, is_integer) != text.len)
        return false;
    *out = tr_json_decimal_of(text);
    return true;
}

/*
 * Digits after the first DIGITS_MAX never decide which double is nearest, but
 * that there are some may: one digit that is not zero stands for all of them.
 * Any exponent beyond EXPONENT_MAX means zero or infinity.
 */
enum { DIGITS_MAX = 800, EXPONENT_MAX = 100000 };

/* Writes an RFC 8259 number, with a NUL for strtof, and parses that. */
double tr_rdf_xsd_decimal_to_double(const tr_json_decimal *decimal,
                                    bool is_single)
{
    char text[DIGITS_MAX + 64];
    struct tr_buf number;
    size_t at = 0;
    if (decimal->count == 0)
        return 0;
    tr_buf_init_fixed(&number, text, sizeof(text));
    tr_buf_put(&number, TR_STR("-0."));
    for (size_t i = 0; i < decimal->count && i < DIGITS_MAX; i++)
        tr_buf_putc(&number, tr_json_decimal_digit(decimal, &at));
    if (decimal->count > DIGITS_MAX)
        tr_buf_putc(&number, '1');
    int64_t top = tr_json_decimal_top(decimal);
    if (top > EXPONENT_MAX)
        top = EXPONENT_MAX;
    if (top < -EXPONENT_MAX)
        top = -EXPONENT_MAX;
    tr_buf_putc(&number, 'e');
    tr_buf_put_i64(&number, top);
    tr_buf_putc(&number, '\0');
    tr_str signed_one = {text, number.len - 1};
    tr_str value = decimal->negative ? signed_one : tr_str_skip(signed_one, 1);
    return is_single ? (double)strtof(value.ptr, NULL)
                     : tr_json_double_parse(value);
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

/* Whether what follows a decimal is an exponent, or nothing. */
static bool is_exponent(tr_str rest)
{
    if (rest.len == 0)
        return true;
    size_t start = skip_sign(rest, 1);
    return (rest.ptr[0] == 'e' || rest.ptr[0] == 'E') && start < rest.len &&
           skip_digits(rest, start) == rest.len;
}

bool tr_rdf_xsd_float_parse(tr_str text, bool is_single, double *out)
{
    if (parse_special(text, out))
        return true;
    size_t end = decimal_end(text, false);
    if (end == 0 || !is_exponent(tr_str_skip(text, end)))
        return false;
    tr_json_decimal decimal = tr_json_decimal_of(text);
    double value = tr_rdf_xsd_decimal_to_double(&decimal, is_single);
    /* A decimal has one zero only, a double has two. */
    *out = value == 0 && text.ptr[0] == '-' ? -0.0 : value;
    return true;
}

/* XSD 1.1, decimalCanonicalMap: without a point when it is an integer. */
void tr_rdf_xsd_decimal_write(struct tr_buf *out,
                              const tr_json_decimal *decimal)
{
    int64_t top = tr_json_decimal_top(decimal);
    size_t at = 0;
    if (decimal->negative)
        tr_buf_putc(out, '-');
    if (top <= 0)
        tr_buf_putc(out, '0');
    for (int64_t i = 0; i < top; i++)
        tr_buf_putc(out, tr_json_decimal_digit(decimal, &at));
    if (tr_json_decimal_is_integer(*decimal))
        return;
    tr_buf_putc(out, '.');
    for (int64_t i = top; i < 0; i++)
        tr_buf_putc(out, '0');
    while (at < decimal->digits.len)
        tr_buf_putc(out, tr_json_decimal_digit(decimal, &at));
}

/* The shortest text that reads back as the same float. */
static size_t write_single(double value, char out[TR_JSON_DOUBLE_TEXT_MAX])
{
    int len = 0;
    for (int digits = 1; digits <= 9; digits++) {
        len = snprintf(out, TR_JSON_DOUBLE_TEXT_MAX, "%.*e", digits - 1, value);
        if (strtof(out, NULL) == (float)value)
            break;
    }
    return (size_t)len;
}

/* A number above zero, with the point behind its first digit. */
static void put_scientific(struct tr_buf *out, tr_str number)
{
    tr_json_decimal decimal = tr_json_decimal_of(number);
    size_t at = 0;
    tr_buf_putc(out, tr_json_decimal_digit(&decimal, &at));
    tr_buf_putc(out, '.');
    if (decimal.count == 1)
        tr_buf_putc(out, '0');
    while (at < decimal.digits.len)
        tr_buf_putc(out, tr_json_decimal_digit(&decimal, &at));
    tr_buf_putf(out, "E%lld", (long long)tr_json_decimal_top(&decimal) - 1);
}

void tr_rdf_xsd_float_write(struct tr_buf *out, double value, bool is_single)
{
    char text[TR_JSON_DOUBLE_TEXT_MAX];
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
                               : tr_json_double_write(value, text);
        put_scientific(out, (tr_str){text, len});
    }
}
