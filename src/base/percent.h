/*
 * base/percent.h - percent-encoding, RFC 3986 section 2.1.
 */
#ifndef TR_BASE_PERCENT_H
#define TR_BASE_PERCENT_H

#include "base/buf.h"

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
