#include "fields/kind.h"

#include <stdio.h>

/* What one value that is kept as a literal of its own can be used for. */
#define FOUND                                                                  \
    (TR_FIELD_IS_FILTER | TR_FIELD_IS_UNIQUE | TR_FIELD_IS_INDEXED |           \
     TR_FIELD_HAS_ORDER)

/* What a client can give as one text. */
#define GIVEN (TR_FIELD_IS_ARGUMENT | TR_FIELD_IS_ASKED | TR_FIELD_HAS_HEADER)

#define BOUND (TR_FIELD_HAS_BOUNDS | TR_FIELD_HAS_CHOICES)

/* hh:mm:ss; a fraction of a second may follow. */
#define CLOCK "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?"

/* With so few digits that it can be calculated with (rdf/xsd.h, is_huge). */
#define PART(letter) "0*[0-9]{1,10}" letter
#define SECONDS      "0*[0-9]{1,10}([.][0-9]+)?S"
#define HOURS                                                                  \
    "(" PART("H") "(" PART("M") ")?(" SECONDS                                  \
                                ")?|" PART("M") "(" SECONDS ")?|" SECONDS ")"

/* RFC 3986: what a part of a URI is made of, and octets in percent. An address
 * in brackets is looked at no further. */
#define OCTET     "|%[0-9A-Fa-f]{2})"
#define USER      "([!$&-.0-;=A-Z_a-z~]" OCTET "*@"
#define HOST      "([!$&-.0-9;=A-Z_a-z~]" OCTET "*"
#define ADDRESS   "\\[[0-9A-Za-z:.]+\\]"
#define SEGMENT   "([!$&-.0-;=@-Z_a-z~]" OCTET
#define PATH      "([!$&-;=@-Z_a-z~]" OCTET "*"
#define QUERY     "([!$&-;=?-Z_a-z~]" OCTET "*"
#define AUTHORITY "//(" USER ")?(" ADDRESS "|" HOST ")(:[0-9]*)?"
#define URI_CHARS                                                              \
    "(" AUTHORITY "(/" PATH ")?|/?(" SEGMENT PATH ")?)([?]" QUERY ")?(#" QUERY \
    ")?"

/* RFC 5322, 3.2.3: atext. */
#define ATOM  "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
#define LABEL "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"

static const struct tr_field_kind_row rows[TR_FIELD_KINDS] = {
    [TR_FIELD_TEXT] = {.name = "text",
                       .expected = "text",
                       .json_type = "string",
                       .datatype = TR_RDF_IRI_XSD_STRING,
                       .short_name = "xsd:string",
                       .xsd = TR_RDF_XSD_STRING,
                       .traits = FOUND | GIVEN | TR_FIELD_HAS_PATTERN |
                                 TR_FIELD_HAS_LENGTH | TR_FIELD_HAS_CHOICES |
                                 TR_FIELD_IS_SEARCHED | TR_FIELD_IS_LABEL},
    [TR_FIELD_INTEGER] = {.name = "integer",
                          .expected = "an integer",
                          .json_type = "integer",
                          .datatype = TR_RDF_IRI_XSD_INTEGER,
                          .short_name = "xsd:integer",
                          .xsd = TR_RDF_XSD_INTEGER,
                          .traits = FOUND | GIVEN | BOUND | TR_FIELD_IS_NUMBER |
                                    TR_FIELD_HAS_SPELLINGS},
    [TR_FIELD_NUMBER] = {.name = "number",
                         .expected = "a number",
                         .json_type = "number",
                         .datatype = TR_RDF_IRI_XSD_DOUBLE,
                         .short_name = "xsd:double",
                         .xsd = TR_RDF_XSD_DOUBLE,
                         .traits = FOUND | BOUND | TR_FIELD_IS_ARGUMENT |
                                   TR_FIELD_IS_ASKED | TR_FIELD_IS_NUMBER |
                                   TR_FIELD_HAS_SPELLINGS},
    [TR_FIELD_BOOLEAN] = {.name = "boolean",
                          .expected = "true or false",
                          .json_type = "boolean",
                          .datatype = TR_RDF_IRI_XSD_BOOLEAN,
                          .short_name = "xsd:boolean",
                          .xsd = TR_RDF_XSD_BOOLEAN,
                          .traits = FOUND | GIVEN | TR_FIELD_HAS_SPELLINGS},
    [TR_FIELD_DATETIME] = {.name = "datetime",
                           .expected = "an RFC 3339 date and time",
                           .json_type = "string",
                           .format = "date-time",
                           .datatype = TR_RDF_IRI_XSD_DATE_TIME,
                           .short_name = "xsd:dateTime",
                           .xsd = TR_RDF_XSD_DATE_TIME,
                           .traits = FOUND | GIVEN | TR_FIELD_HAS_SPELLINGS},
    [TR_FIELD_REF] = {.name = "ref",
                      .expected = "an IRI",
                      .json_type = "string",
                      .format = "iri",
                      .datatype = "",
                      .short_name = "iri",
                      .traits = TR_FIELD_IS_FILTER | TR_FIELD_IS_UNIQUE |
                                TR_FIELD_IS_INDEXED | TR_FIELD_HAS_HEADER},
    [TR_FIELD_DATE] = {.name = "date",
                       .expected = "a date such as 2026-07-28",
                       .json_type = "string",
                       .format = "date",
                       .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                       .datatype = TR_RDF_IRI_XSD_DATE,
                       .short_name = "xsd:date",
                       .xsd = TR_RDF_XSD_DATE,
                       .traits = FOUND | GIVEN | BOUND},
    [TR_FIELD_TIME] = {.name = "time",
                       .expected = "a time such as 14:30:00",
                       .json_type = "string",
                       .pattern = "^" CLOCK "$",
                       .datatype = TR_RDF_IRI_XSD_TIME,
                       .short_name = "xsd:time",
                       .xsd = TR_RDF_XSD_TIME,
                       .traits =
                           FOUND | GIVEN | BOUND | TR_FIELD_HAS_SPELLINGS},
    [TR_FIELD_DURATION] = {.name = "duration",
                           .expected = "a duration such as PT1H30M or P1DT2H",
                           .json_type = "string",
                           .pattern =
                               "^-?P(" PART("D") "(T" HOURS ")?|T" HOURS ")$",
                           .datatype = TR_RDF_IRI_XSD_DURATION,
                           .short_name = "xsd:dayTimeDuration",
                           .xsd = TR_RDF_XSD_DAY_TIME_DURATION,
                           .traits =
                               FOUND | GIVEN | BOUND | TR_FIELD_HAS_SPELLINGS},
    [TR_FIELD_DECIMAL] = {.name = "decimal",
                          .expected = "a decimal such as 12.50",
                          .json_type = "string",
                          .pattern = "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)$",
                          .datatype = TR_RDF_IRI_XSD_DECIMAL,
                          .short_name = "xsd:decimal",
                          .xsd = TR_RDF_XSD_DECIMAL,
                          .traits =
                              FOUND | GIVEN | BOUND | TR_FIELD_HAS_SPELLINGS},
    [TR_FIELD_URI] = {.name = "uri",
                      .expected = "an absolute URI",
                      .json_type = "string",
                      .format = "uri",
                      .pattern = "^[A-Za-z][A-Za-z0-9+.-]*:" URI_CHARS "$",
                      .datatype = TR_RDF_IRI_XSD_ANY_URI,
                      .short_name = "xsd:anyURI",
                      .xsd = TR_RDF_XSD_ANY_URI,
                      .traits = FOUND | GIVEN | TR_FIELD_HAS_LENGTH |
                                TR_FIELD_HAS_CHOICES | TR_FIELD_IS_SEARCHED},
    [TR_FIELD_EMAIL] = {.name = "email",
                        .expected = "an email address such as ada@example.org",
                        .json_type = "string",
                        .format = "email",
                        .pattern =
                            "^" ATOM "([.]" ATOM ")*@(" LABEL "[.])+" LABEL "$",
                        .datatype = TR_RDF_IRI_XSD_STRING,
                        .short_name = "xsd:string",
                        .xsd = TR_RDF_XSD_STRING,
                        .traits = FOUND | GIVEN | TR_FIELD_HAS_LENGTH |
                                  TR_FIELD_HAS_CHOICES | TR_FIELD_IS_SEARCHED |
                                  TR_FIELD_IS_LABEL},
    [TR_FIELD_JSON] = {.name = "json",
                       .expected = "a JSON value",
                       .datatype = TR_RDF_IRI_RDF_JSON,
                       .short_name = "rdf:JSON",
                       .traits = TR_FIELD_IS_UNIQUE | TR_FIELD_HAS_SPELLINGS},
    [TR_FIELD_OBJECT] = {.name = "object",
                         .expected = "an object",
                         .json_type = "object",
                         .datatype = "",
                         .short_name = "object"},
};

const struct tr_field_kind_row *tr_field_kind_row(enum tr_field_kind kind)
{
    return &rows[kind];
}

const char *tr_field_kind_name(enum tr_field_kind kind)
{
    return rows[kind].name;
}

const char *tr_field_kind_names(unsigned trait, char *room, size_t size)
{
    const char *names[TR_FIELD_KINDS] = {0};
    size_t count = 0;
    size_t len = 0;
    for (int i = 0; i < TR_FIELD_KINDS; i++) {
        if ((rows[i].traits & trait) == trait)
            names[count++] = rows[i].name;
    }
    room[0] = '\0';
    for (size_t i = 0; i < count && len < size; i++)
        len += (size_t)snprintf(room + len, size - len, "%s%s",
                                i == 0           ? ""
                                : i + 1 == count ? " and "
                                                 : ", ",
                                names[i]);
    return room;
}
