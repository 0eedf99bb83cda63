/*
 * pack/key_inside.h - what those who write and read keys agree on.
 */
#ifndef TR_PACK_KEY_INSIDE_H
#define TR_PACK_KEY_INSIDE_H

#include "pack/key.h"

#include <math.h>

/* The first byte of a key. */
enum tr_pack_key_start {
    TR_PACK_KEY_BOOLEAN = 0x10,
    TR_PACK_KEY_NUMBER = 0x20,
    TR_PACK_KEY_TIME = 0x30,
    TR_PACK_KEY_TEXT = 0x40,
    TR_PACK_KEY_LANGUAGE = 0x50,
    TR_PACK_KEY_OTHER = 0x60,
    TR_PACK_KEY_REFERENCE = 0x70
};

/* What follows the double of a number, and the seconds of a time. */
enum tr_pack_key_next {
    TR_PACK_KEY_CANONICAL_TIME = 0x00,
    TR_PACK_KEY_OTHER_TIME = 0x01,
    TR_PACK_KEY_SMALL_INTEGER = 0x01,
    TR_PACK_KEY_LARGE_INTEGER = 0x02,
    TR_PACK_KEY_NUMBER_TYPE = 0x10 /* plus the index of the type */
};

/* How a text is cut. */
enum {
    TR_PACK_KEY_TEXT_MAX = 64,
    TR_PACK_KEY_LANGUAGE_MAX = 35,
    TR_PACK_KEY_CUT_START = 32,
    TR_PACK_KEY_CUT_DIGEST = 16,
    TR_PACK_KEY_CUT_LEN = TR_PACK_KEY_CUT_START + 1 + TR_PACK_KEY_CUT_DIGEST,
    TR_PACK_KEY_CUT = 0xFE
};

/* No other integer has the double of one below this: 2^53 + 1 has that of 2^53.
 */
#define TR_PACK_KEY_EXACT (INT64_C(1) << 53)

static inline bool tr_pack_key_is_exact(int64_t integer)
{
    return integer > -TR_PACK_KEY_EXACT && integer < TR_PACK_KEY_EXACT;
}

#define TR_PACK_KEY_SIGN (UINT64_C(1) << 63)

/* Doubles as integers that sort as they do; NaN is the last. */
static inline uint64_t tr_pack_key_double(double number)
{
    uint64_t bits;
    if (isnan(number))
        return UINT64_MAX;
    if (number == 0)
        number = 0; /* there are two zeros */
    memcpy(&bits, &number, sizeof(bits));
    return bits & TR_PACK_KEY_SIGN ? ~bits : bits | TR_PACK_KEY_SIGN;
}

/* The same for signed integers; and back. */
static inline uint64_t tr_pack_key_signed(int64_t integer)
{
    return (uint64_t)integer ^ TR_PACK_KEY_SIGN;
}

/* The times that sort, by their index in a key; it stands in stores. */
enum tr_rdf_xsd_type tr_pack_key_time_type(uint64_t index);

static inline void tr_pack_key_putc(tr_pack_key *key, int byte)
{
    key->bytes[key->len++] = (char)byte;
}

static inline void tr_pack_key_put_u64(tr_pack_key *key, uint64_t number)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        tr_pack_key_putc(key, (int)(number >> shift & 0xFF));
}

static inline void tr_pack_key_put(tr_pack_key *key, tr_str bytes)
{
    if (bytes.len)
        memcpy(key->bytes + key->len, bytes.ptr, bytes.len);
    key->len += bytes.len;
}

#endif
