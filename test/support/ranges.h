/*
 * test/support/ranges.h - ranges of keys (pack/key.h), as a page that is
 * ordered by a field would ask for them: what the order of keys has to bear.
 */
#ifndef TR_TEST_SUPPORT_RANGES_H
#define TR_TEST_SUPPORT_RANGES_H

#include "pack/key.h"

/*
 * The keys from `lo` on that are below `hi`. A range has every value that is
 * meant, and may have neighbours that the key cannot tell from them: who wants
 * to be exact compares the values.
 */
struct key_range {
    tr_pack_key lo;
    tr_pack_key hi;
};

/* Numbers from `lo` to `hi`, both included: with lo == hi those that are equal
 * by value. NaN is in none. */
void key_range_numbers(double lo, double hi, struct key_range *out);

/* Times within these seconds, with whatever fraction; both included. */
void key_range_times(int64_t lo, int64_t hi, struct key_range *out);

/* Texts that begin with `prefix`: of kind STRING, or LANG. */
void key_range_texts(enum tr_pack_kind kind, tr_str prefix,
                     struct key_range *out);

#endif
