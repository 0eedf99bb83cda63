/*
 * query/sum.h - exact sums of integers and decimals; for this folder only.
 */
#ifndef TR_QUERY_SUM_H
#define TR_QUERY_SUM_H

#include "base/buf.h"
#include "json/number.h"

/* Nine digits each; so many before the point, and behind it. */
#define TR_QUERY_SUM_WHOLE    112
#define TR_QUERY_SUM_FRACTION 112
#define TR_QUERY_SUM_LIMBS    (TR_QUERY_SUM_WHOLE + TR_QUERY_SUM_FRACTION)

/* Starts zeroed. */
struct tr_query_sum {
    int64_t limbs[TR_QUERY_SUM_LIMBS]; /* the least first; not carried over */
};

/* False when a value has more digits than there is room for. */
bool tr_query_sum_add(struct tr_query_sum *sum, const tr_json_decimal *value);

/* Appends the sum as a number with all its digits, perhaps with zeros at its
 * ends. The sum is used up. */
void tr_query_sum_write(struct tr_query_sum *sum, struct tr_buf *out);

/* The most that it appends. */
#define TR_QUERY_SUM_TEXT (9 * TR_QUERY_SUM_LIMBS + 4)

#endif
