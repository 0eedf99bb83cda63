/*
 * pack/number.h - numbers as values and bodies have them: LEB128, zigzag.
 *
 * Seven bits a byte, the lowest first; all bytes but the last have their top
 * bit set. There is one form of each number, the shortest: others are refused,
 * so that equal values have equal bytes.
 */
#ifndef TR_PACK_NUMBER_H
#define TR_PACK_NUMBER_H

#include "base/compiler.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes that 64 bits take. */
#define TR_PACK_NUMBER_BYTES 10

/* Returns where the number ends. */
static inline char *tr_pack_number_put(char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (char)(value | 0x80);
    *to++ = (char)value;
    return to;
}

static inline size_t tr_pack_number_len(uint64_t value)
{
    size_t len = 1;
    while (value >>= 7)
        len++;
    return len;
}

/* For tr_pack_number_get: those of more than one byte. */
static inline const char *
tr_pack_number_get_more(const char *at, const char *end, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        uint64_t bits = (unsigned char)*at++;
        value |= (bits & 0x7F) << shift;
        if (bits >= 0x80)
            continue;
        /* A last byte of 0 says nothing, and of the tenth one bit counts. */
        if ((bits == 0 && shift) || (shift == 63 && bits > 1))
            return NULL;
        *out = value;
        return at;
    }
    return NULL;
}

/* Returns where the number ends, NULL when there is none. */
static inline const char *tr_pack_number_get(const char *at, const char *end,
                                             uint64_t *out)
{
    if (at < end && (unsigned char)*at < 0x80) {
        *out = (unsigned char)*at;
        return at + 1;
    }
    return tr_pack_number_get_more(at, end, out);
}

/* Numbers near 0, of either sign, become small ones; and back. */
static inline uint64_t tr_pack_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t tr_pack_unzigzag(uint64_t folded)
{
    return (int64_t)(folded >> 1 ^ (~(folded & 1) + 1));
}

#endif
