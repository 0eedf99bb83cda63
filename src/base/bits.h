/*
 * base/bits.h - words turned round; by 1 to one less than their width.
 */
#ifndef TR_BASE_BITS_H
#define TR_BASE_BITS_H

#include <stdint.h>

static inline uint64_t tr_bits_rotate_left(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

static inline uint32_t tr_bits_rotate_right_32(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

#endif
