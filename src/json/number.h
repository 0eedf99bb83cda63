/*
 * json/number.h - numbers: exact decimals, compared by their text, and doubles
 * to text and back.
 *
 * A decimal borrows the lexeme it was made from. Nothing is rounded: 1, 1.0 and
 * 10e-1 are equal, 2^53 and 2^53 + 1 are not. Exponents beyond a quadrillion
 * count as a quadrillion.
 */
#ifndef TR_JSON_NUMBER_H
#define TR_JSON_NUMBER_H

#include "base/buf.h"
#include "base/str.h"

typedef struct tr_json_decimal {
    tr_str digits;    /* first to last that is not zero; may hold one '.' */
    size_t count;     /* of digits, without the '.' */
    int64_t exponent; /* the power of ten of the last digit */
    bool negative;    /* never on zero, which has no digits */
} tr_json_decimal;

/* The divisor of tr_json_decimal_is_multiple has at most this many digits. */
#define TR_JSON_DECIMAL_DIVISOR_DIGITS 18

/*
 * `number` is a number of RFC 8259, or one of the forms that XSD has besides:
 * +1, .5, 1. and 01.
 */
tr_json_decimal tr_json_decimal_of(tr_str number);

/* The digit at `*at`, which starts at 0 and moves on; '0' past the last. */
char tr_json_decimal_digit(const tr_json_decimal *a, size_t *at);

/* How many digits stand before the point; below zero, zeros behind it. */
static inline int64_t tr_json_decimal_top(const tr_json_decimal *a)
{
    return a->exponent + (int64_t)a->count;
}

/* Below, equal or above zero as `a` is below, equal to or above `b`. */
int tr_json_decimal_cmp(tr_json_decimal a, tr_json_decimal b);

/* Whether it has no fraction: true of 1.0 and 1e2 (JSON Schema 2020-12, 4.2).
 */
bool tr_json_decimal_is_integer(tr_json_decimal a);

/* Whether `a` is an integer times `divisor`, which is above zero. */
bool tr_json_decimal_is_multiple(tr_json_decimal a, tr_json_decimal divisor);

/* The value; false when it is no integer, or does not fit into 64 bits. */
bool tr_json_decimal_to_i64(tr_json_decimal a, int64_t *out);

/* Equal decimals have equal hashes. */
uint64_t tr_json_decimal_hash(tr_json_decimal a, uint64_t seed);

/* Enough for any double as tr_json_double_write has it. */
#define TR_JSON_DOUBLE_TEXT_MAX 32

/*
 * Writes the shortest decimal that reads back as `value`, the one nearest to
 * it where there are several, in the form ECMAScript has for numbers: 0.1,
 * 1e+21, 5e-324. `value` must be finite. Returns the number of bytes.
 */
size_t tr_json_double_write(double value, char out[TR_JSON_DOUBLE_TEXT_MAX]);

/* The nearest double of an RFC 8259 number; it may be infinite. */
double tr_json_double_parse(tr_str number);

#endif
