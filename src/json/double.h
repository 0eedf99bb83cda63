/*
 * json/double.h - doubles to text and back, exactly.
 */
#ifndef TR_JSON_DOUBLE_H
#define TR_JSON_DOUBLE_H

#include "base/buf.h"

/* Enough for any double as tr_double_write has it. */
#define TR_DOUBLE_TEXT_MAX 32

/*
 * Writes the shortest decimal that reads back as `value`, the one nearest to
 * it where there are several, in the form ECMAScript has for numbers: 0.1,
 * 1e+21, 5e-324. `value` must be finite. Returns the number of bytes.
 */
size_t tr_double_write(double value, char out[TR_DOUBLE_TEXT_MAX]);

/* The nearest double of an RFC 8259 number; it may be infinite. */
double tr_double_parse(tr_str number);

#endif
