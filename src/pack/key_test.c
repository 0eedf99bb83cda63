#include "pack/key.h"

#include "base/limits.h"
#include "base/test.h"
#include "crypto/digest.h"
#include "support/ranges.h"

#include <math.h>

#define DATATYPE 258 /* 01 02 in big-endian bytes */

/* The key of a literal whose datatype has the number DATATYPE. */
static tr_pack_key key_of(const tr_rdf_term *term)
{
    struct tr_pack_value value;
    tr_pack_key key;
    CHECK(tr_pack_value_of(term, &value));
    value.number = DATATYPE;
    tr_pack_key_make(&value, tr_rdf_xsd_type_of(term->datatype), &key);
    CHECK(key.len <= TR_PACK_KEY_MAX);
    return key;
}

static tr_pack_key key_of_typed(const char *text, const char *type)
{
    tr_rdf_term term = tr_rdf_term_typed(tr_str_from(text), tr_str_from(type));
    return key_of(&term);
}

#define XSD(name) TR_RDF_NS_XSD name
#define ONE       "\xBF\xF0\0\0\0\0\0\0" /* 1.0 */

/* These bytes stand in stores: they must not change. */
static const struct row {
    const char *text;
    const char *type;
    tr_str key;
} rows[] = {
    {"false", XSD("boolean"), TR_STR_INIT("\x10\0")},
    {"true", XSD("boolean"), TR_STR_INIT("\x10\x01")},
    {"0", XSD("boolean"),
     TR_STR_INIT("\x10\0"
                 "0")},
    {"1", XSD("boolean"),
     TR_STR_INIT("\x10\x01"
                 "1")},
    {"TRUE", XSD("boolean"), TR_STR_INIT("\x60\0\0\0\0\0\0\x01\x02TRUE")},
    {"1", XSD("integer"), TR_STR_INIT("\x20" ONE "\x01")},
    {"0", XSD("integer"), TR_STR_INIT("\x20\x80\0\0\0\0\0\0\0\x01")},
    {"-1", XSD("integer"),
     TR_STR_INIT("\x20\x40\x0F\xFF\xFF\xFF\xFF\xFF\xFF\x01")},
    {"9007199254740991", XSD("integer"),
     TR_STR_INIT("\x20\xC3\x3F\xFF\xFF\xFF\xFF\xFF\xFF\x01")},
    {"9007199254740992", XSD("integer"),
     TR_STR_INIT("\x20\xC3\x40\0\0\0\0\0\0\x02\x80\x20\0\0\0\0\0\0")},
    {"9007199254740993", XSD("integer"),
     TR_STR_INIT("\x20\xC3\x40\0\0\0\0\0\0\x02\x80\x20\0\0\0\0\0\x01")},
    {"-9223372036854775808", XSD("integer"),
     TR_STR_INIT("\x20\x3C\x1F\xFF\xFF\xFF\xFF\xFF\xFF\x02\0\0\0\0\0\0\0\0")},
    {"9223372036854775808", XSD("integer"),
     TR_STR_INIT("\x20\xC3\xE0\0\0\0\0\0\0\x11"
                 "9223372036854775808")},
    {"01", XSD("integer"),
     TR_STR_INIT("\x20" ONE "\x11"
                 "01")},
    {"x", XSD("integer"), TR_STR_INIT("\x60\0\0\0\0\0\0\x01\x02x")},
    {"1", XSD("decimal"),
     TR_STR_INIT("\x20" ONE "\x10"
                 "1")},
    {"1", XSD("positiveInteger"),
     TR_STR_INIT("\x20" ONE "\x15"
                 "1")},
    {"0", XSD("positiveInteger"),
     TR_STR_INIT("\x60\0\0\0\0\0\0\x01\x02"
                 "0")},
    {"1", XSD("nonPositiveInteger"),
     TR_STR_INIT("\x60\0\0\0\0\0\0\x01\x02"
                 "1")},
    {"-1", XSD("nonPositiveInteger"),
     TR_STR_INIT("\x20\x40\x0F\xFF\xFF\xFF\xFF\xFF\xFF\x12-1")},
    {"-1", XSD("negativeInteger"),
     TR_STR_INIT("\x20\x40\x0F\xFF\xFF\xFF\xFF\xFF\xFF\x13-1")},
    {"1", XSD("nonNegativeInteger"),
     TR_STR_INIT("\x20" ONE "\x14"
                 "1")},
    {"1", XSD("long"),
     TR_STR_INIT("\x20" ONE "\x16"
                 "1")},
    {"9007199254740993", XSD("long"),
     TR_STR_INIT("\x20\xC3\x40\0\0\0\0\0\0\x02\x80\x20\0\0\0\0\0\x01\x16"
                 "9007199254740993")},
    {"1", XSD("int"),
     TR_STR_INIT("\x20" ONE "\x17"
                 "1")},
    {"1", XSD("short"),
     TR_STR_INIT("\x20" ONE "\x18"
                 "1")},
    {"1", XSD("byte"),
     TR_STR_INIT("\x20" ONE "\x19"
                 "1")},
    {"1", XSD("unsignedLong"),
     TR_STR_INIT("\x20" ONE "\x1A"
                 "1")},
    {"1", XSD("unsignedInt"),
     TR_STR_INIT("\x20" ONE "\x1B"
                 "1")},
    {"1", XSD("unsignedShort"),
     TR_STR_INIT("\x20" ONE "\x1C"
                 "1")},
    {"1", XSD("unsignedByte"),
     TR_STR_INIT("\x20" ONE "\x1D"
                 "1")},
    {"1", XSD("double"),
     TR_STR_INIT("\x20" ONE "\x1E"
                 "1")},
    {"1", XSD("float"),
     TR_STR_INIT("\x20" ONE "\x1F"
                 "1")},
    {"-0", XSD("double"), TR_STR_INIT("\x20\x80\0\0\0\0\0\0\0\x1E-0")},
    {"INF", XSD("double"), TR_STR_INIT("\x20\xFF\xF0\0\0\0\0\0\0\x1EINF")},
    {"-INF", XSD("double"),
     TR_STR_INIT("\x20\0\x0F\xFF\xFF\xFF\xFF\xFF\xFF\x1E-INF")},
    {"NaN", XSD("double"),
     TR_STR_INIT("\x20\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x1ENaN")},
    {"1970-01-01T00:00:01Z", XSD("dateTime"),
     TR_STR_INIT("\x30\x80\0\0\0\0\0\0\x01\0")},
    {"1969-12-31T23:59:59Z", XSD("dateTime"),
     TR_STR_INIT("\x30\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0")},
    {"1970-01-01T00:00:01.5", XSD("dateTime"),
     TR_STR_INIT("\x30\x80\0\0\0\0\0\0\x01\x01\x1D\xCD\x65\0\0"
                 "1970-01-01T00:00:01.5")},
    {"1970-01-01", XSD("date"),
     TR_STR_INIT("\x30\x80\0\0\0\0\0\0\0\x01\0\0\0\0\x01"
                 "1970-01-01")},
    {"1970-01-01T00:00:00Z", XSD("dateTimeStamp"),
     TR_STR_INIT("\x30\x80\0\0\0\0\0\0\0\x01\0\0\0\0\x02"
                 "1970-01-01T00:00:00Z")},
    {"00:00:00", XSD("time"),
     TR_STR_INIT("\x60\0\0\0\0\0\0\x01\x02"
                 "00:00:00")},
    {"999999999999-01-01", XSD("date"),
     TR_STR_INIT("\x60\0\0\0\0\0\0\x01\x02"
                 "999999999999-01-01")},
    {"abc", XSD("string"),
     TR_STR_INIT("\x40"
                 "abc")},
    {"", XSD("string"), TR_STR_INIT("\x40")},
    {"abc", XSD("token"),
     TR_STR_INIT("\x60\0\0\0\0\0\0\x01\x02"
                 "abc")},
    {"", "http://e/t", TR_STR_INIT("\x60\0\0\0\0\0\0\x01\x02")},
};

TEST(key_has_a_form_for_every_kind)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_pack_key key = key_of_typed(rows[i].text, rows[i].type);
        CHECK_ROW(tr_str_eq(tr_pack_key_str(&key), rows[i].key), rows[i].text);
    }
}

TEST(key_of_a_language_has_the_text_first)
{
    tr_rdf_term term = tr_rdf_term_lang(TR_STR("ja"), TR_STR("de-AT"));
    tr_pack_key key = key_of(&term);
    CHECK(tr_str_eq(tr_pack_key_str(&key), TR_STR("\x50ja\0de-AT")));
}

TEST(key_of_a_reference_is_its_number)
{
    tr_rdf_term term = tr_rdf_term_iri(TR_STR("urn:x"));
    tr_pack_key key = key_of(&term);
    CHECK(tr_str_eq(tr_pack_key_str(&key), TR_STR("\x70\0\0\0\0\0\0\x01\x02")));
}

/* The end of a text, after a start of 32 bytes. */
static void put_cut(struct tr_buf *out, tr_str text)
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    tr_crypto_sha256(text, digest);
    tr_buf_put(out, (tr_str){text.ptr, 32});
    tr_buf_putc(out, (char)0xFE);
    tr_buf_put(out, (tr_str){(char *)digest, 16});
}

TEST(key_cuts_a_text_above_64_bytes)
{
    static char text[65];
    char room[TR_PACK_KEY_MAX];
    struct tr_buf want;
    tr_buf_init_fixed(&want, room, sizeof(room));
    memset(text, 'a', sizeof(text));
    tr_rdf_term term = tr_rdf_term_string((tr_str){text, 64});
    CHECK_INT(key_of(&term).len, 65);
    term.text.len = 65;
    tr_pack_key key = key_of(&term);
    tr_buf_putc(&want, 0x40);
    put_cut(&want, term.text);
    CHECK(tr_str_eq(tr_pack_key_str(&key), (tr_str){room, want.len}));
}

TEST(key_cuts_a_language_above_35_bytes)
{
    static char text[36];
    char room[TR_PACK_KEY_MAX];
    struct tr_buf want;
    tr_buf_init_fixed(&want, room, sizeof(room));
    memset(text, 'a', sizeof(text));
    tr_rdf_term term = tr_rdf_term_lang(TR_STR("x"), (tr_str){text, 35});
    CHECK_INT(key_of(&term).len, 38);
    term.language.len = 36;
    tr_pack_key key = key_of(&term);
    tr_buf_put(&want, TR_STR("\x50x\0"));
    put_cut(&want, term.language);
    CHECK(tr_str_eq(tr_pack_key_str(&key), (tr_str){room, want.len}));
}

TEST(key_of_the_longest_text_is_short)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_RDF_TERM);
    char *to = tr_buf_room(&text, TR_LIMIT_RDF_TERM);
    if (!to)
        abort();
    memset(to, '1', TR_LIMIT_RDF_TERM);
    text.len = TR_LIMIT_RDF_TERM;
    tr_rdf_term term = tr_rdf_term_string(tr_buf_str(&text));
    tr_pack_key one = key_of(&term);
    CHECK_INT(one.len, 50);
    to[TR_LIMIT_RDF_TERM - 1] = '2';
    tr_pack_key other = key_of(&term);
    CHECK(!tr_str_eq(tr_pack_key_str(&one), tr_pack_key_str(&other)));
    term.datatype = TR_STR(TR_RDF_IRI_XSD_INTEGER); /* of 16 million digits */
    one = key_of(&term);
    CHECK_INT(one.len, 1 + 8 + 1 + 49);
    CHECK(tr_str_starts(tr_pack_key_str(&one),
                        TR_STR("\x20\xFF\xF0\0\0\0\0\0\0\x11")));
    tr_buf_done(&text);
}

/* Each of these is below the next one. */
TEST(key_order_is_that_of_values)
{
    static const struct {
        const char *text;
        const char *type;
    } ascending[] = {
        {"false", XSD("boolean")},
        {"1", XSD("boolean")},
        {"-INF", XSD("float")},
        {"-1e300", XSD("double")},
        {"-9223372036854775808", XSD("integer")},
        {"-9007199254740993", XSD("long")},
        {"-9007199254740992", XSD("integer")},
        {"-1.5", XSD("decimal")},
        {"-1", XSD("byte")},
        {"-5e-324", XSD("double")},
        {"0", XSD("unsignedInt")},
        {"5e-324", XSD("double")},
        {"0.1", XSD("decimal")},
        {"0.1", XSD("float")}, /* 0.10000000149011612 */
        {"2", XSD("integer")},
        {"010", XSD("integer")},
        {"9007199254740992", XSD("integer")},
        {"9007199254740993", XSD("unsignedLong")},
        {"9007199254740994.0", XSD("decimal")},
        {"9223372036854775806", XSD("integer")},
        {"9223372036854775807", XSD("long")},
        {"18446744073709551615", XSD("unsignedLong")},
        {"INF", XSD("double")},
        {"NaN", XSD("double")},
        {"-2026-07-28", XSD("date")},
        {"1969-12-31T23:59:59.5Z", XSD("dateTime")},
        {"1970-01-01T00:00:00Z", XSD("dateTime")},
        {"1969-12-31T23:00:01-01:00", XSD("dateTime")},
        {"1970-01-01T00:00:01.000000001", XSD("dateTime")},
        {"1970-01-02", XSD("date")},
        {"12026-07-28T00:00:00Z", XSD("dateTime")},
        {"", XSD("string")},
        {"a", XSD("string")},
        {"a\x01", XSD("string")},
        {"aa", XSD("string")},
        {"\xC3\xA9", XSD("string")},
    };
    for (size_t i = 1; i < TR_LEN(ascending); i++) {
        tr_pack_key a =
            key_of_typed(ascending[i - 1].text, ascending[i - 1].type);
        tr_pack_key b = key_of_typed(ascending[i].text, ascending[i].type);
        CHECK_ROW(tr_str_cmp(tr_pack_key_str(&a), tr_pack_key_str(&b)) < 0,
                  ascending[i].text);
    }
}

/* A text with a language comes before the longer ones that begin with it. */
TEST(key_order_of_texts_with_a_language_is_that_of_texts)
{
    tr_rdf_term a = tr_rdf_term_lang(TR_STR("a"), TR_STR("zz"));
    tr_rdf_term ab = tr_rdf_term_lang(TR_STR("ab"), TR_STR("aa"));
    tr_pack_key one = key_of(&a);
    tr_pack_key other = key_of(&ab);
    CHECK(tr_str_cmp(tr_pack_key_str(&one), tr_pack_key_str(&other)) < 0);
}

static tr_status get_alone(tr_str bytes, struct tr_err *err)
{
    struct tr_pack_key_value value;
    char *alone = calloc(bytes.len ? bytes.len : 1, 1);
    CHECK(alone);
    if (bytes.len)
        memcpy(alone, bytes.ptr, bytes.len);
    tr_status status = tr_pack_key_get((tr_str){alone, bytes.len}, &value, err);
    free(alone);
    return status;
}

TEST(key_refuses_what_is_none)
{
    static const struct {
        const char *why;
        tr_str key;
    } refused[] = {
        {"nothing", TR_STR_INIT("")},
        {"no such kind", TR_STR_INIT("\x80\x01")},
        {"half a boolean", TR_STR_INIT("\x10")},
        {"a third truth", TR_STR_INIT("\x10\x02")},
        {"half a double", TR_STR_INIT("\x20\x80\0\0")},
        {"only a double", TR_STR_INIT("\x20" ONE)},
        {"no such number", TR_STR_INIT("\x20" ONE "\x03")},
        {"no such type", TR_STR_INIT("\x20" ONE "\x20x")},
        {"no text", TR_STR_INIT("\x20" ONE "\x10")},
        {"something behind", TR_STR_INIT("\x20" ONE "\x01\x01")},
        {"half", TR_STR_INIT("\x20\xBF\xE0\0\0\0\0\0\0\x01")},
        {"minus zero", TR_STR_INIT("\x20\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")},
        {"2^53 as a small one", TR_STR_INIT("\x20\xC3\x40\0\0\0\0\0\0\x01")},
        {"NaN as an integer",
         TR_STR_INIT("\x20\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")},
        {"1 as a large one",
         TR_STR_INIT("\x20" ONE "\x02\x80\0\0\0\0\0\0\x01")},
        {"another double",
         TR_STR_INIT("\x20\xC3\x50\0\0\0\0\0\0\x02\x80\x20\0\0\0\0\0\x01")},
        {"a time of five digits", TR_STR_INIT("\x30\x80\0\0\x3B\0\0\0\0\0")},
        {"no such time", TR_STR_INIT("\x30\x80\0\0\0\0\0\0\0\x02")},
        {"too many nanoseconds",
         TR_STR_INIT("\x30\x80\0\0\0\0\0\0\0\x01\x3B\x9A\xCA\0\0x")},
        {"no such type of time",
         TR_STR_INIT("\x30\x80\0\0\0\0\0\0\0\x01\0\0\0\0\x03x")},
        {"FE in a short text", TR_STR_INIT("\x40x\xFEx")},
        {"no language", TR_STR_INIT("\x50x")},
        {"an empty language", TR_STR_INIT("\x50x\0")},
        {"FE in a short language", TR_STR_INIT("\x50x\0e\xFE")},
        {"half a datatype", TR_STR_INIT("\x60\0\0\0\0\0\0\x01")},
        {"datatype 0", TR_STR_INIT("\x60\0\0\0\0\0\0\0\0x")},
        {"no such datatype", TR_STR_INIT("\x60\x08\0\0\0\0\0\0\0x")},
        {"half a reference", TR_STR_INIT("\x70\0\0\0\0\0\0\x01")},
        {"a reference and more", TR_STR_INIT("\x70\0\0\0\0\0\0\x01\x02\0")},
    };
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct tr_err err = {0};
        CHECK_ROW(get_alone(refused[i].key, &err) == TR_E_IO, refused[i].why);
        CHECK_ROW(strncmp(err.msg, "the store is damaged: ", 22) == 0, err.msg);
    }
}

TEST(key_with_a_damaged_byte_does_no_harm)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_pack_key key = key_of_typed(rows[i].text, rows[i].type);
        for (size_t at = 0; at < key.len * 256; at++) {
            tr_pack_key damaged = key;
            damaged.bytes[at / 256] = (char)(at % 256);
            tr_status status = get_alone(tr_pack_key_str(&damaged), NULL);
            CHECK_ROW(status == TR_OK || status == TR_E_IO, rows[i].text);
        }
        for (size_t shorter = 0; shorter < key.len; shorter++) {
            tr_status status = get_alone((tr_str){key.bytes, shorter}, NULL);
            CHECK_ROW(status == TR_OK || status == TR_E_IO, rows[i].text);
        }
    }
}

static bool is_within(const struct key_range *range, const tr_pack_key *key)
{
    tr_str bytes = tr_pack_key_str(key);
    return tr_str_cmp(tr_pack_key_str(&range->lo), bytes) <= 0 &&
           tr_str_cmp(bytes, tr_pack_key_str(&range->hi)) < 0;
}

static bool has_number(double lo, double hi, const char *text, const char *type)
{
    struct key_range range;
    tr_pack_key key = key_of_typed(text, type);
    key_range_numbers(lo, hi, &range);
    return is_within(&range, &key);
}

TEST(range_of_numbers_has_both_ends)
{
    CHECK(has_number(1, 1, "1", XSD("integer")));
    CHECK(has_number(1, 1, "1.00", XSD("decimal")));
    CHECK(has_number(-0.0, 0, "-0", XSD("double")));
    CHECK(!has_number(1, 1, "1.5", XSD("decimal")));
    CHECK(has_number(1, 2, "2", XSD("byte")));
    CHECK(!has_number(2, 1, "1", XSD("byte")));
    CHECK(has_number(-INFINITY, INFINITY, "-INF", XSD("double")));
    CHECK(has_number(5, INFINITY, "INF", XSD("float")));
    CHECK(!has_number(-INFINITY, INFINITY, "NaN", XSD("double")));
    CHECK(!has_number(NAN, NAN, "NaN", XSD("double")));
    CHECK(!has_number(NAN, 5, "1", XSD("integer")));
    CHECK(!has_number(-INFINITY, NAN, "1", XSD("integer")));
    CHECK(!has_number(-INFINITY, INFINITY, "true", XSD("boolean")));
    CHECK(!has_number(-INFINITY, INFINITY, "2026-07-28", XSD("date")));
    CHECK(has_number(0x1p53, 0x1p53, "9007199254740993", XSD("integer")));
}

static bool has_time(int64_t lo, int64_t hi, const char *text, const char *type)
{
    struct key_range range;
    tr_pack_key key = key_of_typed(text, type);
    key_range_times(lo, hi, &range);
    return is_within(&range, &key);
}

TEST(range_of_times_has_both_ends)
{
    CHECK(has_time(0, 0, "1970-01-01T00:00:00Z", XSD("dateTime")));
    CHECK(has_time(0, 0, "1970-01-01T00:00:00.999", XSD("dateTime")));
    CHECK(has_time(0, 0, "1970-01-01", XSD("date")));
    CHECK(!has_time(0, 0, "1970-01-01T00:00:01Z", XSD("dateTime")));
    CHECK(has_time(-1, 1, "1970-01-01T02:00:01+02:00", XSD("dateTime")));
    CHECK(has_time(INT64_MIN, INT64_MAX, "-99999-01-01", XSD("date")));
    CHECK(has_time(INT64_MIN, INT64_MAX, "99999-01-01", XSD("date")));
    CHECK(!has_time(INT64_MIN, INT64_MAX, "a", XSD("string")));
}

static bool has_text(const char *prefix, tr_rdf_term term)
{
    struct key_range range;
    tr_pack_key key = key_of(&term);
    key_range_texts(term.language.len ? TR_PACK_LANG : TR_PACK_STRING,
                    tr_str_from(prefix), &range);
    return is_within(&range, &key);
}

TEST(range_of_texts_has_what_begins_alike)
{
    static const char start[] = "0123456789012345678901234567890123456789";
    static char text[200];
    (void)snprintf(text, sizeof(text), "%s%s%s", start, start, start);
    CHECK(has_text("", tr_rdf_term_string(TR_STR(""))));
    CHECK(has_text("", tr_rdf_term_string(TR_STR("\xF4\x8F\xBF\xBF"))));
    CHECK(has_text("ab", tr_rdf_term_string(TR_STR("ab"))));
    CHECK(has_text("ab", tr_rdf_term_string(TR_STR("abc"))));
    CHECK(!has_text("ab", tr_rdf_term_string(TR_STR("a"))));
    CHECK(!has_text("ab", tr_rdf_term_string(TR_STR("ac"))));
    CHECK(has_text("ab", tr_rdf_term_lang(TR_STR("ab"), TR_STR("en"))));
    CHECK(!has_text("ab", tr_rdf_term_lang(TR_STR("b"), TR_STR("en"))));
    CHECK(has_text(start, tr_rdf_term_string(tr_str_from(text))));
    CHECK(has_text(text, tr_rdf_term_string(tr_str_from(text))));
}
