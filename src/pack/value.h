/*
 * pack/value.h - the bytes of a value: what a statement says of its subject.
 *
 * Exact and short, in no useful order (key.h has one). The first byte is the
 * kind. Numbers are LEB128: seven bits a byte, the lowest first, in the fewest
 * bytes; equal values so have equal bytes, LONG ones but for their row.
 *
 *     01 number             a reference: the number of an IRI
 *     02, 03                xsd:boolean "false", "true"
 *     04 zigzag             xsd:integer of 64 bits, canonical (canonical.h)
 *     05 zigzag seconds     xsd:dateTime in UTC, no fraction, canonical
 *     06 text               xsd:string
 *     07 datatype, text     any other literal as it was spelled; the number of
 *                           the IRI of its datatype
 *     08 len, language, text    a literal with a language
 *     09 len, SHA-256, row  the length and digest of a value over 1,000 bytes,
 *                           which stands elsewhere under the number `row`
 *
 * The text is the rest of a value, so that NUL needs nothing. An IRI's number
 * is its sequence number in the term table, without the tag of rows/term_id.h:
 * the caller looks it up. All texts are views of the bytes or of the term.
 */
#ifndef TR_PACK_VALUE_H
#define TR_PACK_VALUE_H

#include "pack/canonical.h"
#include "rdf/term.h"

enum tr_pack_kind {
    TR_PACK_REFERENCE = 1,
    TR_PACK_FALSE,
    TR_PACK_TRUE,
    TR_PACK_INTEGER,
    TR_PACK_TIME,
    TR_PACK_STRING,
    TR_PACK_TYPED,
    TR_PACK_LANG,
    TR_PACK_LONG
};

/* A longer value stands in a row of its own, and only a LONG one in its place.
 */
#define TR_PACK_VALUE_MAX ((size_t)1000)

/* Numbers of IRIs, graphs and rows are 1 to this one: ids have 63 bits, of
 * which four are a tag. */
#define TR_PACK_NUMBER_MAX ((UINT64_C(1) << 59) - 1)

struct tr_pack_value {
    enum tr_pack_kind kind;
    uint64_t number; /* of the REFERENCE, of a TYPED one's datatype, or row */
    int64_t scalar;  /* the INTEGER, or the seconds of a TIME */
    tr_str text;     /* of STRING, TYPED and LANG; of a LONG one its digest */
    tr_str language; /* of LANG */
    uint64_t len;    /* of LONG: the bytes of the value that it stands for */
};

/*
 * The value of a term. The caller fills in `number`: for a REFERENCE that of
 * term->text, for a TYPED one that of term->datatype. False for a blank node
 * and for no term.
 */
bool tr_pack_value_of(const tr_rdf_term *term, struct tr_pack_value *out);

/* The bytes of a value, of whatever length. */
void tr_pack_value_put(struct tr_buf *out, const struct tr_pack_value *value);

/* Whether these bytes of a value have to stand in a row of their own. */
static inline bool tr_pack_value_is_long(tr_str bytes)
{
    return bytes.len > TR_PACK_VALUE_MAX;
}

/* Enough for any LONG value. */
#define TR_PACK_LONG_MAX 64

/* What stands for the long value `bytes`, which has the number `row`. */
void tr_pack_value_put_long(struct tr_buf *out, tr_str bytes, uint64_t row);

/* TR_E_IO for bytes that are no value: the store is damaged. */
TR_NODISCARD tr_status tr_pack_value_get(tr_str bytes,
                                         struct tr_pack_value *out,
                                         struct tr_err *err);

/*
 * The term of a value that is not LONG. `iri` is what its number stands for, if
 * it has one; the text of an INTEGER or TIME is written to `text`.
 */
tr_rdf_term tr_pack_value_term(const struct tr_pack_value *value, tr_str iri,
                               char text[TR_PACK_CANONICAL_TEXT]);

/* The bytes that say which value it is: all, but not the row of a LONG one.
 * What begins with the identity of a LONG value is that value. */
tr_str tr_pack_value_identity(tr_str bytes);

/* An order of values, and whether two are the same: that of the bytes of their
 * identities. The bytes need not be sound. */
int tr_pack_value_cmp(tr_str a, tr_str b);

#endif
