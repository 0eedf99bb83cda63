/*
 * rdf/xsd.h - the XML Schema datatypes of literals (XSD 1.1 part 2).
 *
 * A value is parsed once, borrows the literal's text, and takes no memory.
 * White space around a lexical form makes it ill-typed, as in RDF.
 */
#ifndef TR_RDF_XSD_H
#define TR_RDF_XSD_H

#include "json/number.h"
#include "rdf/term.h"

enum tr_rdf_xsd_type {
    TR_RDF_XSD_UNKNOWN, /* none of these: only equal to itself */
    TR_RDF_XSD_LANG_STRING,
    TR_RDF_XSD_STRING,
    TR_RDF_XSD_NORMALIZED_STRING,
    TR_RDF_XSD_TOKEN,
    TR_RDF_XSD_LANGUAGE,
    TR_RDF_XSD_NMTOKEN,
    TR_RDF_XSD_NAME,
    TR_RDF_XSD_NCNAME,
    TR_RDF_XSD_ANY_URI,
    TR_RDF_XSD_HEX_BINARY,
    TR_RDF_XSD_BASE64_BINARY,
    TR_RDF_XSD_BOOLEAN,
    TR_RDF_XSD_DECIMAL,
    TR_RDF_XSD_INTEGER, /* from here on the integers, down to UNSIGNED_BYTE */
    TR_RDF_XSD_NON_POSITIVE_INTEGER,
    TR_RDF_XSD_NEGATIVE_INTEGER,
    TR_RDF_XSD_NON_NEGATIVE_INTEGER,
    TR_RDF_XSD_POSITIVE_INTEGER,
    TR_RDF_XSD_LONG,
    TR_RDF_XSD_INT,
    TR_RDF_XSD_SHORT,
    TR_RDF_XSD_BYTE,
    TR_RDF_XSD_UNSIGNED_LONG,
    TR_RDF_XSD_UNSIGNED_INT,
    TR_RDF_XSD_UNSIGNED_SHORT,
    TR_RDF_XSD_UNSIGNED_BYTE,
    TR_RDF_XSD_DOUBLE,
    TR_RDF_XSD_FLOAT,
    TR_RDF_XSD_DATE_TIME,
    TR_RDF_XSD_DATE_TIME_STAMP,
    TR_RDF_XSD_DATE,
    TR_RDF_XSD_TIME,
    TR_RDF_XSD_G_YEAR,
    TR_RDF_XSD_G_YEAR_MONTH,
    TR_RDF_XSD_G_MONTH,
    TR_RDF_XSD_G_MONTH_DAY,
    TR_RDF_XSD_G_DAY,
    TR_RDF_XSD_DURATION,
    TR_RDF_XSD_DAY_TIME_DURATION,
    TR_RDF_XSD_YEAR_MONTH_DURATION,
    TR_RDF_XSD_TYPES
};

/* A point of time, or a stretch of it in which the absent parts repeat. */
typedef struct tr_rdf_xsd_moment {
    int64_t year;
    int month;
    int day;
    int hour; /* may be 24, as it was written */
    int minute;
    int second;
    tr_str fraction; /* of a second, without trailing zeros */
    int64_t seconds; /* from 1970 on, in UTC; without a zone as if in UTC */
    int zone_min;
    bool has_zone;
    bool is_huge; /* the year is too large to calculate with */
} tr_rdf_xsd_moment;

typedef struct tr_rdf_xsd_duration {
    bool is_negative;
    bool is_huge;
    int64_t months;
    int64_t seconds;
    tr_str fraction; /* of a second, without trailing zeros */
} tr_rdf_xsd_duration;

typedef struct tr_rdf_xsd_value {
    enum tr_rdf_xsd_type type;
    tr_rdf_term term;
    union {
        bool boolean;
        double number; /* of double and float */
        tr_json_decimal decimal;
        tr_rdf_xsd_moment moment;
        tr_rdf_xsd_duration duration;
    } as;
} tr_rdf_xsd_value;

enum tr_rdf_xsd_order {
    TR_RDF_XSD_LESS = -1,
    TR_RDF_XSD_EQUAL = 0,
    TR_RDF_XSD_GREATER = 1,
    TR_RDF_XSD_INCOMPARABLE = 2
};

/* The type of a datatype IRI, TR_RDF_XSD_UNKNOWN for any other. */
enum tr_rdf_xsd_type tr_rdf_xsd_type_of(tr_str datatype);

/* And back; "" for TR_RDF_XSD_UNKNOWN. */
tr_str tr_rdf_xsd_iri(enum tr_rdf_xsd_type type);

static inline bool tr_rdf_xsd_is_integer(enum tr_rdf_xsd_type type)
{
    return type >= TR_RDF_XSD_INTEGER && type <= TR_RDF_XSD_UNSIGNED_BYTE;
}

static inline bool tr_rdf_xsd_is_numeric(enum tr_rdf_xsd_type type)
{
    return type >= TR_RDF_XSD_DECIMAL && type <= TR_RDF_XSD_FLOAT;
}

/* The least and the greatest integer of a type; "" where there is none. */
void tr_rdf_xsd_integer_bounds(enum tr_rdf_xsd_type type, tr_str *min,
                               tr_str *max);

/*
 * The value of a literal; false when its lexical form is not one of its
 * datatype's. Any literal of an unknown datatype has a value. `term` must be a
 * literal, whose text the value borrows.
 */
bool tr_rdf_xsd_parse(const tr_rdf_term *term, tr_rdf_xsd_value *out);

/* Whether tr_rdf_xsd_parse would succeed with this type and text. */
bool tr_rdf_xsd_is_valid(enum tr_rdf_xsd_type type, tr_str lexical);

/*
 * How two values are ordered: numbers of all types with each other (as SPARQL
 * 17.3 promotes them), texts by code point, times by XSD 1.1's partial order,
 * which leaves some pairs with and without a zone incomparable. Values of
 * different kinds, and NaN, are incomparable.
 */
enum tr_rdf_xsd_order tr_rdf_xsd_compare(const tr_rdf_xsd_value *a,
                                         const tr_rdf_xsd_value *b);

/* As tr_rdf_xsd_compare; what has no value is incomparable. */
enum tr_rdf_xsd_order tr_rdf_xsd_compare_terms(const tr_rdf_term *a,
                                               const tr_rdf_term *b);

/* The canonical lexical form, where there is one; else the text as it is. */
void tr_rdf_xsd_write_canonical(struct tr_buf *out,
                                const tr_rdf_xsd_value *value);

/* Decimals, doubles and floats. Each takes the whole text; false when it is not
 * of the type. */
bool tr_rdf_xsd_decimal_parse(tr_str text, bool is_integer,
                              tr_json_decimal *out);
bool tr_rdf_xsd_float_parse(tr_str text, bool is_single, double *out);

/* The nearest double, or the nearest float as a double. */
double tr_rdf_xsd_decimal_to_double(const tr_json_decimal *decimal,
                                    bool is_single);

void tr_rdf_xsd_decimal_write(struct tr_buf *out,
                              const tr_json_decimal *decimal);

/* 1.0E0; INF, -INF, NaN. */
void tr_rdf_xsd_float_write(struct tr_buf *out, double value, bool is_single);

#endif
