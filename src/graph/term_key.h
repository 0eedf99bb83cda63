/*
 * graph/term_key.h - what the term table finds a term by.
 *
 * A key is the tag; then for a literal the id of its datatype, or its language
 * and a NUL; then the text.
 */
#ifndef TR_GRAPH_TERM_KEY_H
#define TR_GRAPH_TERM_KEY_H

#include "graph/term_id.h"

/* The datatype of a literal stands in its key as an id, of fixed size. */
#define TR_GRAPH_KEY_ID_BYTES 8

/* Whether the key of a term holds the id of its datatype. */
bool tr_graph_term_key_has_datatype(const tr_rdf_term *term);

/* Bytes of the key of an IRI or literal. */
size_t tr_graph_term_key_len(const tr_rdf_term *term);

/* Writes tr_graph_term_key_len bytes; `datatype` is for keys that have it. */
void tr_graph_term_key_write(const tr_rdf_term *term, tr_rdf_id datatype,
                             char *to);

/* The id at the start of `bytes`. */
tr_rdf_id tr_graph_term_key_id(const char *bytes);

#endif
