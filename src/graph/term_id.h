/*
 * graph/term_id.h - how the store numbers terms.
 *
 * The low four bits say what kind of term it is. Above them stands a sequence
 * number of the term table, or the value itself: small integers, booleans and
 * times to the second need no row, and in an index they stand in their order.
 * Only canonical forms (XSD 1.1 Part 2) are coded so: to RDF "+5" and "5" are
 * different terms (RDF 1.1 Concepts, 3.3).
 */
#ifndef TR_GRAPH_TERM_ID_H
#define TR_GRAPH_TERM_ID_H

#include "rdf/graph.h"

enum tr_graph_term_tag {
    TR_GRAPH_TAG_IRI = 1,
    TR_GRAPH_TAG_STRING = 2,  /* xsd:string */
    TR_GRAPH_TAG_TYPED = 3,   /* any other datatype */
    TR_GRAPH_TAG_LANG = 4,    /* with a language */
    TR_GRAPH_TAG_INTEGER = 8, /* these are the value */
    TR_GRAPH_TAG_BOOLEAN = 9,
    TR_GRAPH_TAG_DATETIME = 10, /* in UTC */
};

#define TR_GRAPH_TAG_BITS 4

static inline enum tr_graph_term_tag tr_graph_id_tag(tr_rdf_id id)
{
    return (enum tr_graph_term_tag)(id & ((1u << TR_GRAPH_TAG_BITS) - 1));
}

static inline tr_rdf_id tr_graph_id_make(uint64_t payload,
                                         enum tr_graph_term_tag tag)
{
    return payload << TR_GRAPH_TAG_BITS | tag;
}

static inline bool tr_graph_id_is_inline(tr_rdf_id id)
{
    return tr_graph_id_tag(id) >= TR_GRAPH_TAG_INTEGER;
}

/* A literal stands in another index than a resource. */
static inline bool tr_graph_id_is_literal(tr_rdf_id id)
{
    return tr_graph_id_tag(id) >= TR_GRAPH_TAG_STRING;
}

/* Sorts ids, and keeps one of each; how many are left. */
size_t tr_graph_ids_sort(tr_rdf_id *ids, size_t count);

/* The id of a term whose value fits into it; false when it needs a row. */
bool tr_graph_id_encode(const tr_rdf_term *term, tr_rdf_id *out);

/* The longest text that tr_graph_id_decode writes. */
#define TR_GRAPH_ID_TEXT 32

/* The canonical form of an xsd:integer. */
tr_str tr_graph_id_write_integer(int64_t value, char text[TR_GRAPH_ID_TEXT]);

/* The term of an inline id; its text may be written to `text`. */
tr_rdf_term tr_graph_id_decode(tr_rdf_id id, char text[TR_GRAPH_ID_TEXT]);

#endif
