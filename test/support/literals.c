#include "support/literals.h"

#include "base/test.h"
#include "rdf/xsd.h"

#include <time.h>

enum { TIME_BYTES = 128 };

#define PICK(array) ((array)[tr_test_random_below(TR_LEN(array))])

static const char *const iris[] = {
    "http://e/a", "http://e/type", "urn:x", "http://e/b#c", "x:",
};

/* By enum tr_rdf_xsd_type. */
static const char *const types[TR_RDF_XSD_TYPES] = {
    "urn:unknown",
    TR_RDF_IRI_RDF_LANG_STRING,
    TR_RDF_NS_XSD "string",
    TR_RDF_NS_XSD "normalizedString",
    TR_RDF_NS_XSD "token",
    TR_RDF_NS_XSD "language",
    TR_RDF_NS_XSD "NMTOKEN",
    TR_RDF_NS_XSD "Name",
    TR_RDF_NS_XSD "NCName",
    TR_RDF_NS_XSD "anyURI",
    TR_RDF_NS_XSD "hexBinary",
    TR_RDF_NS_XSD "base64Binary",
    TR_RDF_NS_XSD "boolean",
    TR_RDF_NS_XSD "decimal",
    TR_RDF_NS_XSD "integer",
    TR_RDF_NS_XSD "nonPositiveInteger",
    TR_RDF_NS_XSD "negativeInteger",
    TR_RDF_NS_XSD "nonNegativeInteger",
    TR_RDF_NS_XSD "positiveInteger",
    TR_RDF_NS_XSD "long",
    TR_RDF_NS_XSD "int",
    TR_RDF_NS_XSD "short",
    TR_RDF_NS_XSD "byte",
    TR_RDF_NS_XSD "unsignedLong",
    TR_RDF_NS_XSD "unsignedInt",
    TR_RDF_NS_XSD "unsignedShort",
    TR_RDF_NS_XSD "unsignedByte",
    TR_RDF_NS_XSD "double",
    TR_RDF_NS_XSD "float",
    TR_RDF_NS_XSD "dateTime",
    TR_RDF_NS_XSD "dateTimeStamp",
    TR_RDF_NS_XSD "date",
    TR_RDF_NS_XSD "time",
    TR_RDF_NS_XSD "gYear",
    TR_RDF_NS_XSD "gYearMonth",
    TR_RDF_NS_XSD "gMonth",
    TR_RDF_NS_XSD "gMonthDay",
    TR_RDF_NS_XSD "gDay",
    TR_RDF_NS_XSD "duration",
    TR_RDF_NS_XSD "dayTimeDuration",
    TR_RDF_NS_XSD "yearMonthDuration"};

void literal_init(struct literal *literal)
{
    *literal = (struct literal){0};
    tr_buf_init(&literal->text, (size_t)1 << 20);
    tr_buf_init(&literal->language, (size_t)1 << 12);
}

void literal_done(struct literal *literal)
{
    tr_buf_done(&literal->text);
    tr_buf_done(&literal->language);
}

static tr_str iri_at(size_t index)
{
    return index < TR_RDF_XSD_TYPES
               ? tr_str_from(types[index])
               : tr_str_from(iris[index - TR_RDF_XSD_TYPES]);
}

/* Often near where something changes: powers of two, 0, the ends. */
static int64_t random_integer(void)
{
    static const int64_t edges[] = {
        0,
        127,
        255,
        INT64_C(1) << 31,
        INT64_C(1) << 53,
        INT64_C(1) << 54,
        INT64_C(1) << 57,
        INT64_C(1) << 62,
        INT64_MAX - 8,
    };
    uint64_t value = tr_test_random() >> tr_test_random_below(64);
    if (tr_test_random_below(2))
        value = (uint64_t)PICK(edges) + tr_test_random_below(17) - 8;
    return (int64_t)(tr_test_random_below(2) ? value : ~value + 1);
}

static void put_digits(struct tr_buf *out, size_t count)
{
    while (count--)
        tr_buf_putc(out, (char)('0' + tr_test_random_below(10)));
}

static void put_integer(struct tr_buf *out)
{
    static const char *const before[] = {"", "", "", "", "+", "0", "-0", "00"};
    int64_t value = random_integer();
    const char *start = PICK(before);
    if (start[0] && value < 0)
        value = value == INT64_MIN ? 0 : -value;
    tr_buf_put(out, tr_str_from(start));
    tr_buf_put_i64(out, value);
    if (tr_test_random_below(16) == 0)
        put_digits(out, tr_test_random_below(80));
}

static void put_decimal(struct tr_buf *out)
{
    put_integer(out);
    if (tr_test_random_below(4) == 0)
        return;
    tr_buf_putc(out, '.');
    put_digits(out, tr_test_random_below(4));
    if (tr_test_random_below(4) == 0)
        put_digits(out, tr_test_random_below(100));
}

static void put_double(struct tr_buf *out)
{
    static const char *const texts[] = {
        "INF",
        "-INF",
        "+INF",
        "NaN",
        "0",
        "-0",
        "-0.0E0",
        "1E0",
        "1e0",
        "1.0",
        "+1",
        "1E400",
        "-1e400",
        "1e-400",
        "0.1",
        "5e-324",
        "1.7976931348623157E308",
    };
    uint64_t bits = tr_test_random();
    double value;
    memcpy(&value, &bits, sizeof(value));
    switch (tr_test_random_below(3)) {
    case 0:
        tr_buf_put(out, tr_str_from(PICK(texts)));
        break;
    case 1:
        put_decimal(out);
        break;
    default:
        tr_buf_putf(out, "%.*g", (int)tr_test_random_below(18), value);
    }
}

/* Close to each other, so that instants meet in several spellings. */
static int64_t random_seconds(void)
{
    static const int64_t edges[] = {0, INT64_C(-62135596800) + 90000,
                                    INT64_C(253402300799) - 90000, 1785241859};
    return PICK(edges) + (int64_t)tr_test_random_below(5) * 3600 - 7200 +
           (int64_t)tr_test_random_below(3) - 1;
}

static void put_time(struct tr_buf *out, enum tr_rdf_xsd_type type)
{
    static const char *const fractions[] = {"",
                                            "",
                                            "",
                                            ".5",
                                            ".500",
                                            ".25",
                                            ".0",
                                            ".1234567891",
                                            ".1234567892",
                                            ".000000001"};
    static const char *const zones[] = {"Z",      "Z",      "",      "+00:00",
                                        "+02:00", "-14:00", "+14:00"};
    char text[TIME_BYTES];
    time_t seconds = (time_t)random_seconds();
    struct tm parts;
    (void)gmtime_r(&seconds, &parts);
    (void)snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d",
                   parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                   parts.tm_hour, parts.tm_min, parts.tm_sec);
    tr_str time = tr_str_from(text);
    if (tr_test_random_below(32) == 0)
        tr_buf_putf(out, "-");
    if (tr_test_random_below(32) == 0)
        tr_buf_putf(out, "%s", tr_test_random_below(2) ? "1" : "99999999999");
    if (type == TR_RDF_XSD_TIME && tr_test_random_below(8))
        time = tr_str_skip(time, 11);
    if (type == TR_RDF_XSD_DATE)
        time.len = time.len > 10 ? 10 : time.len;
    tr_buf_put(out, time);
    if (type != TR_RDF_XSD_DATE)
        tr_buf_put(out, tr_str_from(PICK(fractions)));
    tr_buf_put(out, tr_str_from(PICK(zones)));
}

static void put_duration(struct tr_buf *out)
{
    static const char *const texts[] = {"PT0S",
                                        "-PT0S",
                                        "PT60S",
                                        "PT1M",
                                        "P1D",
                                        "PT24H",
                                        "-P1DT1S",
                                        "-PT86401S",
                                        "PT0.5S",
                                        "-PT0.50S",
                                        "PT1.25S",
                                        "-PT1.5S",
                                        "P99999999999999999999D",
                                        "P1Y",
                                        "-PT0.25S"};
    if (tr_test_random_below(2))
        tr_buf_put(out, tr_str_from(PICK(texts)));
    else
        tr_buf_putf(out, "%sP%uDT%uS", tr_test_random_below(2) ? "-" : "",
                    (unsigned)tr_test_random_below(3),
                    (unsigned)tr_test_random_below(3) * 43200);
}

/* Few letters, so that texts begin alike; lengths around where texts are cut
 * and where values become long. */
static void put_text(struct tr_buf *out)
{
    static const char *const letters[] = {
        "a", "b",  "\xC3\xA9", "\xE2\x82\xAC", "\xF4\x8F\xBF\xBF",
        " ", "\"", "1"};
    static const size_t lengths[] = {3, 3, 12, 36, 68, 68, 130, 1010};
    size_t len = tr_test_random_below(PICK(lengths));
    bool is_plain = tr_test_random_below(2);
    while (out->len < len) {
        uint64_t one = tr_test_random_below(40);
        if (is_plain || one > 9)
            tr_buf_putc(out, one == 0 ? 'b' : 'a');
        else if (one == 9)
            tr_buf_putc(out, '\0');
        else if (one < TR_LEN(letters))
            tr_buf_put(out, tr_str_from(letters[one]));
    }
}

static void put_language(struct tr_buf *out)
{
    static const char *const languages[] = {
        "en",
        "EN",
        "En-us",
        "de-AT",
        "e",
        "x-1",
        "en-a-aaaaaaaa-bbbbbbbb-cccccccc-ddd",  /* 35 bytes */
        "en-a-aaaaaaaa-bbbbbbbb-cccccccc-dddd", /* 36 */
        "en-a-aaaaaaaa-bbbbbbbb-cccccccc-ddde",
        "en-a-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd-eeeeeeee-ffffffff-gggggggg",
    };
    tr_buf_put(out, tr_str_from(PICK(languages)));
}

static enum tr_rdf_xsd_type random_number_type(void)
{
    if (tr_test_random_below(3) == 0)
        return TR_RDF_XSD_INTEGER;
    return TR_RDF_XSD_DECIMAL + (enum tr_rdf_xsd_type)tr_test_random_below(16);
}

static void put_number(struct tr_buf *out, enum tr_rdf_xsd_type type)
{
    if (tr_rdf_xsd_is_integer(type))
        put_integer(out);
    else if (type == TR_RDF_XSD_DECIMAL)
        put_decimal(out);
    else
        put_double(out);
}

/* A datatype whose values sort, and a text that is often one of it. */
static enum tr_rdf_xsd_type make_typed(struct tr_buf *out)
{
    static const enum tr_rdf_xsd_type times[] = {
        TR_RDF_XSD_DATE_TIME, TR_RDF_XSD_DATE_TIME, TR_RDF_XSD_DATE,
        TR_RDF_XSD_DATE_TIME_STAMP, TR_RDF_XSD_TIME};
    static const char *const truths[] = {"true", "false", "1", "0", "TRUE", ""};
    enum tr_rdf_xsd_type type;
    switch (tr_test_random_below(6)) {
    case 5:
        put_duration(out);
        return TR_RDF_XSD_DAY_TIME_DURATION;
    case 0:
        tr_buf_put(out, tr_str_from(PICK(truths)));
        return TR_RDF_XSD_BOOLEAN;
    case 1:
        type = PICK(times);
        put_time(out, type);
        return type;
    case 2: /* any text of any type */
        put_text(out);
        return 2 +
               (enum tr_rdf_xsd_type)tr_test_random_below(TR_RDF_XSD_TYPES - 2);
    default:
        type = random_number_type();
        put_number(out, type);
        return type;
    }
}

void literal_make(struct literal *literal)
{
    uint64_t kind = tr_test_random_below(8);
    tr_str datatype = TR_STR(TR_RDF_IRI_XSD_STRING);
    tr_buf_clear(&literal->text);
    tr_buf_clear(&literal->language);
    if (kind > 2) {
        datatype = tr_str_from(types[make_typed(&literal->text)]);
    } else {
        put_text(&literal->text);
        if (kind == 0) {
            put_language(&literal->language);
            datatype = TR_STR(TR_RDF_IRI_RDF_LANG_STRING);
        } else if (kind == 1 && tr_test_random_below(4) == 0) {
            datatype = tr_str_from(PICK(iris));
        }
    }
    literal->term = tr_rdf_term_typed(tr_buf_str(&literal->text), datatype);
    literal->term.language = tr_buf_str(&literal->language);
}

void literal_make_term(struct literal *literal)
{
    literal_make(literal);
    if (tr_test_random_below(8) == 0)
        literal->term = tr_rdf_term_iri(iri_at(
            1 + tr_test_random_below(TR_RDF_XSD_TYPES + TR_LEN(iris) - 1)));
}
