/*
 * keys/key_inside.h - what those who write and read keys agree on.
 */
#ifndef TR_KEYS_KEY_INSIDE_H
#define TR_KEYS_KEY_INSIDE_H

#include "keys/key.h"

/* The first byte of a part. */
enum tr_key_tag {
    TR_KEY_TAG_BOOLEAN = 0x10,
    TR_KEY_TAG_NUMBER = 0x20,
    TR_KEY_TAG_DATE_TIME = 0x30,
    TR_KEY_TAG_DATE = 0x31,
    TR_KEY_TAG_TIME = 0x32,
    TR_KEY_TAG_DURATION = 0x38,
    TR_KEY_TAG_STRING = 0x40,
    TR_KEY_TAG_URI = 0x48,
    TR_KEY_TAG_LANGUAGE = 0x50,
    TR_KEY_TAG_OTHER = 0x60,
    TR_KEY_TAG_REFERENCE = 0x70,
    TR_KEY_TAG_NONE = 0xFF
};

/* What follows the double of a number. */
enum tr_key_side {
    TR_KEY_BELOW = 0x40,
    TR_KEY_EXACT = 0x80,
    TR_KEY_ABOVE = 0xC0
};

/* What follows 00 in a text; what ends digits. */
enum { TR_KEY_END = 0x00, TR_KEY_CUT = 0x01, TR_KEY_NUL = 0xFF };

enum { TR_KEY_TEXT_DIGEST = 16, TR_KEY_DIGITS_DIGEST = 8 };

#define TR_KEY_SIGN (UINT64_C(1) << 63)

/* Of the digits before the point, so that they sort. */
#define TR_KEY_TOP (UINT32_C(1) << 31)

#endif
