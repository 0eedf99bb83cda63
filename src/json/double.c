#include "json/number.h"
#include "json/pow10.h"

#include <assert.h>
#include <math.h>

__extension__ typedef unsigned __int128 wide;

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

static int floor_log2_pow10(int k)
{
    return (k * 1741647) >> 19;
}

/* The upper 64 bits of g * c / 2^64, with all lower bits in the lowest one. */
static uint64_t multiply_to_odd(struct tr_json_pow10 g, uint64_t c)
{
    wide low = (wide)g.low * c;
    wide high = (wide)g.high * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/*
 * The shortest decimal in the interval that rounds to a double, after R.
 * Giulietti, "The Schubfach way to render doubles". All values carry two more
 * bits than the significand, so that the interval's ends are integers:
 * 4c - 2 (4c - 1 where the neighbour below is nearer), 4c, 4c + 2.
 */
static struct decimal shortest(uint64_t fraction, int biased)
{
    uint64_t c = biased ? fraction | UINT64_C(1) << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    bool even = c % 2 == 0;
    bool near_below = fraction == 0 && biased > 1;

    /* floor(log10(2^q)), or floor(log10(3/4 * 2^q)) */
    int k = (q * 1262611 - (near_below ? 524031 : 0)) >> 22;
    int shift = q + floor_log2_pow10(-k) + 1;
    struct tr_json_pow10 g = tr_json_pow10_table[-k - TR_JSON_POW10_FIRST];
    uint64_t middle = multiply_to_odd(g, 4 * c << shift);
    uint64_t low = multiply_to_odd(g, (4 * c - 2 + near_below) << shift);
    uint64_t high = multiply_to_odd(g, (4 * c + 2) << shift);
    /* An even significand owns the ends of its interval. */
    low += !even;
    high -= !even;

    uint64_t s = middle / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool down = low <= 40 * tens;
        bool up = 40 * tens + 40 <= high;
        if (down != up)
            return (struct decimal){tens + up, k + 1};
    }
    bool down = low <= 4 * s;
    bool up = 4 * s + 4 <= high;
    if (down != up)
        return (struct decimal){s + up, k};
    uint64_t half = 4 * s + 2;
    bool round_up = middle > half || (middle == half && s % 2);
    return (struct decimal){s + round_up, k};
}

static size_t put_digits(uint64_t value, char out[20])
{
    char reversed[20];
    size_t len = 0;
    do {
        reversed[len++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < len; i++)
        out[i] = reversed[len - 1 - i];
    return len;
}

static char *put_zeros(char *to, int count)
{
    memset(to, '0', (size_t)count);
    return to + count;
}

static char *put_text(char *to, const char *from, size_t len)
{
    memcpy(to, from, len);
    return to + len;
}

static char *put_exponent(char *to, int exponent)
{
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    char digits[20];
    uint64_t size = (uint64_t)(exponent < 0 ? -exponent : exponent);
    size_t len = put_digits(size, digits);
    return put_text(to, digits, len);
}

/* ECMA-262, Number::toString: `point` digits stand before the point. */
static char *lay_out(char *to, const char *digits, int len, int point)
{
    if (len <= point && point <= 21) {
        to = put_text(to, digits, (size_t)len);
        return put_zeros(to, point - len);
    }
    if (0 < point && point <= 21) {
        to = put_text(to, digits, (size_t)point);
        *to++ = '.';
        return put_text(to, digits + point, (size_t)(len - point));
    }
    if (-6 < point && point <= 0) {
        to = put_text(to, "0.", 2);
        to = put_zeros(to, -point);
        return put_text(to, digits, (size_t)len);
    }
    *to++ = digits[0];
    if (len > 1) {
        *to++ = '.';
        to = put_text(to, digits + 1, (size_t)len - 1);
    }
    return put_exponent(to, point - 1);
}

size_t tr_json_double_write(double value, char out[TR_JSON_DOUBLE_TEXT_MAX])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7FF);
    char *to = out;

    assert(biased != 0x7FF && "finite");
    if (bits >> 63)
        *to++ = '-';
    if (biased == 0 && fraction == 0) {
        *to++ = '0';
        return (size_t)(to - out);
    }
    struct decimal d = shortest(fraction, biased);
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    char digits[20];
    int len = (int)put_digits(d.digits, digits);
    to = lay_out(to, digits, len, len + d.exponent);
    return (size_t)(to - out);
}

/* What a number's text says, digits and exponent apart. */
struct lexeme {
    bool negative;
    tr_str mantissa; /* digits, perhaps with a point */
    int64_t exponent;
};

/* Beyond any double, so that sums with it cannot overflow. */
#define EXPONENT_MAX INT64_C(1000000000000)

static struct lexeme split(tr_str number)
{
    struct lexeme lexeme = {.negative = number.len && number.ptr[0] == '-'};
    tr_str rest = tr_str_skip(number, lexeme.negative);
    size_t i = 0;
    while (i < rest.len && rest.ptr[i] != 'e' && rest.ptr[i] != 'E')
        i++;
    lexeme.mantissa = (tr_str){rest.ptr, i};

    tr_str exponent = tr_str_skip(rest, i + 1);
    bool below = exponent.len && exponent.ptr[0] == '-';
    if (below || (exponent.len && exponent.ptr[0] == '+'))
        exponent = tr_str_skip(exponent, 1);
    for (i = 0; i < exponent.len && lexeme.exponent < EXPONENT_MAX; i++)
        lexeme.exponent = lexeme.exponent * 10 + (exponent.ptr[i] - '0');
    if (below)
        lexeme.exponent = -lexeme.exponent;
    return lexeme;
}

/*
 * No double lies strictly between two decimals of 768 digits, so from there on
 * only "and something more" counts, which one digit can say.
 */
#define DIGITS_MAX 800

/* The slow way: digits and exponent, without a point, through libc. */
static double parse_any(struct lexeme lexeme)
{
    char text[DIGITS_MAX + 32];
    size_t len = 0;
    int64_t exponent = lexeme.exponent;
    bool after_point = false;
    bool more = false;

    for (size_t i = 0; i < lexeme.mantissa.len; i++) {
        char c = lexeme.mantissa.ptr[i];
        if (c == '.') {
            after_point = true;
            continue;
        }
        exponent -= after_point;
        if (len < DIGITS_MAX && (len || c != '0')) {
            text[len++] = c;
        } else if (len) {
            more |= c != '0';
            exponent++;
        }
    }
    if (len == 0)
        return 0;
    if (more)
        text[len - 1] |= 1; /* odd stays odd, even gets a little larger */
    (void)snprintf(text + len, sizeof(text) - len, "e%lld",
                   (long long)exponent);
    return strtod(text, NULL);
}

/* Up to 2^53 and 10^22, both are exact and one operation rounds once. */
static bool parse_exactly(struct lexeme lexeme, double *out)
{
    static const double powers[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    int64_t exponent = lexeme.exponent;
    bool after_point = false;

    for (size_t i = 0; i < lexeme.mantissa.len; i++) {
        char c = lexeme.mantissa.ptr[i];
        if (c == '.') {
            after_point = true;
            continue;
        }
        digits = digits * 10 + (uint64_t)(c - '0');
        if (digits > UINT64_C(1) << 53)
            return false;
        exponent -= after_point;
    }
    if (exponent < -22 || exponent > 22)
        return false;
    *out = exponent < 0 ? (double)digits / powers[-exponent]
                        : (double)digits * powers[exponent];
    return true;
}

double tr_json_double_parse(tr_str number)
{
    struct lexeme lexeme = split(number);
    double value;
    if (!parse_exactly(lexeme, &value))
        value = parse_any(lexeme);
    return lexeme.negative ? -value : value;
}
