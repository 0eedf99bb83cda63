/*
 * fields/kind.h - the kinds of fields: all that is known of each, in one row.
 *
 * What follows from a kind alone is a view of its row: JSON Schema, SHACL, the
 * rules of registration, filters, how its texts are read.
 */
#ifndef TR_FIELDS_KIND_H
#define TR_FIELDS_KIND_H

#include "fields/field.h"
#include "rdf/xsd.h"

/* What a kind can be used for, and what can be said of a field of it. */
enum tr_field_trait {
    TR_FIELD_HAS_PATTERN = 1 << 0,   /* pattern */
    TR_FIELD_HAS_LENGTH = 1 << 1,    /* min_length, max_length */
    TR_FIELD_HAS_BOUNDS = 1 << 2,    /* min_value, max_exclusive... */
    TR_FIELD_HAS_CHOICES = 1 << 3,   /* one_of */
    TR_FIELD_HAS_HEADER = 1 << 4,    /* x-mcp-header (MCP: no numbers) */
    TR_FIELD_HAS_ORDER = 1 << 5,     /* values can be sorted */
    TR_FIELD_HAS_SPELLINGS = 1 << 6, /* a value is written in several ways */
    TR_FIELD_IS_FILTER = 1 << 7,     /* nodes are found by a value */
    TR_FIELD_IS_UNIQUE = 1 << 8,     /* unique = true */
    TR_FIELD_IS_INDEXED = 1 << 9,    /* by value, unless told otherwise */
    TR_FIELD_IS_SEARCHED = 1 << 10,  /* search = true */
    TR_FIELD_IS_LABEL = 1 << 11,     /* a name for people */
    TR_FIELD_IS_ARGUMENT = 1 << 12,  /* of a prompt, which has texts only */
    TR_FIELD_IS_NUMBER = 1 << 13,    /* a JSON number */
    TR_FIELD_IS_ASKED = 1 << 14,     /* a person can be asked for it */
};

struct tr_field_kind_row {
    const char *name;      /* in app.lua */
    const char *expected;  /* "must be ..." */
    const char *json_type; /* NULL: any */
    const char *format;    /* of JSON Schema, or NULL */
    const char *pattern;   /* of its texts, or NULL: for JSON Schema where there
                              is no format, and for SHACL */
    const char *datatype;  /* "" for what is no literal */
    const char *short_name;   /* "xsd:integer", as clients are told */
    enum tr_rdf_xsd_type xsd; /* TR_RDF_XSD_UNKNOWN: none of XSD's */
    unsigned traits;
};

const struct tr_field_kind_row *tr_field_kind_row(enum tr_field_kind kind);

/* The kinds that have a trait, in words: "text, integer and date". Returns
 * `room`. */
const char *tr_field_kind_names(unsigned trait, char *room, size_t size);

/* Whether a kind has a trait. */
static inline bool tr_field_kind_has(enum tr_field_kind kind,
                                     enum tr_field_trait trait)
{
    return tr_field_kind_row(kind)->traits & (unsigned)trait;
}

static inline bool tr_field_has(const struct tr_field *field,
                                enum tr_field_trait trait)
{
    return tr_field_kind_has(field->kind, trait);
}

#endif
