/*
 * base/utf8.h - UTF-8 as RFC 3629 has it: no surrogates, nothing overlong,
 * nothing above U+10FFFF.
 */
#ifndef TR_BASE_UTF8_H
#define TR_BASE_UTF8_H

#include "base/str.h"

/* Bytes of the well-formed sequence `s` starts with, 0 if there is none. */
size_t tr_utf8_sequence(tr_str s);

/* As tr_utf8_sequence, and writes the code point. */
size_t tr_utf8_decode(tr_str s, uint32_t *out);

/* Bytes written to `out`; 0 when `code_point` is none. */
size_t tr_utf8_encode(uint32_t code_point, char out[4]);

/* Length of the longest well-formed start of `s`: s.len when all is well. */
size_t tr_utf8_valid_len(tr_str s);

static inline bool tr_utf8_is_valid(tr_str s)
{
    return tr_utf8_valid_len(s) == s.len;
}

/* Code points of well-formed `s`; of any bytes, those that start one. */
size_t tr_utf8_count(tr_str s);

#endif
