/*
 * pack/canonical.h - literals that are their value: integers and times.
 *
 * Only a text that would be written back byte for byte is taken: to RDF "+5"
 * and "5" are different terms (RDF 1.1 Concepts, 3.3).
 */
#ifndef TR_PACK_CANONICAL_H
#define TR_PACK_CANONICAL_H

#include "base/str.h"

/* The longest text that is written here. */
#define TR_PACK_CANONICAL_TEXT 32

/* An xsd:integer of 64 bits. */
bool tr_pack_integer_parse(tr_str text, int64_t *out);
tr_str tr_pack_integer_write(int64_t value, char text[TR_PACK_CANONICAL_TEXT]);

/* The seconds that a canonical time can have: the years 0000 to 9999. */
#define TR_PACK_TIME_MIN INT64_C(-62167219200)
#define TR_PACK_TIME_MAX INT64_C(253402300799)

/* An xsd:dateTime in UTC without a fraction, as seconds from 1970 on. */
bool tr_pack_time_parse(tr_str text, int64_t *out_seconds);
tr_str tr_pack_time_write(int64_t seconds, char text[TR_PACK_CANONICAL_TEXT]);

#endif
