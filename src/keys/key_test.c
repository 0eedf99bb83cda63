#include "keys/key.h"

#include "base/test.h"
#include "rdf/xsd.h"

static struct tr_key key_of(const char *text, const char *datatype,
                            bool descending)
{
    struct tr_key key = {0};
    tr_rdf_term term =
        tr_rdf_term_typed(tr_str_from(text), tr_str_from(datatype));
    tr_key_put(&key, &term, 0, descending);
    return key;
}

static int compare(const struct tr_key *a, const struct tr_key *b)
{
    return tr_str_cmp(tr_key_str(a), tr_key_str(b));
}

#define XSD(name) TR_RDF_NS_XSD name

/* In their order; those with the same number are equal. */
static const struct {
    int number;
    const char *text;
    const char *datatype;
} rows[] = {
    {0, "false", XSD("boolean")},
    {0, "0", XSD("boolean")},
    {1, "true", XSD("boolean")},
    {2, "-INF", XSD("double")},
    {3,
     "-1"
     "00000000000000000000000000000000000000000000000000",
     XSD("integer")},
    {4, "-9007199254740993", XSD("integer")},
    {5, "-9007199254740992", XSD("integer")},
    {6, "-1.5", XSD("decimal")},
    {6, "-1.50", XSD("decimal")},
    {6, "-15E-1", XSD("double")},
    {7, "0", XSD("integer")},
    {7, "-0.0", XSD("decimal")},
    {7, "-0E0", XSD("double")},
    {8, "0.1", XSD("decimal")},
    {8, "1E-1", XSD("double")},
    {9, "0.10000000000000000000000000000000001", XSD("decimal")},
    {10, "0.10000000000000000000000000000000002", XSD("decimal")},
    {11, "5", XSD("int")},
    {11, "5.0", XSD("decimal")},
    {12, "9007199254740992", XSD("long")},
    {13, "9007199254740993", XSD("integer")},
    {14, "9007199254740993.5", XSD("decimal")},
    {15, "INF", XSD("double")},
    {16, "2026-01-01T00:00:00Z", XSD("dateTime")},
    {16, "2026-01-01T02:00:00+02:00", XSD("dateTime")},
    {16, "2025-12-31T24:00:00.000Z", XSD("dateTime")},
    {17, "2026-01-01T00:00:00.25Z", XSD("dateTime")},
    {18, "2026-01-01T00:00:00.5Z", XSD("dateTime")},
    {19, "2026-01-01T00:00:01Z", XSD("dateTime")},
    {20, "2026-01-01", XSD("date")},
    {21, "2026-01-02", XSD("date")},
    {22, "08:00:00", XSD("time")},
    {22, "08:00:00.0", XSD("time")},
    {23, "08:00:00.1", XSD("time")},
    {24, "-P1DT1S", XSD("dayTimeDuration")},
    {25, "-PT24H", XSD("dayTimeDuration")},
    {26, "-PT1.5S", XSD("dayTimeDuration")},
    {27, "-PT1.25S", XSD("dayTimeDuration")},
    {28, "PT0S", XSD("dayTimeDuration")},
    {28, "-PT0S", XSD("dayTimeDuration")},
    {29, "PT60S", XSD("dayTimeDuration")},
    {29, "PT1M", XSD("dayTimeDuration")},
    {30, "", XSD("string")},
    {31, "a", XSD("string")},
    {31, "a", XSD("token")},
    {32, "ab", XSD("string")},
    {33, "b", XSD("string")},
    {34, "\xC3\xA9", XSD("string")},
    {35, "http://a", XSD("anyURI")},
    {36, "no date", XSD("date")},
    {37, "NaN", XSD("double")},
};

TEST(keys_stand_where_values_do)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_key a = key_of(rows[i].text, rows[i].datatype, false);
        struct tr_key b = key_of(rows[i].text, rows[i].datatype, true);
        CHECK_INT(tr_key_part_len(tr_key_str(&a)), a.len);
        CHECK_INT(tr_key_part_len(tr_key_str(&b)), b.len);
        for (size_t k = 0; k < i; k++) {
            struct tr_key x = key_of(rows[k].text, rows[k].datatype, false);
            struct tr_key y = key_of(rows[k].text, rows[k].datatype, true);
            bool same = rows[i].number == rows[k].number;
            CHECK_ROW(same ? compare(&x, &a) == 0 : compare(&x, &a) < 0,
                      rows[i].text);
            CHECK_ROW(same ? compare(&y, &b) == 0 : compare(&y, &b) > 0,
                      rows[i].text);
        }
    }
}

TEST(key_without_a_value_is_last_either_way)
{
    struct tr_key none = {0};
    struct tr_key_value value;
    tr_rdf_term node = tr_rdf_term_iri(TR_STR("x:a"));
    tr_key_put(&none, NULL, 0, true);
    CHECK(tr_key_read(tr_key_str(&none), &value) && value.kind == TR_KEY_NONE);
    for (int descending = 0; descending < 2; descending++) {
        struct tr_key key = {0};
        tr_key_put(&key, &node, UINT64_MAX - 7, descending);
        CHECK(compare(&key, &none) < 0);
        CHECK(tr_key_read(tr_key_str(&key), &value));
        CHECK(value.kind == TR_KEY_REFERENCE && value.is_whole);
        CHECK(value.reference == UINT64_MAX - 7);
        for (size_t i = 0; i < TR_LEN(rows); i++) {
            key = key_of(rows[i].text, rows[i].datatype, descending);
            CHECK_ROW(compare(&key, &none) < 0, rows[i].text);
        }
    }
}

/* Long texts: two that differ behind what is kept are told apart. */
TEST(key_of_a_long_text_is_cut)
{
    char a[300];
    char b[300];
    struct tr_key_value value;
    memset(a, 'x', sizeof(a));
    memset(b, 'x', sizeof(b));
    a[299] = b[299] = '\0';
    b[200] = 'y';
    struct tr_key x = key_of(a, TR_RDF_IRI_XSD_STRING, false);
    struct tr_key y = key_of(b, TR_RDF_IRI_XSD_STRING, false);
    CHECK(compare(&x, &y) != 0);
    CHECK_INT(x.len, TR_KEY_TEXT + 19);
    CHECK(tr_key_read(tr_key_str(&x), &value) && !value.is_whole);
    CHECK_INT(value.text.len, TR_KEY_TEXT);
    a[TR_KEY_TEXT] = '\0';
    x = key_of(a, TR_RDF_IRI_XSD_STRING, false);
    CHECK(tr_key_read(tr_key_str(&x), &value) && value.is_whole);
    CHECK_STR(value.text, a);
    CHECK(compare(&x, &y) < 0);
}

TEST(key_says_what_its_value_is)
{
    static const struct {
        const char *text;
        const char *datatype;
        const char *found;
    } numbers[] = {
        {"5", XSD("integer"), "5"},
        {"-0.50", XSD("decimal"), "-0.5"},
        {"9007199254740993", XSD("integer"), "9007199254740993e0"},
        {"-0.10000000000000000000001", XSD("decimal"),
         "-10000000000000000000001e-23"},
    };
    struct tr_key_value value;
    for (size_t i = 0; i < TR_LEN(numbers); i++) {
        for (int descending = 0; descending < 2; descending++) {
            struct tr_key key =
                key_of(numbers[i].text, numbers[i].datatype, descending);
            CHECK(tr_key_read(tr_key_str(&key), &value));
            CHECK(value.kind == TR_KEY_NUMBER && value.is_whole);
            CHECK_STR(value.text, numbers[i].found);
        }
    }
    struct tr_key key = key_of("true", TR_RDF_IRI_XSD_BOOLEAN, true);
    CHECK(tr_key_read(tr_key_str(&key), &value) && value.boolean);
    key = key_of("2026-01-01", TR_RDF_IRI_XSD_DATE, false);
    CHECK(tr_key_read(tr_key_str(&key), &value) && value.kind == TR_KEY_OTHER);
    CHECK(!tr_key_read(TR_STR("\x05"), &value));
    CHECK(!tr_key_read(TR_STR(""), &value));
}

TEST(key_of_a_prefix_begins_what_begins_so)
{
    struct tr_key low = {0};
    struct tr_key a = key_of("ab", TR_RDF_IRI_XSD_STRING, true);
    struct tr_key b = key_of("abz", TR_RDF_IRI_XSD_STRING, true);
    struct tr_key c = key_of("ac", TR_RDF_IRI_XSD_STRING, true);
    CHECK(tr_key_put_prefix(&low, TR_STR("ab"), false, true));
    struct tr_key high = low;
    tr_key_follow(&high);
    CHECK(compare(&low, &a) < 0 && compare(&a, &high) < 0);
    CHECK(compare(&low, &b) < 0 && compare(&b, &high) < 0);
    CHECK(compare(&c, &low) < 0 || compare(&high, &c) < 0);
}
