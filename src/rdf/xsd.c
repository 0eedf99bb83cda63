#include "rdf/xsd.h"

#include "rdf/xsd_text.h"
#include "rdf/xsd_time.h"

#include <math.h>

/* Value spaces: types of the same one are parsed and compared alike. */
enum space {
    NOTHING,
    TEXT,
    URI,
    BINARY,
    TAGGED,
    TRUTH,
    DECIMAL,
    FLOATING,
    MOMENT,
    DURATION
};

static const struct type {
    tr_str iri;
    enum space space;
    const char *min; /* of an integer type that has one */
    const char *max;
} types[TR_RDF_XSD_TYPES] = {
#define XSD(name) TR_STR_INIT(TR_RDF_NS_XSD name)
    [TR_RDF_XSD_UNKNOWN] = {TR_STR_INIT(""), NOTHING, NULL, NULL},
    [TR_RDF_XSD_LANG_STRING] = {TR_STR_INIT(TR_RDF_IRI_RDF_LANG_STRING), TAGGED,
                                NULL, NULL},
    [TR_RDF_XSD_STRING] = {XSD("string"), TEXT, NULL, NULL},
    [TR_RDF_XSD_NORMALIZED_STRING] = {XSD("normalizedString"), TEXT, NULL,
                                      NULL},
    [TR_RDF_XSD_TOKEN] = {XSD("token"), TEXT, NULL, NULL},
    [TR_RDF_XSD_LANGUAGE] = {XSD("language"), TEXT, NULL, NULL},
    [TR_RDF_XSD_NMTOKEN] = {XSD("NMTOKEN"), TEXT, NULL, NULL},
    [TR_RDF_XSD_NAME] = {XSD("Name"), TEXT, NULL, NULL},
    [TR_RDF_XSD_NCNAME] = {XSD("NCName"), TEXT, NULL, NULL},
    [TR_RDF_XSD_ANY_URI] = {XSD("anyURI"), URI, NULL, NULL},
    [TR_RDF_XSD_HEX_BINARY] = {XSD("hexBinary"), BINARY, NULL, NULL},
    [TR_RDF_XSD_BASE64_BINARY] = {XSD("base64Binary"), BINARY, NULL, NULL},
    [TR_RDF_XSD_BOOLEAN] = {XSD("boolean"), TRUTH, NULL, NULL},
    [TR_RDF_XSD_DECIMAL] = {XSD("decimal"), DECIMAL, NULL, NULL},
    [TR_RDF_XSD_INTEGER] = {XSD("integer"), DECIMAL, NULL, NULL},
    [TR_RDF_XSD_NON_POSITIVE_INTEGER] = {XSD("nonPositiveInteger"), DECIMAL,
                                         NULL, "0"},
    [TR_RDF_XSD_NEGATIVE_INTEGER] = {XSD("negativeInteger"), DECIMAL, NULL,
                                     "-1"},
    [TR_RDF_XSD_NON_NEGATIVE_INTEGER] = {XSD("nonNegativeInteger"), DECIMAL,
                                         "0", NULL},
    [TR_RDF_XSD_POSITIVE_INTEGER] = {XSD("positiveInteger"), DECIMAL, "1",
                                     NULL},
    [TR_RDF_XSD_LONG] = {XSD("long"), DECIMAL, "-9223372036854775808",
                         "9223372036854775807"},
    [TR_RDF_XSD_INT] = {XSD("int"), DECIMAL, "-2147483648", "2147483647"},
    [TR_RDF_XSD_SHORT] = {XSD("short"), DECIMAL, "-32768", "32767"},
    [TR_RDF_XSD_BYTE] = {XSD("byte"), DECIMAL, "-128", "127"},
    [TR_RDF_XSD_UNSIGNED_LONG] = {XSD("unsignedLong"), DECIMAL, "0",
                                  "18446744073709551615"},
    [TR_RDF_XSD_UNSIGNED_INT] = {XSD("unsignedInt"), DECIMAL, "0",
                                 "4294967295"},
    [TR_RDF_XSD_UNSIGNED_SHORT] = {XSD("unsignedShort"), DECIMAL, "0", "65535"},
    [TR_RDF_XSD_UNSIGNED_BYTE] = {XSD("unsignedByte"), DECIMAL, "0", "255"},
    [TR_RDF_XSD_DOUBLE] = {XSD("double"), FLOATING, NULL, NULL},
    [TR_RDF_XSD_FLOAT] = {XSD("float"), FLOATING, NULL, NULL},
    [TR_RDF_XSD_DATE_TIME] = {XSD("dateTime"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_DATE_TIME_STAMP] = {XSD("dateTimeStamp"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_DATE] = {XSD("date"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_TIME] = {XSD("time"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_G_YEAR] = {XSD("gYear"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_G_YEAR_MONTH] = {XSD("gYearMonth"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_G_MONTH] = {XSD("gMonth"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_G_MONTH_DAY] = {XSD("gMonthDay"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_G_DAY] = {XSD("gDay"), MOMENT, NULL, NULL},
    [TR_RDF_XSD_DURATION] = {XSD("duration"), DURATION, NULL, NULL},
    [TR_RDF_XSD_DAY_TIME_DURATION] = {XSD("dayTimeDuration"), DURATION, NULL,
                                      NULL},
    [TR_RDF_XSD_YEAR_MONTH_DURATION] = {XSD("yearMonthDuration"), DURATION,
                                        NULL, NULL},
#undef XSD
};

enum tr_rdf_xsd_type tr_rdf_xsd_type_of(tr_str datatype)
{
    for (int i = TR_RDF_XSD_UNKNOWN + 1; i < TR_RDF_XSD_TYPES; i++) {
        if (tr_str_eq(types[i].iri, datatype))
            return (enum tr_rdf_xsd_type)i;
    }
    return TR_RDF_XSD_UNKNOWN;
}

tr_str tr_rdf_xsd_iri(enum tr_rdf_xsd_type type)
{
    return types[type].iri;
}

void tr_rdf_xsd_integer_bounds(enum tr_rdf_xsd_type type, tr_str *min,
                               tr_str *max)
{
    *min = tr_str_from(types[type].min ? types[type].min : "");
    *max = tr_str_from(types[type].max ? types[type].max : "");
}

static bool parse_boolean(tr_str text, bool *out)
{
    bool is_true =
        tr_str_eq(text, TR_STR("true")) || tr_str_eq(text, TR_STR("1"));
    *out = is_true;
    return is_true || tr_str_eq(text, TR_STR("false")) ||
           tr_str_eq(text, TR_STR("0"));
}

/* Whether the number is on the right side of a limit of its type. */
static bool is_within(const tr_json_decimal *value, const char *limit, int side)
{
    tr_json_decimal bound;
    return !limit ||
           !tr_rdf_xsd_decimal_parse(tr_str_from(limit), true, &bound) ||
           tr_json_decimal_cmp(*value, bound) * side >= 0;
}

static bool parse_decimal(enum tr_rdf_xsd_type type, tr_str text,
                          tr_json_decimal *out)
{
    return tr_rdf_xsd_decimal_parse(text, type != TR_RDF_XSD_DECIMAL, out) &&
           is_within(out, types[type].min, 1) &&
           is_within(out, types[type].max, -1);
}

bool tr_rdf_xsd_parse(const tr_rdf_term *term, tr_rdf_xsd_value *out)
{
    enum tr_rdf_xsd_type type = tr_rdf_xsd_type_of(term->datatype);
    tr_rdf_xsd_value value = {.type = type, .term = *term};
    bool is_valid = true;
    switch (types[type].space) {
    case NOTHING:
        break;
    case TAGGED:
        is_valid = term->language.len > 0;
        break;
    case TEXT:
    case URI:
    case BINARY:
        is_valid = tr_rdf_xsd_text_is_valid(type, term->text);
        break;
    case TRUTH:
        is_valid = parse_boolean(term->text, &value.as.boolean);
        break;
    case DECIMAL:
        is_valid = parse_decimal(type, term->text, &value.as.decimal);
        break;
    case FLOATING:
        is_valid = tr_rdf_xsd_float_parse(term->text, type == TR_RDF_XSD_FLOAT,
                                          &value.as.number);
        break;
    case MOMENT:
        is_valid = tr_rdf_xsd_moment_parse(type, term->text, &value.as.moment);
        break;
    case DURATION:
        is_valid =
            tr_rdf_xsd_duration_parse(type, term->text, &value.as.duration);
        break;
    }
    if (is_valid)
        *out = value;
    return is_valid;
}

bool tr_rdf_xsd_is_valid(enum tr_rdf_xsd_type type, tr_str lexical)
{
    tr_rdf_xsd_value value;
    tr_rdf_term term = tr_rdf_term_typed(lexical, types[type].iri);
    if (type == TR_RDF_XSD_LANG_STRING)
        return false; /* an rdf:langString needs a language (Concepts, 3.3) */
    return tr_rdf_xsd_parse(&term, &value);
}

static enum tr_rdf_xsd_order order_of(int difference)
{
    if (difference == 0)
        return TR_RDF_XSD_EQUAL;
    return difference < 0 ? TR_RDF_XSD_LESS : TR_RDF_XSD_GREATER;
}

static double promoted(const tr_rdf_xsd_value *value, bool is_single)
{
    if (types[value->type].space == DECIMAL)
        return tr_rdf_xsd_decimal_to_double(&value->as.decimal, is_single);
    return value->as.number;
}

/* XPath 2.0, B.1: a decimal becomes what the other one is, a float a double. */
static enum tr_rdf_xsd_order compare_numbers(const tr_rdf_xsd_value *a,
                                             const tr_rdf_xsd_value *b)
{
    if (types[a->type].space == DECIMAL && types[b->type].space == DECIMAL)
        return order_of(tr_json_decimal_cmp(a->as.decimal, b->as.decimal));
    bool is_single =
        a->type != TR_RDF_XSD_DOUBLE && b->type != TR_RDF_XSD_DOUBLE;
    double x = promoted(a, is_single);
    double y = promoted(b, is_single);
    if (isnan(x) || isnan(y))
        return TR_RDF_XSD_INCOMPARABLE;
    return order_of((x > y) - (x < y));
}

/* Points of time compare with their own kind; a stamp is a dateTime. */
static bool are_same_kind(enum tr_rdf_xsd_type a, enum tr_rdf_xsd_type b)
{
    a = a == TR_RDF_XSD_DATE_TIME_STAMP ? TR_RDF_XSD_DATE_TIME : a;
    b = b == TR_RDF_XSD_DATE_TIME_STAMP ? TR_RDF_XSD_DATE_TIME : b;
    return a == b;
}

static enum tr_rdf_xsd_order compare_same_space(enum space space,
                                                const tr_rdf_xsd_value *a,
                                                const tr_rdf_xsd_value *b)
{
    switch (space) {
    case TEXT:
    case URI: /* UTF-8 keeps the order of code points */
        return order_of(tr_str_cmp(a->term.text, b->term.text));
    case TRUTH:
        return order_of(a->as.boolean - b->as.boolean);
    case MOMENT:
        return are_same_kind(a->type, b->type)
                   ? tr_rdf_xsd_moment_cmp(&a->as.moment, &b->as.moment)
                   : TR_RDF_XSD_INCOMPARABLE;
    case DURATION:
        return tr_rdf_xsd_duration_cmp(&a->as.duration, &b->as.duration);
    case DECIMAL:
    case FLOATING:
        return compare_numbers(a, b);
    case NOTHING:
    case TAGGED:
    case BINARY:
        break;
    }
    return tr_rdf_term_eq(&a->term, &b->term) ? TR_RDF_XSD_EQUAL
                                              : TR_RDF_XSD_INCOMPARABLE;
}

enum tr_rdf_xsd_order tr_rdf_xsd_compare(const tr_rdf_xsd_value *a,
                                         const tr_rdf_xsd_value *b)
{
    enum space space = types[a->type].space;
    if (tr_rdf_xsd_is_numeric(a->type) && tr_rdf_xsd_is_numeric(b->type))
        return compare_numbers(a, b);
    if (space != types[b->type].space)
        return TR_RDF_XSD_INCOMPARABLE;
    return compare_same_space(space, a, b);
}

enum tr_rdf_xsd_order tr_rdf_xsd_compare_terms(const tr_rdf_term *a,
                                               const tr_rdf_term *b)
{
    tr_rdf_xsd_value x;
    tr_rdf_xsd_value y;
    if (a->kind != TR_RDF_TERM_LITERAL || b->kind != TR_RDF_TERM_LITERAL ||
        !tr_rdf_xsd_parse(a, &x) || !tr_rdf_xsd_parse(b, &y))
        return TR_RDF_XSD_INCOMPARABLE;
    return tr_rdf_xsd_compare(&x, &y);
}

static void write_hex(struct tr_buf *out, tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        tr_buf_putc(out, c >= 'a' ? (char)(c - 'a' + 'A') : c);
    }
}

static void write_without_spaces(struct tr_buf *out, tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != ' ')
            tr_buf_putc(out, text.ptr[i]);
    }
}

void tr_rdf_xsd_write_canonical(struct tr_buf *out,
                                const tr_rdf_xsd_value *value)
{
    switch (types[value->type].space) {
    case NOTHING:
    case TAGGED:
    case TEXT:
    case URI:
        tr_buf_put(out, value->term.text);
        break;
    case BINARY:
        if (value->type == TR_RDF_XSD_HEX_BINARY)
            write_hex(out, value->term.text);
        else
            write_without_spaces(out, value->term.text);
        break;
    case TRUTH:
        tr_buf_put(out, value->as.boolean ? TR_STR("true") : TR_STR("false"));
        break;
    case DECIMAL:
        tr_rdf_xsd_decimal_write(out, &value->as.decimal);
        break;
    case FLOATING:
        tr_rdf_xsd_float_write(out, value->as.number,
                               value->type == TR_RDF_XSD_FLOAT);
        break;
    case MOMENT:
        if (value->as.moment.is_huge)
            tr_buf_put(out, value->term.text);
        else
            tr_rdf_xsd_moment_write(out, value->type, &value->as.moment);
        break;
    case DURATION:
        if (value->as.duration.is_huge)
            tr_buf_put(out, value->term.text);
        else
            tr_rdf_xsd_duration_write(out, value->type, &value->as.duration);
        break;
    }
}
