/*
 * base/text.h - characters: UTF-8, and percent-encoding.
 */
#ifndef TR_BASE_TEXT_H
#define TR_BASE_TEXT_H

#include "base/buf.h"
#include "base/str.h"

/*
 * UTF-8 as RFC 3629 has it: no surrogates, nothing overlong, nothing above
 * U+10FFFF.
 */

/* Bytes of the well-formed sequence `s` starts with, 0 if there is none. */
size_t tr_utf8_sequence(tr_str s);

/* As tr_utf8_sequence, and writes the code point. */
size_t tr_utf8_decode(tr_str s, uint32_t *out);

/* Returns the bytes written to `out`, 0 for what is no code point. */
size_t tr_utf8_encode(uint32_t code_point, char out[4]);

/* Length of the longest well-formed start of `s`: s.len when all is well. */
size_t tr_utf8_valid_len(tr_str s);

static inline bool tr_utf8_is_valid(tr_str s)
{
    return tr_utf8_valid_len(s) == s.len;
}

/* What of `s` is well-formed and fits: no character is cut in two. */
tr_str tr_utf8_cut(tr_str s, size_t max);

/*
 * Makes a text well-formed where it stands: each byte that belongs to no
 * character becomes a '?'.
 */
void tr_utf8_mend(char *text, size_t len);

/*
 * Bytes of the character that `s` begins with when a terminal would obey it: a
 * control, C0 or C1, or one that turns the direction of a text; else 0.
 */
size_t tr_utf8_control(tr_str s);

/* The code points of `s`; in bytes that are no UTF-8, those that start one. */
size_t tr_utf8_count(tr_str s);

/* Percent-encoding, RFC 3986 section 2.1. */

/* Whether a '%' and its two digits stand at text[i]. */
bool tr_percent_is_encoded(tr_str text, size_t i);

/* Appends the text; all is encoded but letters, digits, -._~ and `also`. */
void tr_percent_put(struct tr_buf *out, tr_str text, const char *also);

/*
 * Decodes once into `room`, which has text.len bytes and may be the text
 * itself. False for a '%' without its digits.
 */
bool tr_percent_decode(tr_str text, char *room, tr_str *out);

/* The same, but a '%' without its digits stays as it is. */
tr_str tr_percent_decode_leniently(tr_str text, char *room);

#endif
