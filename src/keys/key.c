#include "crypto/digest.h"
#include "keys/key_inside.h"
#include "rdf/xsd.h"

#include <assert.h>
#include <math.h>

static void put_byte(struct tr_key *key, unsigned byte)
{
    assert(key->len < sizeof(key->bytes));
    key->bytes[key->len++] = (char)byte;
}

static void put_u64(struct tr_key *key, uint64_t number)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        put_byte(key, (unsigned)(number >> shift & 0xFF));
}

static void put_digest(struct tr_key *key, tr_str text, size_t bytes)
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    tr_crypto_sha256(text, digest);
    for (size_t i = 0; i < bytes; i++)
        put_byte(key, digest[i]);
}

static void invert(struct tr_key *key, size_t from)
{
    for (size_t i = from; i < key->len; i++)
        key->bytes[i] = (char)~key->bytes[i];
}

/* As much of a text as a part has; false when that is not all. */
static bool put_start(struct tr_key *key, tr_str text)
{
    size_t room = TR_KEY_TEXT;
    for (size_t i = 0; i < text.len; i++) {
        size_t bytes = text.ptr[i] ? 1 : 2;
        if (room < bytes)
            return false;
        room -= bytes;
        put_byte(key, (unsigned char)text.ptr[i]);
        if (!text.ptr[i])
            put_byte(key, TR_KEY_NUL);
    }
    return true;
}

static void put_text(struct tr_key *key, tr_str text)
{
    bool is_whole = put_start(key, text);
    put_byte(key, 0);
    put_byte(key, is_whole ? TR_KEY_END : TR_KEY_CUT);
    if (!is_whole)
        put_digest(key, text, TR_KEY_TEXT_DIGEST);
}

/* Numbers ---------------------------------------------------------------- */

/* Doubles as integers that sort as they do. */
static uint64_t sortable(double number)
{
    uint64_t bits;
    if (number == 0)
        number = 0; /* there are two zeros */
    memcpy(&bits, &number, sizeof(bits));
    return bits & TR_KEY_SIGN ? ~bits : bits | TR_KEY_SIGN;
}

/*
 * Where a decimal stands beside the shortest one with its double. With up to 15
 * digits it is that one, since no other such decimal has the double.
 */
static int side_of(const tr_json_decimal *decimal, double number)
{
    char text[TR_JSON_DOUBLE_TEXT_MAX];
    if (decimal->count <= 15 && fabs(number) < 1e300 &&
        (fabs(number) > 1e-290 || decimal->count == 0))
        return 0;
    if (isinf(number))
        return decimal->negative ? 1 : -1; /* no decimal is infinite */
    size_t len = tr_json_double_write(number, text);
    return tr_json_decimal_cmp(*decimal,
                               tr_json_decimal_of((tr_str){text, len}));
}

static void put_digits(struct tr_key *key, const tr_json_decimal *decimal)
{
    size_t from = key->len;
    int64_t top = tr_json_decimal_top(decimal);
    int64_t bound = TR_KEY_TOP - 1;
    top = top < -bound ? -bound : top > bound ? bound : top;
    uint64_t shown = (uint64_t)(top + (int64_t)TR_KEY_TOP);
    for (int shift = 24; shift >= 0; shift -= 8)
        put_byte(key, (unsigned)(shown >> shift & 0xFF));
    size_t at = 0;
    for (size_t i = 0; i < decimal->count && i < TR_KEY_DIGITS; i++)
        put_byte(key, (unsigned char)tr_json_decimal_digit(decimal, &at));
    if (decimal->count > TR_KEY_DIGITS) {
        uint64_t rest = tr_json_decimal_hash(*decimal, 0);
        put_byte(key, TR_KEY_CUT);
        put_u64(key, rest);
    }
    put_byte(key, TR_KEY_END);
    if (decimal->negative)
        invert(key, from);
}

static void put_decimal(struct tr_key *key, const tr_json_decimal *decimal)
{
    double number = tr_rdf_xsd_decimal_to_double(decimal, false);
    int side = side_of(decimal, number);
    put_byte(key, TR_KEY_TAG_NUMBER);
    put_u64(key, sortable(number));
    put_byte(key, side < 0   ? TR_KEY_BELOW
                  : side > 0 ? TR_KEY_ABOVE
                             : TR_KEY_EXACT);
    if (side != 0)
        put_digits(key, decimal);
}

static void put_double(struct tr_key *key, double number)
{
    put_byte(key, TR_KEY_TAG_NUMBER);
    put_u64(key, sortable(number));
    put_byte(key, TR_KEY_EXACT);
}

/* Times ------------------------------------------------------------------ */

static void put_seconds(struct tr_key *key, int64_t seconds, tr_str fraction)
{
    put_u64(key, (uint64_t)seconds ^ TR_KEY_SIGN);
    put_text(key, fraction);
}

static void put_moment(struct tr_key *key, unsigned tag,
                       const tr_rdf_xsd_moment *moment)
{
    put_byte(key, tag);
    put_seconds(key, moment->seconds, moment->fraction);
    put_byte(key, moment->has_zone);
}

static void put_duration(struct tr_key *key,
                         const tr_rdf_xsd_duration *duration)
{
    bool is_zero = duration->seconds == 0 && duration->fraction.len == 0;
    bool is_negative = duration->is_negative && !is_zero;
    put_byte(key, TR_KEY_TAG_DURATION);
    put_byte(key, !is_negative);
    size_t from = key->len;
    put_seconds(key, duration->seconds, duration->fraction);
    if (is_negative)
        invert(key, from);
}

/* Values ----------------------------------------------------------------- */

static bool is_text(enum tr_rdf_xsd_type type)
{
    return type >= TR_RDF_XSD_STRING && type <= TR_RDF_XSD_NCNAME;
}

static bool put_time(struct tr_key *key, const tr_rdf_xsd_value *value)
{
    unsigned tag = value->type == TR_RDF_XSD_DATE   ? TR_KEY_TAG_DATE
                   : value->type == TR_RDF_XSD_TIME ? TR_KEY_TAG_TIME
                                                    : TR_KEY_TAG_DATE_TIME;
    if (value->as.moment.is_huge)
        return false;
    put_moment(key, tag, &value->as.moment);
    return true;
}

/* False for a value that does not sort. */
static bool put_value(struct tr_key *key, const tr_rdf_xsd_value *value)
{
    enum tr_rdf_xsd_type type = value->type;
    if (type == TR_RDF_XSD_BOOLEAN) {
        put_byte(key, TR_KEY_TAG_BOOLEAN);
        put_byte(key, value->as.boolean);
    } else if (type == TR_RDF_XSD_DOUBLE || type == TR_RDF_XSD_FLOAT) {
        if (isnan(value->as.number))
            return false;
        put_double(key, value->as.number);
    } else if (tr_rdf_xsd_is_numeric(type)) {
        put_decimal(key, &value->as.decimal);
    } else if (type >= TR_RDF_XSD_DATE_TIME && type <= TR_RDF_XSD_TIME) {
        return put_time(key, value);
    } else if (type == TR_RDF_XSD_DAY_TIME_DURATION) {
        if (value->as.duration.is_huge)
            return false;
        put_duration(key, &value->as.duration);
    } else {
        return false;
    }
    return true;
}

static void put_literal(struct tr_key *key, const tr_rdf_term *term)
{
    enum tr_rdf_xsd_type type = tr_rdf_xsd_type_of(term->datatype);
    tr_rdf_xsd_value value;
    if (is_text(type) || type == TR_RDF_XSD_ANY_URI) {
        put_byte(key, is_text(type) ? TR_KEY_TAG_STRING : TR_KEY_TAG_URI);
        put_text(key, term->text);
        return;
    }
    if (term->language.len) {
        put_byte(key, TR_KEY_TAG_LANGUAGE);
        put_text(key, term->text);
        put_text(key, term->language);
        return;
    }
    if (type != TR_RDF_XSD_UNKNOWN && tr_rdf_xsd_parse(term, &value) &&
        put_value(key, &value))
        return;
    put_byte(key, TR_KEY_TAG_OTHER);
    put_text(key, term->datatype);
    put_text(key, term->text);
}

void tr_key_put(struct tr_key *key, const tr_rdf_term *term, uint64_t reference,
                bool descending)
{
    size_t from = key->len;
    if (!term) {
        put_byte(key, TR_KEY_TAG_NONE);
        return;
    }
    if (term->kind == TR_RDF_TERM_LITERAL) {
        put_literal(key, term);
    } else {
        put_byte(key, TR_KEY_TAG_REFERENCE);
        put_u64(key, reference);
    }
    if (descending)
        invert(key, from);
}

bool tr_key_put_prefix(struct tr_key *key, tr_str text, bool is_uri,
                       bool descending)
{
    size_t from = key->len;
    put_byte(key, is_uri ? TR_KEY_TAG_URI : TR_KEY_TAG_STRING);
    bool is_whole = put_start(key, text);
    if (descending)
        invert(key, from);
    return is_whole;
}

void tr_key_follow(struct tr_key *key)
{
    while (key->len && (unsigned char)key->bytes[key->len - 1] == 0xFF)
        key->len--;
    if (key->len)
        key->bytes[key->len - 1]++;
}
