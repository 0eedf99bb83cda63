/*
 * rows/term_id.h - how the store numbers terms.
 *
 * The low four bits say what kind of term it is. Above them stands, for an IRI,
 * its number in the term table; for small integers, booleans and times to the
 * second the value itself; for any other literal a number that one connection
 * has given it, and forgets (rows/terms.h). Only canonical forms
 * (pack/canonical.h) are coded so.
 */
#ifndef TR_ROWS_TERM_ID_H
#define TR_ROWS_TERM_ID_H

#include "pack/value.h"
#include "rdf/graph.h"

enum tr_rows_term_tag {
    TR_ROWS_TAG_IRI = 1,
    TR_ROWS_TAG_LITERAL = 2, /* numbered by the connection */
    TR_ROWS_TAG_INTEGER = 8, /* these are the value */
    TR_ROWS_TAG_BOOLEAN = 9,
    TR_ROWS_TAG_DATETIME = 10, /* in UTC */
};

#define TR_ROWS_TAG_BITS 4

static inline enum tr_rows_term_tag tr_rows_id_tag(tr_rdf_id id)
{
    return (enum tr_rows_term_tag)(id & ((1u << TR_ROWS_TAG_BITS) - 1));
}

static inline tr_rdf_id tr_rows_id_make(uint64_t payload,
                                        enum tr_rows_term_tag tag)
{
    return payload << TR_ROWS_TAG_BITS | tag;
}

static inline bool tr_rows_id_is_inline(tr_rdf_id id)
{
    return tr_rows_id_tag(id) >= TR_ROWS_TAG_INTEGER;
}

/* A literal stands in another index than a resource. */
static inline bool tr_rows_id_is_literal(tr_rdf_id id)
{
    return tr_rows_id_tag(id) >= TR_ROWS_TAG_LITERAL;
}

/* The number of an IRI or a graph in packed statements (pack/body.h): the
 * default graph has none. */
static inline uint64_t tr_rows_id_number(tr_rdf_id id)
{
    return id >> TR_ROWS_TAG_BITS;
}

static inline tr_rdf_id tr_rows_id_of_graph(uint64_t number)
{
    return number ? tr_rows_id_make(number, TR_ROWS_TAG_IRI)
                  : TR_RDF_ID_DEFAULT_GRAPH;
}

/* The id of a reference, or of a value that fits into it; false for others. */
bool tr_rows_id_of_value(const struct tr_pack_value *value, tr_rdf_id *out);

/* The value of such an id; false for a number of the connection. */
bool tr_rows_id_value(tr_rdf_id id, struct tr_pack_value *out);

/* The longest text that tr_rows_id_decode writes. */
#define TR_ROWS_ID_TEXT TR_PACK_CANONICAL_TEXT

/* The term of an inline id; its text may be written to `text`. */
tr_rdf_term tr_rows_id_decode(tr_rdf_id id, char text[TR_ROWS_ID_TEXT]);

#endif
