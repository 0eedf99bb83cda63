#include "rdf/xsd.h"

#include "base/limits.h"
#include "base/test.h"

/* A lexical form that its type has, and its canonical form. */
struct valid {
    enum tr_rdf_xsd_type type;
    const char *text;
    const char *canonical;
};

static const char *const iris[TR_RDF_XSD_TYPES] = {
    [TR_RDF_XSD_UNKNOWN] = "",
    [TR_RDF_XSD_LANG_STRING] = TR_RDF_IRI_RDF_LANG_STRING,
    [TR_RDF_XSD_STRING] = TR_RDF_NS_XSD "string",
    [TR_RDF_XSD_NORMALIZED_STRING] = TR_RDF_NS_XSD "normalizedString",
    [TR_RDF_XSD_TOKEN] = TR_RDF_NS_XSD "token",
    [TR_RDF_XSD_LANGUAGE] = TR_RDF_NS_XSD "language",
    [TR_RDF_XSD_NMTOKEN] = TR_RDF_NS_XSD "NMTOKEN",
    [TR_RDF_XSD_NAME] = TR_RDF_NS_XSD "Name",
    [TR_RDF_XSD_NCNAME] = TR_RDF_NS_XSD "NCName",
    [TR_RDF_XSD_ANY_URI] = TR_RDF_NS_XSD "anyURI",
    [TR_RDF_XSD_HEX_BINARY] = TR_RDF_NS_XSD "hexBinary",
    [TR_RDF_XSD_BASE64_BINARY] = TR_RDF_NS_XSD "base64Binary",
    [TR_RDF_XSD_BOOLEAN] = TR_RDF_NS_XSD "boolean",
    [TR_RDF_XSD_DECIMAL] = TR_RDF_NS_XSD "decimal",
    [TR_RDF_XSD_INTEGER] = TR_RDF_NS_XSD "integer",
    [TR_RDF_XSD_NON_POSITIVE_INTEGER] = TR_RDF_NS_XSD "nonPositiveInteger",
    [TR_RDF_XSD_NEGATIVE_INTEGER] = TR_RDF_NS_XSD "negativeInteger",
    [TR_RDF_XSD_NON_NEGATIVE_INTEGER] = TR_RDF_NS_XSD "nonNegativeInteger",
    [TR_RDF_XSD_POSITIVE_INTEGER] = TR_RDF_NS_XSD "positiveInteger",
    [TR_RDF_XSD_LONG] = TR_RDF_NS_XSD "long",
    [TR_RDF_XSD_INT] = TR_RDF_NS_XSD "int",
    [TR_RDF_XSD_SHORT] = TR_RDF_NS_XSD "short",
    [TR_RDF_XSD_BYTE] = TR_RDF_NS_XSD "byte",
    [TR_RDF_XSD_UNSIGNED_LONG] = TR_RDF_NS_XSD "unsignedLong",
    [TR_RDF_XSD_UNSIGNED_INT] = TR_RDF_NS_XSD "unsignedInt",
    [TR_RDF_XSD_UNSIGNED_SHORT] = TR_RDF_NS_XSD "unsignedShort",
    [TR_RDF_XSD_UNSIGNED_BYTE] = TR_RDF_NS_XSD "unsignedByte",
    [TR_RDF_XSD_DOUBLE] = TR_RDF_NS_XSD "double",
    [TR_RDF_XSD_FLOAT] = TR_RDF_NS_XSD "float",
    [TR_RDF_XSD_DATE_TIME] = TR_RDF_NS_XSD "dateTime",
    [TR_RDF_XSD_DATE_TIME_STAMP] = TR_RDF_NS_XSD "dateTimeStamp",
    [TR_RDF_XSD_DATE] = TR_RDF_NS_XSD "date",
    [TR_RDF_XSD_TIME] = TR_RDF_NS_XSD "time",
    [TR_RDF_XSD_G_YEAR] = TR_RDF_NS_XSD "gYear",
    [TR_RDF_XSD_G_YEAR_MONTH] = TR_RDF_NS_XSD "gYearMonth",
    [TR_RDF_XSD_G_MONTH] = TR_RDF_NS_XSD "gMonth",
    [TR_RDF_XSD_G_MONTH_DAY] = TR_RDF_NS_XSD "gMonthDay",
    [TR_RDF_XSD_G_DAY] = TR_RDF_NS_XSD "gDay",
    [TR_RDF_XSD_DURATION] = TR_RDF_NS_XSD "duration",
    [TR_RDF_XSD_DAY_TIME_DURATION] = TR_RDF_NS_XSD "dayTimeDuration",
    [TR_RDF_XSD_YEAR_MONTH_DURATION] = TR_RDF_NS_XSD "yearMonthDuration",
};

static tr_str iri_of(enum tr_rdf_xsd_type type)
{
    return tr_str_from(iris[type]);
}

static tr_rdf_term term_of(enum tr_rdf_xsd_type type, const char *text)
{
    return tr_rdf_term_typed(tr_str_from(text), iri_of(type));
}

static void check_valid(const struct valid *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tr_rdf_term term = term_of(rows[i].type, rows[i].text);
        tr_rdf_xsd_value value;
        char storage[1024];
        struct tr_buf out;
        tr_buf_init_fixed(&out, storage, sizeof(storage));
        CHECK_ROW(tr_rdf_xsd_parse(&term, &value), rows[i].text);
        CHECK_INT(value.type, rows[i].type);
        tr_rdf_xsd_write_canonical(&out, &value);
        CHECK_STR(tr_buf_str(&out), rows[i].canonical);
    }
}

TEST(xsd_writes_canonical_numbers)
{
    static const struct valid rows[] = {
        {TR_RDF_XSD_INTEGER, "0", "0"},
        {TR_RDF_XSD_INTEGER, "-0", "0"},
        {TR_RDF_XSD_INTEGER, "+007", "7"},
        {TR_RDF_XSD_INTEGER, "-123456789012345678901234567890",
         "-123456789012345678901234567890"},
        {TR_RDF_XSD_DECIMAL, "1.0", "1"},
        {TR_RDF_XSD_DECIMAL, "-.50", "-0.5"},
        {TR_RDF_XSD_DECIMAL, "01.", "1"},
        {TR_RDF_XSD_DECIMAL, "-0.0", "0"},
        {TR_RDF_XSD_BYTE, "-128", "-128"},
        {TR_RDF_XSD_UNSIGNED_BYTE, "-0", "0"},
        {TR_RDF_XSD_UNSIGNED_BYTE, "+0255", "255"},
        {TR_RDF_XSD_LONG, "9223372036854775807", "9223372036854775807"},
        {TR_RDF_XSD_UNSIGNED_LONG, "18446744073709551615",
         "18446744073709551615"},
        {TR_RDF_XSD_NEGATIVE_INTEGER, "-1", "-1"},
        {TR_RDF_XSD_DOUBLE, "1", "1.0E0"},
        {TR_RDF_XSD_DOUBLE, "+1.50e1", "1.5E1"},
        {TR_RDF_XSD_DOUBLE, "-0", "-0.0E0"},
        {TR_RDF_XSD_DOUBLE, ".001", "1.0E-3"},
        {TR_RDF_XSD_DOUBLE, "123456.5E0", "1.234565E5"},
        {TR_RDF_XSD_DOUBLE, "100", "1.0E2"},
        {TR_RDF_XSD_DOUBLE, "1e21", "1.0E21"},
        {TR_RDF_XSD_DOUBLE, "5e-324", "5.0E-324"},
        {TR_RDF_XSD_DOUBLE, "1e999", "INF"},
        {TR_RDF_XSD_DOUBLE, "+INF", "INF"},
        {TR_RDF_XSD_DOUBLE, "-INF", "-INF"},
        {TR_RDF_XSD_DOUBLE, "NaN", "NaN"},
        {TR_RDF_XSD_DOUBLE, "1e-99999999999999999999", "0.0E0"},
        {TR_RDF_XSD_FLOAT, "0.1", "1.0E-1"},
        {TR_RDF_XSD_FLOAT, "16777217", "1.6777216E7"},
        {TR_RDF_XSD_FLOAT, "3.4028236e38", "INF"},
        {TR_RDF_XSD_BOOLEAN, "1", "true"},
        {TR_RDF_XSD_BOOLEAN, "0", "false"},
        {TR_RDF_XSD_BOOLEAN, "true", "true"},
    };
    check_valid(rows, TR_LEN(rows));
}

TEST(xsd_writes_canonical_times)
{
    static const struct valid rows[] = {
        {TR_RDF_XSD_DATE_TIME, "2026-07-28T12:00:00.500Z",
         "2026-07-28T12:00:00.5Z"},
        {TR_RDF_XSD_DATE_TIME, "2026-07-28T12:00:00-00:00",
         "2026-07-28T12:00:00Z"},
        {TR_RDF_XSD_DATE_TIME, "2026-12-31T24:00:00", "2027-01-01T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "-0044-03-15T00:00:00+14:00",
         "-0044-03-15T00:00:00+14:00"},
        {TR_RDF_XSD_DATE_TIME, "0000-02-29T00:00:00", "0000-02-29T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "12026-01-01T00:00:00.000",
         "12026-01-01T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "99999999999999-01-01T00:00:00",
         "99999999999999-01-01T00:00:00"},
        {TR_RDF_XSD_DATE_TIME_STAMP, "2000-02-29T23:59:59.99-05:30",
         "2000-02-29T23:59:59.99-05:30"},
        {TR_RDF_XSD_DATE, "2024-02-29Z", "2024-02-29Z"},
        {TR_RDF_XSD_TIME, "24:00:00", "00:00:00"},
        {TR_RDF_XSD_TIME, "01:02:03.40+01:00", "01:02:03.4+01:00"},
        {TR_RDF_XSD_G_YEAR, "-0001", "-0001"},
        {TR_RDF_XSD_G_YEAR_MONTH, "2026-07", "2026-07"},
        {TR_RDF_XSD_G_MONTH, "--07", "--07"},
        {TR_RDF_XSD_G_MONTH_DAY, "--02-29", "--02-29"},
        {TR_RDF_XSD_G_DAY, "---31Z", "---31Z"},
        {TR_RDF_XSD_DURATION, "P1Y14M", "P2Y2M"},
        {TR_RDF_XSD_DURATION, "-P0M", "PT0S"},
        {TR_RDF_XSD_DURATION, "P1Y2M3DT4H5M6.70S", "P1Y2M3DT4H5M6.7S"},
        {TR_RDF_XSD_DURATION, "PT36H", "P1DT12H"},
        {TR_RDF_XSD_DURATION, "-PT0.5S", "-PT0.5S"},
        {TR_RDF_XSD_DURATION, "P99999999999999999D", "P99999999999999999D"},
        {TR_RDF_XSD_DAY_TIME_DURATION, "P0D", "PT0S"},
        {TR_RDF_XSD_YEAR_MONTH_DURATION, "P0Y", "P0M"},
    };
    check_valid(rows, TR_LEN(rows));
}

TEST(xsd_writes_canonical_texts)
{
    static const struct valid rows[] = {
        {TR_RDF_XSD_STRING, " a\n", " a\n"},
        {TR_RDF_XSD_NORMALIZED_STRING, " a  b ", " a  b "},
        {TR_RDF_XSD_TOKEN, "a b", "a b"},
        {TR_RDF_XSD_TOKEN, "", ""},
        {TR_RDF_XSD_LANGUAGE, "en-GB-oxendict", "en-GB-oxendict"},
        {TR_RDF_XSD_NAME, "a:b-c.1", "a:b-c.1"},
        {TR_RDF_XSD_NCNAME, "_\xC3\xA4", "_\xC3\xA4"},
        {TR_RDF_XSD_NMTOKEN, "1.a", "1.a"},
        {TR_RDF_XSD_ANY_URI, "any thing", "any thing"},
        {TR_RDF_XSD_HEX_BINARY, "0aFf", "0AFF"},
        {TR_RDF_XSD_BASE64_BINARY, "YQ ==", "YQ=="},
        {TR_RDF_XSD_BASE64_BINARY, "", ""},
    };
    check_valid(rows, TR_LEN(rows));
}

TEST(xsd_refuses_what_is_not_in_the_lexical_space)
{
    static const struct {
        enum tr_rdf_xsd_type type;
        const char *text;
    } rows[] = {
        {TR_RDF_XSD_INTEGER, ""},
        {TR_RDF_XSD_INTEGER, " 1"},
        {TR_RDF_XSD_INTEGER, "1.0"},
        {TR_RDF_XSD_INTEGER, "+-1"},
        {TR_RDF_XSD_INTEGER, "1e3"},
        {TR_RDF_XSD_DECIMAL, "."},
        {TR_RDF_XSD_DECIMAL, "1e3"},
        {TR_RDF_XSD_DECIMAL, "INF"},
        {TR_RDF_XSD_NON_POSITIVE_INTEGER, "1"},
        {TR_RDF_XSD_NEGATIVE_INTEGER, "-0"},
        {TR_RDF_XSD_NON_NEGATIVE_INTEGER, "-1"},
        {TR_RDF_XSD_POSITIVE_INTEGER, "0"},
        {TR_RDF_XSD_LONG, "9223372036854775808"},
        {TR_RDF_XSD_LONG, "-9223372036854775809"},
        {TR_RDF_XSD_INT, "2147483648"},
        {TR_RDF_XSD_SHORT, "-32769"},
        {TR_RDF_XSD_BYTE, "128"},
        {TR_RDF_XSD_UNSIGNED_LONG, "18446744073709551616"},
        {TR_RDF_XSD_UNSIGNED_INT, "4294967296"},
        {TR_RDF_XSD_UNSIGNED_SHORT, "65536"},
        {TR_RDF_XSD_UNSIGNED_BYTE, "-1"},
        {TR_RDF_XSD_DOUBLE, "inf"},
        {TR_RDF_XSD_DOUBLE, "-NaN"},
        {TR_RDF_XSD_DOUBLE, "1e"},
        {TR_RDF_XSD_DOUBLE, "e1"},
        {TR_RDF_XSD_DOUBLE, "0x1"},
        {TR_RDF_XSD_FLOAT, "1.0f"},
        {TR_RDF_XSD_BOOLEAN, "TRUE"},
        {TR_RDF_XSD_BOOLEAN, ""},
        {TR_RDF_XSD_DATE_TIME, "2026-07-28"},
        {TR_RDF_XSD_DATE_TIME, "2026-07-28T12:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-07-28 12:00:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-02-29T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "1900-02-29T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-13-01T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-00-01T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-00T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-04-31T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T25:00:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T24:00:01"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T24:00:00.1"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T23:60:00"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T23:59:60"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T00:00:00."},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T00:00:00z"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T00:00:00+14:01"},
        {TR_RDF_XSD_DATE_TIME, "2026-01-01T00:00:00+1:00"},
        {TR_RDF_XSD_DATE_TIME, "02026-01-01T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "226-01-01T00:00:00"},
        {TR_RDF_XSD_DATE_TIME, "+2026-01-01T00:00:00"},
        {TR_RDF_XSD_DATE_TIME_STAMP, "2026-01-01T00:00:00"},
        {TR_RDF_XSD_DATE, "2026-7-28"},
        {TR_RDF_XSD_DATE, "2026-07-28T"},
        {TR_RDF_XSD_TIME, "1:00:00"},
        {TR_RDF_XSD_G_YEAR, "26"},
        {TR_RDF_XSD_G_YEAR_MONTH, "2026-7"},
        {TR_RDF_XSD_G_MONTH, "-07"},
        {TR_RDF_XSD_G_MONTH_DAY, "--02-30"},
        {TR_RDF_XSD_G_DAY, "--01"},
        {TR_RDF_XSD_DURATION, "P"},
        {TR_RDF_XSD_DURATION, "PT"},
        {TR_RDF_XSD_DURATION, "P1YT"},
        {TR_RDF_XSD_DURATION, "1Y"},
        {TR_RDF_XSD_DURATION, "P1M1Y"},
        {TR_RDF_XSD_DURATION, "P1.5D"},
        {TR_RDF_XSD_DURATION, "PT1.S"},
        {TR_RDF_XSD_DURATION, "P1H"},
        {TR_RDF_XSD_DURATION, "P-1D"},
        {TR_RDF_XSD_DURATION, "PT1H1H"},
        {TR_RDF_XSD_DURATION, "PT1HT1M"},
        {TR_RDF_XSD_DAY_TIME_DURATION, "P1M"},
        {TR_RDF_XSD_YEAR_MONTH_DURATION, "P1D"},
        {TR_RDF_XSD_YEAR_MONTH_DURATION, "P1YT1M"},
        {TR_RDF_XSD_NORMALIZED_STRING, "a\tb"},
        {TR_RDF_XSD_TOKEN, "a  b"},
        {TR_RDF_XSD_TOKEN, " a"},
        {TR_RDF_XSD_TOKEN, "a "},
        {TR_RDF_XSD_LANGUAGE, "toolonglanguage"},
        {TR_RDF_XSD_LANGUAGE, "en-"},
        {TR_RDF_XSD_LANGUAGE, ""},
        {TR_RDF_XSD_NAME, "1a"},
        {TR_RDF_XSD_NAME, ""},
        {TR_RDF_XSD_NCNAME, "a:b"},
        {TR_RDF_XSD_NMTOKEN, "a b"},
        {TR_RDF_XSD_HEX_BINARY, "abc"},
        {TR_RDF_XSD_HEX_BINARY, "xx"},
        {TR_RDF_XSD_BASE64_BINARY, "YQ="},
        {TR_RDF_XSD_BASE64_BINARY, "YR=="},
        {TR_RDF_XSD_BASE64_BINARY, "Y==="},
        {TR_RDF_XSD_BASE64_BINARY, "=YQ="},
        {TR_RDF_XSD_LANG_STRING, "no language"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(!tr_rdf_xsd_is_valid(rows[i].type, tr_str_from(rows[i].text)),
                  rows[i].text);
}

/* Numbers as wide as pointers, so that rows can be read from left to right
 * and have no holes. */
struct pair {
    intptr_t a_type; /* enum tr_rdf_xsd_type */
    const char *a;
    intptr_t b_type;
    const char *b;
    intptr_t order; /* enum tr_rdf_xsd_order */
};

static enum tr_rdf_xsd_order reversed(enum tr_rdf_xsd_order order)
{
    return order == TR_RDF_XSD_INCOMPARABLE ? order
                                            : (enum tr_rdf_xsd_order) - order;
}

static void check_pairs(const struct pair *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tr_rdf_term a =
            term_of((enum tr_rdf_xsd_type)rows[i].a_type, rows[i].a);
        tr_rdf_term b =
            term_of((enum tr_rdf_xsd_type)rows[i].b_type, rows[i].b);
        enum tr_rdf_xsd_order order = (enum tr_rdf_xsd_order)rows[i].order;
        CHECK_ROW(tr_rdf_xsd_compare_terms(&a, &b) == order, rows[i].a);
        CHECK_ROW(tr_rdf_xsd_compare_terms(&b, &a) == reversed(order),
                  rows[i].b);
    }
}

#define INT TR_RDF_XSD_INTEGER
#define DEC TR_RDF_XSD_DECIMAL
#define DBL TR_RDF_XSD_DOUBLE
#define FLT TR_RDF_XSD_FLOAT

TEST(xsd_orders_numbers)
{
    static const struct pair rows[] = {
        {INT, "1", INT, "2", TR_RDF_XSD_LESS},
        {INT, "10", INT, "9", TR_RDF_XSD_GREATER},
        {INT, "-10", INT, "-9", TR_RDF_XSD_LESS},
        {INT, "-1", INT, "+1", TR_RDF_XSD_LESS},
        {INT, "007", TR_RDF_XSD_BYTE, "7", TR_RDF_XSD_EQUAL},
        {INT, "100000000000000000000000000000000000001", INT,
         "100000000000000000000000000000000000002", TR_RDF_XSD_LESS},
        {DEC, "0.1", DEC, "0.10", TR_RDF_XSD_EQUAL},
        {DEC, "0.1", DEC, "0.09", TR_RDF_XSD_GREATER},
        {DEC, "-0.1", DEC, "-0.09", TR_RDF_XSD_LESS},
        {DEC, "1.0", INT, "1", TR_RDF_XSD_EQUAL},
        {DEC, "0.00000000000000000000000000000000001", INT, "0",
         TR_RDF_XSD_GREATER},
        {DEC, "0.1", DBL, "0.1", TR_RDF_XSD_EQUAL},
        {DEC, "1.5", FLT, "1.5", TR_RDF_XSD_EQUAL},
        {INT, "9007199254740993", DBL, "9007199254740992", TR_RDF_XSD_EQUAL},
        {INT, "1", DBL, "INF", TR_RDF_XSD_LESS},
        {DBL, "-INF", DBL, "INF", TR_RDF_XSD_LESS},
        {DBL, "0", DBL, "-0", TR_RDF_XSD_EQUAL},
        {DBL, "NaN", DBL, "NaN", TR_RDF_XSD_INCOMPARABLE},
        {DBL, "NaN", INT, "1", TR_RDF_XSD_INCOMPARABLE},
        {FLT, "0.1", DBL, "0.1", TR_RDF_XSD_GREATER},
        {FLT, "16777217", FLT, "16777216", TR_RDF_XSD_EQUAL},
        {INT, "1", TR_RDF_XSD_STRING, "1", TR_RDF_XSD_INCOMPARABLE},
        {INT, "1", TR_RDF_XSD_BOOLEAN, "1", TR_RDF_XSD_INCOMPARABLE},
        {INT, "x", INT, "x", TR_RDF_XSD_INCOMPARABLE},
        {TR_RDF_XSD_BOOLEAN, "false", TR_RDF_XSD_BOOLEAN, "1", TR_RDF_XSD_LESS},
        {TR_RDF_XSD_BOOLEAN, "true", TR_RDF_XSD_BOOLEAN, "1", TR_RDF_XSD_EQUAL},
        {TR_RDF_XSD_STRING, "a", TR_RDF_XSD_STRING, "b", TR_RDF_XSD_LESS},
        {TR_RDF_XSD_STRING, "a", TR_RDF_XSD_TOKEN, "a", TR_RDF_XSD_EQUAL},
        {TR_RDF_XSD_STRING, "\xEF\xBF\xBD", TR_RDF_XSD_STRING,
         "\xF0\x9F\x98\x80", TR_RDF_XSD_LESS},
        {TR_RDF_XSD_STRING, "a", TR_RDF_XSD_ANY_URI, "a",
         TR_RDF_XSD_INCOMPARABLE},
        {TR_RDF_XSD_HEX_BINARY, "00", TR_RDF_XSD_HEX_BINARY, "01",
         TR_RDF_XSD_INCOMPARABLE},
    };
    check_pairs(rows, TR_LEN(rows));
}

#define DT TR_RDF_XSD_DATE_TIME

TEST(xsd_orders_times_as_far_as_they_are_known)
{
    static const struct pair rows[] = {
        {DT, "2000-01-15T00:00:00", DT, "2000-02-15T00:00:00", TR_RDF_XSD_LESS},
        {DT, "2000-01-15T12:00:00", DT, "2000-01-16T12:00:00Z",
         TR_RDF_XSD_LESS},
        {DT, "2000-01-01T12:00:00", DT, "1999-12-31T23:00:00Z",
         TR_RDF_XSD_INCOMPARABLE},
        {DT, "2000-01-16T12:00:00", DT, "2000-01-16T12:00:00Z",
         TR_RDF_XSD_INCOMPARABLE},
        {DT, "2000-01-16T00:00:00", DT, "2000-01-16T12:00:00Z",
         TR_RDF_XSD_INCOMPARABLE},
        {DT, "2000-01-01T14:00:00", DT, "2000-01-01T00:00:00Z",
         TR_RDF_XSD_INCOMPARABLE},
        {DT, "2000-01-01T14:00:00.1", DT, "2000-01-01T00:00:00Z",
         TR_RDF_XSD_GREATER},
        {DT, "2000-01-01T00:00:00+01:00", DT, "1999-12-31T23:00:00Z",
         TR_RDF_XSD_EQUAL},
        {DT, "2000-01-01T24:00:00Z", DT, "2000-01-02T00:00:00Z",
         TR_RDF_XSD_EQUAL},
        {TR_RDF_XSD_TIME, "24:00:00", TR_RDF_XSD_TIME, "00:00:00",
         TR_RDF_XSD_EQUAL},
        {TR_RDF_XSD_TIME, "24:00:00Z", TR_RDF_XSD_TIME, "00:00:01Z",
         TR_RDF_XSD_LESS},
        {DT, "2000-01-01T00:00:00.5Z", DT, "2000-01-01T00:00:00.45Z",
         TR_RDF_XSD_GREATER},
        {DT, "2000-01-01T00:00:00.123456789012Z", DT,
         "2000-01-01T00:00:00.123456789013Z", TR_RDF_XSD_LESS},
        {DT, "-0001-01-01T00:00:00Z", DT, "0000-01-01T00:00:00Z",
         TR_RDF_XSD_LESS},
        {DT, "12000-01-01T00:00:00Z", DT, "2000-01-01T00:00:00Z",
         TR_RDF_XSD_GREATER},
        {DT, "2000-01-01T00:00:00Z", TR_RDF_XSD_DATE_TIME_STAMP,
         "2000-01-01T00:00:00Z", TR_RDF_XSD_EQUAL},
        {DT, "2000-01-01T00:00:00", TR_RDF_XSD_DATE, "2000-01-01",
         TR_RDF_XSD_INCOMPARABLE},
        {TR_RDF_XSD_DATE, "2000-01-01", TR_RDF_XSD_DATE, "1999-12-31",
         TR_RDF_XSD_GREATER},
        {TR_RDF_XSD_DATE, "2000-01-01+13:00", TR_RDF_XSD_DATE,
         "1999-12-31-11:00", TR_RDF_XSD_EQUAL},
        {TR_RDF_XSD_TIME, "12:00:00", TR_RDF_XSD_TIME, "11:59:59.9",
         TR_RDF_XSD_GREATER},
        {TR_RDF_XSD_G_YEAR, "1999", TR_RDF_XSD_G_YEAR, "2000", TR_RDF_XSD_LESS},
        {TR_RDF_XSD_G_MONTH_DAY, "--02-29", TR_RDF_XSD_G_MONTH_DAY, "--03-01",
         TR_RDF_XSD_LESS},
        {TR_RDF_XSD_G_DAY, "---31", TR_RDF_XSD_G_DAY, "---30",
         TR_RDF_XSD_GREATER},
        {DT, "99999999999999-01-01T00:00:00", DT, "2000-01-01T00:00:00",
         TR_RDF_XSD_INCOMPARABLE},
    };
    check_pairs(rows, TR_LEN(rows));
}

#define DUR TR_RDF_XSD_DURATION

/* XSD 1.1, 3.3.6.1 and its table of P1Y and P1M against days. */
TEST(xsd_orders_durations_as_far_as_they_are_known)
{
    static const struct pair rows[] = {
        {DUR, "P1Y", DUR, "P364D", TR_RDF_XSD_GREATER},
        {DUR, "P1Y", DUR, "P365D", TR_RDF_XSD_INCOMPARABLE},
        {DUR, "P1Y", DUR, "P366D", TR_RDF_XSD_INCOMPARABLE},
        {DUR, "P1Y", DUR, "P367D", TR_RDF_XSD_LESS},
        {DUR, "P1M", DUR, "P27D", TR_RDF_XSD_GREATER},
        {DUR, "P1M", DUR, "P28D", TR_RDF_XSD_INCOMPARABLE},
        {DUR, "P1M", DUR, "P31D", TR_RDF_XSD_INCOMPARABLE},
        {DUR, "P1M", DUR, "P32D", TR_RDF_XSD_LESS},
        {DUR, "P5M", DUR, "P149D", TR_RDF_XSD_GREATER},
        {DUR, "P5M", DUR, "P150D", TR_RDF_XSD_INCOMPARABLE},
        {DUR, "P5M", DUR, "P153D", TR_RDF_XSD_INCOMPARABLE},
        {DUR, "P5M", DUR, "P154D", TR_RDF_XSD_LESS},
        {DUR, "P1Y", DUR, "P12M", TR_RDF_XSD_EQUAL},
        {DUR, "P1D", DUR, "PT24H", TR_RDF_XSD_EQUAL},
        {DUR, "-P1D", DUR, "P1D", TR_RDF_XSD_LESS},
        {DUR, "-PT0.5S", DUR, "-PT0.25S", TR_RDF_XSD_LESS},
        {DUR, "-PT0.5S", DUR, "PT0S", TR_RDF_XSD_LESS},
        {DUR, "-PT0.5S", DUR, "-PT1S", TR_RDF_XSD_GREATER},
        {DUR, "-PT1.5S", DUR, "-PT1.50S", TR_RDF_XSD_EQUAL},
        {DUR, "PT0.5S", DUR, "PT0.25S", TR_RDF_XSD_GREATER},
        {DUR, "P1DT0.5S", DUR, "-PT0.5S", TR_RDF_XSD_GREATER},
        {DUR, "P99999999999999999D", DUR, "P1D", TR_RDF_XSD_INCOMPARABLE},
        {TR_RDF_XSD_DAY_TIME_DURATION, "PT60M", TR_RDF_XSD_DAY_TIME_DURATION,
         "PT1H", TR_RDF_XSD_EQUAL},
        {TR_RDF_XSD_YEAR_MONTH_DURATION, "P1Y", DUR, "P13M", TR_RDF_XSD_LESS},
    };
    check_pairs(rows, TR_LEN(rows));
}

TEST(xsd_compares_what_is_not_xsd_by_its_term_only)
{
    tr_rdf_term a = tr_rdf_term_typed(TR_STR("x"), TR_STR("http://e/t"));
    tr_rdf_term b = tr_rdf_term_typed(TR_STR("y"), TR_STR("http://e/t"));
    tr_rdf_term en = tr_rdf_term_lang(TR_STR("x"), TR_STR("en"));
    tr_rdf_term de = tr_rdf_term_lang(TR_STR("x"), TR_STR("de"));
    tr_rdf_term iri = tr_rdf_term_iri(TR_STR("http://e/"));
    CHECK_INT(tr_rdf_xsd_compare_terms(&a, &a), TR_RDF_XSD_EQUAL);
    CHECK_INT(tr_rdf_xsd_compare_terms(&a, &b), TR_RDF_XSD_INCOMPARABLE);
    CHECK_INT(tr_rdf_xsd_compare_terms(&en, &en), TR_RDF_XSD_EQUAL);
    CHECK_INT(tr_rdf_xsd_compare_terms(&en, &de), TR_RDF_XSD_INCOMPARABLE);
    CHECK_INT(tr_rdf_xsd_compare_terms(&iri, &iri), TR_RDF_XSD_INCOMPARABLE);
}

TEST(xsd_knows_its_types_by_iri)
{
    for (enum tr_rdf_xsd_type type = TR_RDF_XSD_UNKNOWN + 1;
         type < TR_RDF_XSD_TYPES; type++)
        CHECK(tr_rdf_xsd_type_of(iri_of(type)) == type &&
              tr_str_eq(tr_rdf_xsd_iri(type), iri_of(type)));
    CHECK_INT(tr_rdf_xsd_iri(TR_RDF_XSD_UNKNOWN).len, 0);
    CHECK_INT(tr_rdf_xsd_type_of(TR_STR(TR_RDF_NS_XSD "x")),
              TR_RDF_XSD_UNKNOWN);
    CHECK(tr_rdf_xsd_is_integer(TR_RDF_XSD_UNSIGNED_BYTE));
    CHECK(!tr_rdf_xsd_is_integer(TR_RDF_XSD_DECIMAL));
    CHECK(tr_rdf_xsd_is_numeric(TR_RDF_XSD_FLOAT));
    CHECK(!tr_rdf_xsd_is_numeric(TR_RDF_XSD_BOOLEAN));
}

/* Digits beyond what a double can tell apart still decide a tie. */
TEST(xsd_reads_doubles_with_very_many_digits)
{
    struct tr_buf text;
    tr_rdf_xsd_value value;
    tr_buf_init(&text, TR_KIB(8));
    tr_buf_put(&text, TR_STR("1."));
    tr_buf_put(&text, TR_STR("00000000000000011102230246251565"));
    for (int i = 0; i < 2000; i++)
        tr_buf_putc(&text, '0');
    tr_buf_put(&text, TR_STR("1e0"));
    tr_rdf_term term =
        tr_rdf_term_typed(tr_buf_str(&text), iri_of(TR_RDF_XSD_DOUBLE));
    CHECK(tr_rdf_xsd_parse(&term, &value));
    CHECK(value.as.number == 1.0);
    tr_buf_clear(&text);
    tr_buf_put(&text, TR_STR("0."));
    for (int i = 0; i < 2000; i++)
        tr_buf_putc(&text, '0');
    tr_buf_put(&text, TR_STR("15E2001"));
    term.text = tr_buf_str(&text);
    CHECK(tr_rdf_xsd_parse(&term, &value));
    CHECK(value.as.number == 1.5);
    tr_buf_done(&text);
}
