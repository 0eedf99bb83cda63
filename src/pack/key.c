#include "crypto/digest.h"
#include "pack/key_inside.h"

#include <assert.h>

/* These numbers stand in stores: a new type goes to the end. */
_Static_assert(TR_RDF_XSD_FLOAT - TR_RDF_XSD_DECIMAL == 15,
               "the numeric types have their place in keys");

static const enum tr_rdf_xsd_type time_types[] = {
    TR_RDF_XSD_DATE_TIME, TR_RDF_XSD_DATE, TR_RDF_XSD_DATE_TIME_STAMP};

enum { NANO_DIGITS = 9 };

enum tr_rdf_xsd_type tr_pack_key_time_type(uint64_t index)
{
    return index < TR_LEN(time_types) ? time_types[index] : TR_RDF_XSD_UNKNOWN;
}

/* -1 for a type that is none of them. */
static int time_index(enum tr_rdf_xsd_type type)
{
    for (size_t i = 0; i < TR_LEN(time_types); i++) {
        if (time_types[i] == type)
            return (int)i;
    }
    return -1;
}

static void put_text(tr_pack_key *key, tr_str text, size_t max)
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    if (text.len <= max) {
        tr_pack_key_put(key, text);
        return;
    }
    tr_crypto_sha256(text, digest);
    tr_pack_key_put(key, (tr_str){text.ptr, TR_PACK_KEY_CUT_START});
    tr_pack_key_putc(key, TR_PACK_KEY_CUT);
    tr_pack_key_put(key,
                    (tr_str){(const char *)digest, TR_PACK_KEY_CUT_DIGEST});
}

static void put_start(tr_pack_key *key, int start, uint64_t number)
{
    tr_pack_key_putc(key, start);
    tr_pack_key_put_u64(key, number);
}

static void put_large(tr_pack_key *key, int64_t integer)
{
    tr_pack_key_putc(key, TR_PACK_KEY_LARGE_INTEGER);
    tr_pack_key_put_u64(key, tr_pack_key_signed(integer));
}

static void put_integer(tr_pack_key *key, int64_t integer)
{
    put_start(key, TR_PACK_KEY_NUMBER, tr_pack_key_double((double)integer));
    if (tr_pack_key_is_exact(integer))
        tr_pack_key_putc(key, TR_PACK_KEY_SMALL_INTEGER);
    else
        put_large(key, integer);
}

/* Integers of all types sort exactly, as far as 64 bits reach. */
static void put_number(tr_pack_key *key, const tr_rdf_xsd_value *value)
{
    bool is_decimal = value->type < TR_RDF_XSD_DOUBLE;
    int64_t integer;
    double number =
        is_decimal ? tr_rdf_xsd_decimal_to_double(&value->as.decimal, false)
                   : value->as.number;
    put_start(key, TR_PACK_KEY_NUMBER, tr_pack_key_double(number));
    if (is_decimal && tr_json_decimal_to_i64(value->as.decimal, &integer) &&
        !tr_pack_key_is_exact(integer))
        put_large(key, integer);
    tr_pack_key_putc(key, TR_PACK_KEY_NUMBER_TYPE + (int)value->type -
                              TR_RDF_XSD_DECIMAL);
    put_text(key, value->term.text, TR_PACK_KEY_TEXT_MAX);
}

/* Digits beyond nanoseconds are left to the text. */
static uint64_t nanos_of(tr_str fraction)
{
    uint64_t nanos = 0;
    for (size_t i = 0; i < NANO_DIGITS; i++)
        nanos = nanos * 10 +
                (i < fraction.len ? (uint64_t)(fraction.ptr[i] - '0') : 0);
    return nanos;
}

static void put_time(tr_pack_key *key, const tr_rdf_xsd_value *value)
{
    const tr_rdf_xsd_moment *moment = &value->as.moment;
    uint64_t nanos = nanos_of(moment->fraction);
    put_start(key, TR_PACK_KEY_TIME, tr_pack_key_signed(moment->seconds));
    tr_pack_key_putc(key, TR_PACK_KEY_OTHER_TIME);
    for (int shift = 24; shift >= 0; shift -= 8)
        tr_pack_key_putc(key, (int)(nanos >> shift & 0xFF));
    tr_pack_key_putc(key, time_index(value->type));
    put_text(key, value->term.text, TR_PACK_KEY_TEXT_MAX);
}

/* False when the literal is not one of those that sort by their value. */
static bool put_typed(tr_pack_key *key, enum tr_rdf_xsd_type type, tr_str text)
{
    tr_rdf_term term = tr_rdf_term_typed(text, tr_rdf_xsd_iri(type));
    tr_rdf_xsd_value value;
    bool is_number = tr_rdf_xsd_is_numeric(type);
    bool is_time = time_index(type) >= 0;
    if ((!is_number && !is_time && type != TR_RDF_XSD_BOOLEAN) ||
        !tr_rdf_xsd_parse(&term, &value) ||
        (is_time && value.as.moment.is_huge))
        return false;
    if (is_number) {
        put_number(key, &value);
    } else if (is_time) {
        put_time(key, &value);
    } else {
        tr_pack_key_putc(key, TR_PACK_KEY_BOOLEAN);
        tr_pack_key_putc(key, value.as.boolean);
        put_text(key, text, TR_PACK_KEY_TEXT_MAX);
    }
    return true;
}

/* NUL comes before all that can follow in a longer text; a language has none.
 */
static void put_language(tr_pack_key *key, tr_str text, tr_str language)
{
    tr_pack_key_putc(key, TR_PACK_KEY_LANGUAGE);
    put_text(key, text, TR_PACK_KEY_TEXT_MAX);
    tr_pack_key_putc(key, 0);
    put_text(key, language, TR_PACK_KEY_LANGUAGE_MAX);
}

void tr_pack_key_make(const struct tr_pack_value *value,
                      enum tr_rdf_xsd_type datatype, tr_pack_key *out)
{
    assert(value->kind != TR_PACK_LONG && "the whole of a long one is got");
    out->len = 0;
    switch (value->kind) {
    case TR_PACK_REFERENCE:
        put_start(out, TR_PACK_KEY_REFERENCE, value->number);
        break;
    case TR_PACK_FALSE:
    case TR_PACK_TRUE:
        tr_pack_key_putc(out, TR_PACK_KEY_BOOLEAN);
        tr_pack_key_putc(out, value->kind == TR_PACK_TRUE);
        break;
    case TR_PACK_INTEGER:
        put_integer(out, value->scalar);
        break;
    case TR_PACK_TIME:
        put_start(out, TR_PACK_KEY_TIME, tr_pack_key_signed(value->scalar));
        tr_pack_key_putc(out, TR_PACK_KEY_CANONICAL_TIME);
        break;
    case TR_PACK_STRING:
        tr_pack_key_putc(out, TR_PACK_KEY_TEXT);
        put_text(out, value->text, TR_PACK_KEY_TEXT_MAX);
        break;
    case TR_PACK_TYPED:
        if (put_typed(out, datatype, value->text))
            break;
        put_start(out, TR_PACK_KEY_OTHER, value->number);
        put_text(out, value->text, TR_PACK_KEY_TEXT_MAX);
        break;
    case TR_PACK_LANG:
        put_language(out, value->text, value->language);
        break;
    case TR_PACK_LONG:
        break;
    }
}
