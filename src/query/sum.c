#include "query/sum.h"

#define DIGITS 9
#define BASE   1000000000

static const int64_t powers[DIGITS] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Each addition adds less than BASE to a limb, so that billions of them fit. */
bool tr_query_sum_add(struct tr_query_sum *sum, const tr_json_decimal *value)
{
    int64_t place = tr_json_decimal_top(value) + TR_QUERY_SUM_FRACTION * DIGITS;
    int64_t least = value->exponent + TR_QUERY_SUM_FRACTION * DIGITS;
    size_t at = 0;
    if (value->count == 0)
        return true;
    /* The last limb is for what is carried over. */
    if (least < 0 || place > (int64_t)DIGITS * (TR_QUERY_SUM_LIMBS - 3))
        return false;
    for (size_t i = 0; i < value->count; i++) {
        int64_t digit = tr_json_decimal_digit(value, &at) - '0';
        place--;
        digit *= powers[place % DIGITS];
        sum->limbs[place / DIGITS] += value->negative ? -digit : digit;
    }
    return true;
}

/* Gives all limbs but the last the digits that belong there. */
static void carry_over(struct tr_query_sum *sum)
{
    for (size_t i = 0; i + 1 < TR_QUERY_SUM_LIMBS; i++) {
        int64_t over = sum->limbs[i] / BASE;
        if (sum->limbs[i] % BASE < 0)
            over--;
        sum->limbs[i] -= over * BASE;
        sum->limbs[i + 1] += over;
    }
}

void tr_query_sum_write(struct tr_query_sum *sum, struct tr_buf *out)
{
    carry_over(sum);
    if (sum->limbs[TR_QUERY_SUM_LIMBS - 1] < 0) {
        tr_buf_putc(out, '-');
        for (size_t i = 0; i < TR_QUERY_SUM_LIMBS; i++)
            sum->limbs[i] = -sum->limbs[i];
        carry_over(sum);
    }
    for (size_t i = TR_QUERY_SUM_LIMBS; i-- > 0;) {
        tr_buf_putf(out, "%09lld", (long long)sum->limbs[i]);
        if (i == TR_QUERY_SUM_FRACTION)
            tr_buf_putc(out, '.');
    }
}
