/*
 * json/pow10.h - powers of ten, for doubles: the 128 leading bits of 10^k,
 * rounded down, plus one.
 */
#ifndef TR_JSON_POW10_H
#define TR_JSON_POW10_H

#include <stdint.h>

#define TR_JSON_POW10_FIRST (-292)
#define TR_JSON_POW10_LAST  324

struct tr_json_pow10 {
    uint64_t high;
    uint64_t low;
};

extern const struct tr_json_pow10
    tr_json_pow10_table[TR_JSON_POW10_LAST - TR_JSON_POW10_FIRST + 1];

#endif
