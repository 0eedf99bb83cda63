#include "pack/value.h"

#include "base/limits.h"
#include "base/test.h"
#include "crypto/digest.h"

#define XSD(name) TR_RDF_NS_XSD name

struct row {
    const char *name;
    tr_rdf_term term;
    uint64_t number;
    tr_str bytes;
};

#define LITERAL(words, type)                                                   \
    {                                                                          \
        .kind = TR_RDF_TERM_LITERAL, .text = TR_STR_INIT(words),               \
        .datatype = TR_STR_INIT(type)                                          \
    }
#define TAGGED(words, tag)                                                     \
    {                                                                          \
        .kind = TR_RDF_TERM_LITERAL, .text = TR_STR_INIT(words),               \
        .datatype = TR_STR_INIT(TR_RDF_IRI_RDF_LANG_STRING),                   \
        .language = TR_STR_INIT(tag)                                           \
    }
#define IRI(words)                                                             \
    {                                                                          \
        .kind = TR_RDF_TERM_IRI, .text = TR_STR_INIT(words)                    \
    }

/* These bytes stand in stores: they must not change. */
static const struct row rows[] = {
    {"reference", IRI("urn:x"), 5, TR_STR_INIT("\x01\x05")},
    {"larger reference", IRI("urn:x"), 300, TR_STR_INIT("\x01\xAC\x02")},
    {"largest reference", IRI("urn:x"), TR_PACK_NUMBER_MAX,
     TR_STR_INIT("\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x07")},
    {"false", LITERAL("false", XSD("boolean")), 0, TR_STR_INIT("\x02")},
    {"true", LITERAL("true", XSD("boolean")), 0, TR_STR_INIT("\x03")},
    {"0", LITERAL("0", XSD("integer")), 0, TR_STR_INIT("\x04\x00")},
    {"1", LITERAL("1", XSD("integer")), 0, TR_STR_INIT("\x04\x02")},
    {"-1", LITERAL("-1", XSD("integer")), 0, TR_STR_INIT("\x04\x01")},
    {"64", LITERAL("64", XSD("integer")), 0, TR_STR_INIT("\x04\x80\x01")},
    {"most", LITERAL("9223372036854775807", XSD("integer")), 0,
     TR_STR_INIT("\x04\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")},
    {"least", LITERAL("-9223372036854775808", XSD("integer")), 0,
     TR_STR_INIT("\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")},
    {"too large", LITERAL("9223372036854775808", XSD("integer")), 9,
     TR_STR_INIT("\x07\x09"
                 "9223372036854775808")},
    {"time", LITERAL("1970-01-01T00:01:00Z", XSD("dateTime")), 0,
     TR_STR_INIT("\x05\x78")},
    {"earlier", LITERAL("1969-12-31T23:59:59Z", XSD("dateTime")), 0,
     TR_STR_INIT("\x05\x01")},
    {"string", LITERAL("abc", XSD("string")), 0,
     TR_STR_INIT("\x06"
                 "abc")},
    {"empty", LITERAL("", XSD("string")), 0, TR_STR_INIT("\x06")},
    {"NUL", LITERAL("a\0b", XSD("string")), 0,
     TR_STR_INIT("\x06"
                 "a\0b")},
    {"01", LITERAL("01", XSD("integer")), 9,
     TR_STR_INIT("\x07\x09"
                 "01")},
    {"+5", LITERAL("+5", XSD("integer")), 9, TR_STR_INIT("\x07\x09+5")},
    {"-0", LITERAL("-0", XSD("integer")), 9, TR_STR_INIT("\x07\x09-0")},
    {"not one", LITERAL("x", XSD("integer")), 9, TR_STR_INIT("\x07\x09x")},
    {"1 as boolean", LITERAL("1", XSD("boolean")), 8,
     TR_STR_INIT("\x07\x08"
                 "1")},
    {"double", LITERAL("1.5E0", XSD("double")), 200,
     TR_STR_INIT("\x07\xC8\x01"
                 "1.5E0")},
    {"1 as int", LITERAL("1", XSD("int")), 9,
     TR_STR_INIT("\x07\x09"
                 "1")},
    {"offset", LITERAL("1970-01-01T00:00:00+02:00", XSD("dateTime")), 3,
     TR_STR_INIT("\x07\x03"
                 "1970-01-01T00:00:00+02:00")},
    {"local", LITERAL("1970-01-01T00:00:00", XSD("dateTime")), 3,
     TR_STR_INIT("\x07\x03"
                 "1970-01-01T00:00:00")},
    {"own type", LITERAL("", "http://e/t"), 4, TR_STR_INIT("\x07\x04")},
    {"without its language", LITERAL("a", TR_RDF_IRI_RDF_LANG_STRING), 4,
     TR_STR_INIT("\x07\x04"
                 "a")},
    {"language", TAGGED("ja", "de-AT"), 0,
     TR_STR_INIT("\x08\x05"
                 "de-ATja")},
    {"language in capitals", TAGGED("", "EN"), 0,
     TR_STR_INIT("\x08\x02"
                 "EN")},
};

static void check_row(const struct row *row)
{
    struct tr_pack_value value;
    struct tr_pack_value back;
    struct tr_buf out;
    struct tr_err err = {0};
    char text[TR_PACK_CANONICAL_TEXT];
    tr_buf_init(&out, TR_KIB(1));
    CHECK_ROW(tr_pack_value_of(&row->term, &value), row->name);
    bool has_number =
        value.kind == TR_PACK_REFERENCE || value.kind == TR_PACK_TYPED;
    CHECK_ROW(has_number == (row->number > 0), row->name);
    value.number = row->number;
    tr_pack_value_put(&out, &value);
    CHECK_ROW(tr_str_eq(tr_buf_str(&out), row->bytes), row->name);
    CHECK_OK(tr_pack_value_get(row->bytes, &back, &err), &err);
    CHECK_ROW(back.number == row->number, row->name);
    tr_rdf_term term = tr_pack_value_term(
        &back,
        row->term.kind == TR_RDF_TERM_IRI ? row->term.text : row->term.datatype,
        text);
    CHECK_ROW(tr_rdf_term_eq(&term, &row->term), row->name);
    tr_buf_done(&out);
}

TEST(value_has_a_form_for_every_kind)
{
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_row(&rows[i]);
}

TEST(value_is_none_of_a_blank_node)
{
    tr_rdf_term blank = tr_rdf_term_blank(TR_STR("b"));
    tr_rdf_term none = {.kind = TR_RDF_TERM_NONE};
    struct tr_pack_value value;
    CHECK(!tr_pack_value_of(&blank, &value));
    CHECK(!tr_pack_value_of(&none, &value));
}

/* In memory of exactly their size, so that ASan sees who reads further. */
static tr_status get_alone(tr_str bytes, struct tr_err *err)
{
    struct tr_pack_value value;
    char *alone = calloc(bytes.len ? bytes.len : 1, 1);
    CHECK(alone);
    if (bytes.len)
        memcpy(alone, bytes.ptr, bytes.len);
    tr_status status =
        tr_pack_value_get((tr_str){alone, bytes.len}, &value, err);
    (void)tr_pack_value_cmp((tr_str){alone, bytes.len}, TR_STR("\x09"));
    free(alone);
    return status;
}

TEST(value_refuses_what_is_none)
{
    static const struct {
        const char *why;
        tr_str bytes;
    } refused[] = {
        {"nothing", TR_STR_INIT("")},
        {"no such kind", TR_STR_INIT("\x00")},
        {"no such kind", TR_STR_INIT("\x0A\x01")},
        {"no such kind", TR_STR_INIT("\xFF")},
        {"no number", TR_STR_INIT("\x01")},
        {"number 0", TR_STR_INIT("\x01\x00")},
        {"number too large",
         TR_STR_INIT("\x01\x80\x80\x80\x80\x80\x80\x80\x80\x08")},
        {"number without its end", TR_STR_INIT("\x01\x80")},
        {"number that is longer than it must be", TR_STR_INIT("\x01\x85\x00")},
        {"something behind a number", TR_STR_INIT("\x01\x05\x05")},
        {"something behind a boolean", TR_STR_INIT("\x02\x00")},
        {"something behind a boolean", TR_STR_INIT("\x03\x01")},
        {"no integer", TR_STR_INIT("\x04")},
        {"65 bits",
         TR_STR_INIT("\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x03")},
        {"eleven bytes",
         TR_STR_INIT("\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")},
        {"a year of five digits", TR_STR_INIT("\x05\x80\x86\xA2\xFF\xDF\x0E")},
        {"no seconds", TR_STR_INIT("\x05")},
        {"no datatype", TR_STR_INIT("\x07")},
        {"datatype 0", TR_STR_INIT("\x07\x00x")},
        {"no language", TR_STR_INIT("\x08")},
        {"an empty language", TR_STR_INIT("\x08\x00x")},
        {"half a language", TR_STR_INIT("\x08\x03"
                                        "en")},
        {"a language without end",
         TR_STR_INIT("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01x")},
        {"a long one without its digest", TR_STR_INIT("\x09\xE9\x07")},
        {"a long one that is short",
         TR_STR_INIT("\x09\xE8\x07"
                     "01234567890123456789012345678901\x01")},
        {"a long one without its row",
         TR_STR_INIT("\x09\xE9\x07"
                     "01234567890123456789012345678901")},
        {"a long one in row 0",
         TR_STR_INIT("\x09\xE9\x07"
                     "01234567890123456789012345678901\x00")},
    };
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct tr_err err = {0};
        CHECK_ROW(get_alone(refused[i].bytes, &err) == TR_E_IO, refused[i].why);
        CHECK_ROW(strncmp(err.msg, "the store is damaged: ", 22) == 0, err.msg);
    }
}

/* Every byte with every value, and every shorter length. */
TEST(value_with_a_damaged_byte_does_no_harm)
{
    char bytes[64];
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        size_t len = rows[i].bytes.len;
        CHECK(len <= sizeof(bytes));
        for (size_t at = 0; at < len * 256; at++) {
            memcpy(bytes, rows[i].bytes.ptr, len);
            bytes[at / 256] = (char)(at % 256);
            tr_status status = get_alone((tr_str){bytes, len}, NULL);
            CHECK_ROW(status == TR_OK || status == TR_E_IO, rows[i].name);
        }
        for (size_t shorter = 0; shorter < len; shorter++) {
            tr_status status =
                get_alone((tr_str){rows[i].bytes.ptr, shorter}, NULL);
            CHECK_ROW(status == TR_OK || status == TR_E_IO, rows[i].name);
        }
    }
}

static tr_str filled(struct tr_buf *buf, size_t len)
{
    tr_buf_init(buf, len + 64);
    char *to = tr_buf_room(buf, len);
    if (!to)
        abort();
    memset(to, 'a', len);
    buf->len = len;
    return tr_buf_str(buf);
}

static tr_str put_string(struct tr_buf *out, tr_str text)
{
    struct tr_pack_value value;
    tr_rdf_term term = tr_rdf_term_string(text);
    tr_buf_init(out, text.len + 64);
    CHECK(tr_pack_value_of(&term, &value));
    tr_pack_value_put(out, &value);
    return tr_buf_str(out);
}

TEST(value_is_long_above_a_thousand_bytes)
{
    struct tr_buf text;
    struct tr_buf bytes;
    (void)filled(&text, TR_PACK_VALUE_MAX);
    CHECK(!tr_pack_value_is_long(
        put_string(&bytes, (tr_str){text.ptr, TR_PACK_VALUE_MAX - 1})));
    tr_buf_done(&bytes);
    CHECK(tr_pack_value_is_long(
        put_string(&bytes, (tr_str){text.ptr, TR_PACK_VALUE_MAX})));
    tr_buf_done(&bytes);
    tr_buf_done(&text);
}

static void check_long(tr_str bytes)
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    char room[TR_PACK_LONG_MAX];
    struct tr_buf out;
    struct tr_pack_value value;
    struct tr_err err = {0};
    tr_buf_init_fixed(&out, room, sizeof(room));
    tr_pack_value_put_long(&out, bytes, TR_PACK_NUMBER_MAX);
    CHECK_OK(tr_buf_check(&out, &err), &err);
    CHECK_OK(tr_pack_value_get(tr_buf_str(&out), &value, &err), &err);
    tr_crypto_sha256(bytes, digest);
    CHECK_INT(value.kind, TR_PACK_LONG);
    CHECK_INT(value.number, TR_PACK_NUMBER_MAX);
    CHECK_INT(value.len, bytes.len);
    CHECK(tr_str_eq(value.text, (tr_str){(char *)digest, sizeof(digest)}));
    CHECK_INT(tr_pack_value_term(&value, TR_STR(""), room).kind,
              TR_RDF_TERM_NONE);
}

TEST(value_of_the_longest_text_stands_elsewhere)
{
    struct tr_buf text;
    struct tr_buf bytes;
    (void)filled(&text, TR_LIMIT_RDF_TERM);
    tr_str value = put_string(&bytes, tr_buf_str(&text));
    CHECK_INT(value.len, TR_LIMIT_RDF_TERM + 1);
    check_long(value);
    check_long((tr_str){value.ptr, TR_PACK_VALUE_MAX + 1});
    tr_buf_done(&text);
    tr_buf_done(&bytes);
}

/* One digit of 16 MiB, or the length, makes another value; a row does not. */
TEST(value_that_is_long_is_equal_by_length_and_digest)
{
    struct tr_buf text;
    char a[TR_PACK_LONG_MAX];
    char b[TR_PACK_LONG_MAX];
    struct tr_buf one;
    struct tr_buf other;
    tr_str bytes = filled(&text, TR_LIMIT_RDF_TERM);
    tr_buf_init_fixed(&one, a, sizeof(a));
    tr_buf_init_fixed(&other, b, sizeof(b));
    tr_pack_value_put_long(&one, bytes, 1);
    tr_pack_value_put_long(&other, bytes, 3000);
    CHECK(!tr_str_eq(tr_buf_str(&one), tr_buf_str(&other)));
    CHECK_INT(tr_pack_value_cmp(tr_buf_str(&one), tr_buf_str(&other)), 0);
    CHECK_INT(tr_pack_value_identity(tr_buf_str(&one)).len, one.len - 1);
    CHECK(tr_str_starts(tr_buf_str(&other),
                        tr_pack_value_identity(tr_buf_str(&one))));
    text.ptr[text.len - 1] = 'b';
    tr_buf_clear(&other);
    tr_pack_value_put_long(&other, bytes, 1);
    CHECK(tr_pack_value_cmp(tr_buf_str(&one), tr_buf_str(&other)) != 0);
    tr_buf_clear(&other);
    tr_pack_value_put_long(&other, (tr_str){bytes.ptr, bytes.len - 1}, 1);
    CHECK(tr_pack_value_cmp(tr_buf_str(&one), tr_buf_str(&other)) != 0);
    tr_buf_done(&text);
}

/* Any other two are compared as the bytes that they are. */
TEST(value_order_is_that_of_bytes)
{
    CHECK(tr_pack_value_cmp(TR_STR("\x06"
                                   "a"),
                            TR_STR("\x06"
                                   "b")) < 0);
    CHECK(tr_pack_value_cmp(TR_STR("\x06"
                                   "a"),
                            TR_STR("\x06")) > 0);
    CHECK(tr_pack_value_cmp(TR_STR("\x02"), TR_STR("\x09")) < 0);
    CHECK_INT(tr_pack_value_cmp(TR_STR("\x02"), TR_STR("\x02")), 0);
}
