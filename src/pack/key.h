/*
 * pack/key.h - the bytes under which a value stands in an index.
 *
 * The order is that of the bytes, then of the length (tr_str_cmp; BLOBs in
 * SQL): numbers of all types by value, times by instant, texts by their bytes.
 * Two keys are equal exactly when their terms are.
 *
 *     10 boolean   00 or 01; the text when it is not canonical
 *     20 number    8 bytes: the nearest double, so that it sorts; then
 *                  01 for a canonical xsd:integer below 2^53, else
 *                  02, 8 bytes when it is an integer of 64 bits and not below,
 *                  and, unless it is a canonical xsd:integer,
 *                  10 + the index of its type, the text
 *     30 time      8 bytes: seconds in UTC, without a zone as if in UTC; then
 *                  00 when canonical, else
 *                  01, 4 bytes nanoseconds, the index of its type, the text
 *     40 text      the text: xsd:string
 *     50 language  the text, 00, the language
 *     60 other     8 bytes: the number of the datatype; the text; also what is
 *                  no value of its datatype
 *     70 reference 8 bytes: the number of the IRI
 *
 * A text of more than 64 bytes is cut: its first 32 bytes, FE, and 16 bytes of
 * its SHA-256; so is a language of more than 35. FE is not in UTF-8, which
 * texts must be, so that none looks like a cut one. Cut texts sort by 32 bytes
 * only, and numbers that have one nearest double, integers of 64 bits excepted,
 * by their type and text.
 */
#ifndef TR_PACK_KEY_H
#define TR_PACK_KEY_H

#include "pack/value.h"
#include "rdf/xsd.h"

/* No key is longer. */
#define TR_PACK_KEY_MAX 120

typedef struct tr_pack_key {
    size_t len;
    char bytes[TR_PACK_KEY_MAX];
} tr_pack_key;

static inline tr_str tr_pack_key_str(const tr_pack_key *key)
{
    return (tr_str){key->bytes, key->len};
}

/*
 * The key of a value that is not LONG: of a long one the whole has to be got
 * first. `datatype` is that of a TYPED value and does not matter to others.
 */
void tr_pack_key_make(const struct tr_pack_value *value,
                      enum tr_rdf_xsd_type datatype, tr_pack_key *out);

/* What a key says of its value. */
struct tr_pack_key_value {
    struct tr_pack_value value;
    tr_str
        datatype; /* of a TYPED value without a number: its IRI; else empty */
    bool is_cut;  /* not the whole text is there: ask the statement */
};

/* TR_E_IO for bytes that are no key: the store is damaged. */
TR_NODISCARD tr_status tr_pack_key_get(tr_str key,
                                       struct tr_pack_key_value *out,
                                       struct tr_err *err);

#endif
