/*
 * keys/key.h - the bytes under which values stand in an index.
 *
 * A key is one part for each field. Keys compare by their bytes, then their
 * length (tr_str_cmp; BLOBs in SQL), as their values do, part by part: numbers
 * of all types by value, times by instant, texts by their bytes. Parts are
 * equal when the values are, however they are spelt; no part begins another.
 *
 *     10 boolean    00 or 01
 *     20 number     8 bytes: the nearest double, so that it sorts; then
 *                   80 when the number is the shortest decimal that reads back
 *                   as that double, or is a double itself, else 40 below it or
 *                   C0 above it, 4 bytes: digits before the point, the digits,
 *                   and 00; these inverted below zero
 *     30 dateTime   8 bytes: seconds in UTC, without a zone as if in UTC; the
 *     31 date       fraction as a text; 01 with a zone, else 00
 *     32 time
 *     38 duration   00 below zero, else 01; 8 bytes: seconds; the fraction as a
 *                   text; these inverted below zero
 *     40 string     a text
 *     48 URI        a text
 *     50 language   a text, and the language as one
 *     60 other      the datatype as a text, and the text; also what is no value
 *                   of its datatype
 *     70 reference  8 bytes: the id
 *     FF            without a value
 *
 * A text ends with 00 00, and a 00 in it is 00 FF. Of one that needs more than
 * TR_KEY_TEXT bytes these are followed by 00 01 and 16 bytes of its SHA-256;
 * of more than TR_KEY_DIGITS digits by 01 and 8 bytes. Such values are told
 * apart, but sort by what is left of them. A descending part is inverted, but
 * FF: without a value is last either way.
 */
#ifndef TR_KEYS_KEY_H
#define TR_KEYS_KEY_H

#include "base/limits.h"
#include "rdf/term.h"

#define TR_KEY_TEXT   96
#define TR_KEY_DIGITS 64

/* No part is longer: two texts that are cut, and the byte before them. */
#define TR_KEY_PART_MAX (2 * (TR_KEY_TEXT + 18) + 1)
#define TR_KEY_MAX      (TR_LIMIT_INDEX_FIELDS * TR_KEY_PART_MAX)

struct tr_key {
    size_t len;
    char bytes[TR_KEY_MAX];
};

static inline tr_str tr_key_str(const struct tr_key *key)
{
    return (tr_str){key->bytes, key->len};
}

/* Copies what a key has, which is mostly little of its room. */
static inline void tr_key_copy(struct tr_key *to, const struct tr_key *from)
{
    to->len = from->len;
    memcpy(to->bytes, from->bytes, from->len);
}

/* Adds the part of a term; NULL: without a value. `reference` is the id of a
 * resource. There must be room: at most TR_LIMIT_INDEX_FIELDS parts. */
void tr_key_put(struct tr_key *key, const tr_rdf_term *term, uint64_t reference,
                bool descending);

/* Adds what the parts of all strings have in common that begin with `text`, or
 * of all URIs. False when longer than parts hold: others have it, too. */
bool tr_key_put_prefix(struct tr_key *key, tr_str text, bool is_uri,
                       bool descending);

/* Makes the least key that is greater than all that begin with this one. */
void tr_key_follow(struct tr_key *key);

/* The bytes of the part that a key begins with; 0 when that is none. */
size_t tr_key_part_len(tr_str key);

enum tr_key_kind {
    TR_KEY_NONE, /* without a value */
    TR_KEY_BOOLEAN,
    TR_KEY_NUMBER,
    TR_KEY_TEXT_OF,   /* a string or a URI */
    TR_KEY_REFERENCE, /* `reference` is the id of a resource */
    TR_KEY_OTHER,     /* ask the node */
};

/* What a part says of its value. */
struct tr_key_value {
    enum tr_key_kind kind;
    bool is_whole; /* `text` is all of the value; of OTHER it never is */
    bool boolean;
    double number; /* the nearest */
    uint64_t reference;
    tr_str text; /* of a text; of a number an exact decimal, which need not be
                    the canonical one: 12, 0.5, 1e21, 125E-1 */
    char room[TR_KEY_TEXT + TR_KEY_DIGITS]; /* where it stands */
};

/* False for bytes that are no part. */
bool tr_key_read(tr_str part, struct tr_key_value *out);

#endif
