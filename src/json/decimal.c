#include "base/ascii.h"
#include "base/hash.h"
#include "json/number.h"

#include <assert.h>

#define EXPONENT_MAX INT64_C(1000000000000000)

__extension__ typedef unsigned __int128 u128;

/* The digits behind the 'e', with a sign; many of them count as the maximum. */
static int64_t read_exponent(tr_str text)
{
    bool negative = text.len && text.ptr[0] == '-';
    int64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (tr_ascii_is_digit(text.ptr[i]) && value < EXPONENT_MAX)
            value = value * 10 + (text.ptr[i] - '0');
    }
    if (value > EXPONENT_MAX)
        value = EXPONENT_MAX;
    return negative ? -value : value;
}

static size_t find_exponent(tr_str text)
{
    size_t i = 0;
    while (i < text.len && text.ptr[i] != 'e' && text.ptr[i] != 'E')
        i++;
    return i;
}

tr_json_decimal tr_json_decimal_of(tr_str number)
{
    tr_json_decimal out = {{NULL, 0}, 0, 0, false};
    bool negative = number.len && number.ptr[0] == '-';
    bool positive = number.len && number.ptr[0] == '+';
    tr_str text = tr_str_skip(number, negative || positive);
    size_t end = find_exponent(text);
    int64_t exponent = read_exponent(tr_str_skip(text, end + 1));

    text.len = end;
    const char *point = memchr(text.ptr, '.', text.len);
    if (point)
        exponent -= (int64_t)(text.ptr + text.len - point - 1);
    while (text.len && (text.ptr[0] == '0' || text.ptr[0] == '.'))
        text = tr_str_skip(text, 1);
    while (text.len &&
           (text.ptr[text.len - 1] == '0' || text.ptr[text.len - 1] == '.')) {
        exponent += text.ptr[text.len - 1] == '0';
        text.len--;
    }
    if (text.len == 0)
        return out;
    bool has_point = memchr(text.ptr, '.', text.len) != NULL;
    out.digits = text;
    out.count = text.len - has_point;
    out.exponent = exponent;
    out.negative = negative;
    return out;
}

char tr_json_decimal_digit(const tr_json_decimal *a, size_t *at)
{
    if (*at < a->digits.len && a->digits.ptr[*at] == '.')
        (*at)++;
    return *at < a->digits.len ? a->digits.ptr[(*at)++] : '0';
}

static int cmp_magnitude(tr_json_decimal a, tr_json_decimal b)
{
    int64_t top_a = tr_json_decimal_top(&a);
    int64_t top_b = tr_json_decimal_top(&b);
    if (top_a != top_b)
        return top_a < top_b ? -1 : 1;
    size_t count = a.count > b.count ? a.count : b.count;
    size_t at_a = 0;
    size_t at_b = 0;
    for (size_t i = 0; i < count; i++) {
        char x = tr_json_decimal_digit(&a, &at_a);
        char y = tr_json_decimal_digit(&b, &at_b);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int sign_of(tr_json_decimal a)
{
    return a.count == 0 ? 0 : a.negative ? -1 : 1;
}

int tr_json_decimal_cmp(tr_json_decimal a, tr_json_decimal b)
{
    int sign = sign_of(a);
    if (sign != sign_of(b))
        return sign < sign_of(b) ? -1 : 1;
    if (sign == 0)
        return 0;
    int magnitude = cmp_magnitude(a, b);
    return sign < 0 ? -magnitude : magnitude;
}

bool tr_json_decimal_is_integer(tr_json_decimal a)
{
    return a.count == 0 || a.exponent >= 0;
}

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t modulus)
{
    return (uint64_t)((u128)a * b % modulus);
}

static uint64_t pow10_mod(uint64_t power, uint64_t modulus)
{
    uint64_t result = 1 % modulus;
    uint64_t base = 10 % modulus;
    for (; power; power >>= 1) {
        if (power & 1)
            result = mul_mod(result, base, modulus);
        base = mul_mod(base, base, modulus);
    }
    return result;
}

static uint64_t digits_mod(tr_json_decimal a, uint64_t modulus)
{
    uint64_t value = 0;
    size_t at = 0;
    for (size_t i = 0; i < a.count; i++) {
        uint64_t digit = (uint64_t)(tr_json_decimal_digit(&a, &at) - '0');
        value = (uint64_t)(((u128)value * 10 + digit) % modulus);
    }
    return value;
}

/*
 * With a = v * 10^i and divisor = d * 10^j, where neither v nor d ends in a
 * zero: if i < j, then v would have to be a multiple of ten. Else the question
 * is whether d divides v * 10^(i-j).
 */
bool tr_json_decimal_is_multiple(tr_json_decimal a, tr_json_decimal divisor)
{
    if (a.count == 0)
        return true;
    if (a.exponent < divisor.exponent ||
        divisor.count > TR_JSON_DECIMAL_DIVISOR_DIGITS)
        return false;
    uint64_t d = digits_mod(divisor, UINT64_MAX);
    assert(d > 0 && "the divisor is above zero");
    uint64_t power = (uint64_t)(a.exponent - divisor.exponent);
    return mul_mod(digits_mod(a, d), pow10_mod(power, d), d) == 0;
}

bool tr_json_decimal_to_i64(tr_json_decimal a, int64_t *out)
{
    if (!tr_json_decimal_is_integer(a) || a.count > 19 ||
        a.exponent > 19 - (int64_t)a.count)
        return false;
    u128 value = 0;
    size_t at = 0;
    for (size_t i = 0; i < a.count; i++)
        value = value * 10 + (unsigned)(tr_json_decimal_digit(&a, &at) - '0');
    for (int64_t i = 0; a.count && i < a.exponent; i++)
        value *= 10;
    if (value > (u128)INT64_MAX + a.negative)
        return false;
    *out = a.negative ? (int64_t)(0 - (uint64_t)value) : (int64_t)value;
    return true;
}

/* Digits that fit into one number are hashed together. */
uint64_t tr_json_decimal_hash(tr_json_decimal a, uint64_t seed)
{
    enum { TOGETHER = 19 };
    uint64_t hash = tr_hash_u64((uint64_t)a.exponent * 2 + a.negative, seed);
    size_t at = 0;
    size_t left = a.count;
    while (left > 0) {
        size_t count = left < TOGETHER ? left : TOGETHER;
        uint64_t digits = 0;
        for (size_t i = 0; i < count; i++)
            digits =
                digits * 10 + (uint64_t)(tr_json_decimal_digit(&a, &at) - '0');
        hash = tr_hash_u64(digits, hash);
        left -= count;
    }
    return hash;
}
