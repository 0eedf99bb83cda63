/*
 * rdf/name.h - the characters of blank node labels and prefixed names (Turtle,
 * productions PN_CHARS_BASE to PN_LOCAL), and of language tags.
 */
#ifndef TR_RDF_NAME_H
#define TR_RDF_NAME_H

#include "base/str.h"

bool tr_rdf_is_name_start(uint32_t code_point); /* PN_CHARS_U: '_' too */
bool tr_rdf_is_name_char(uint32_t code_point);  /* PN_CHARS */

/* Length of the BLANK_NODE_LABEL without "_:" that `s` starts with, or 0. */
size_t tr_rdf_label_len(tr_str s);

/* Length of the LANGTAG without "@" that `s` starts with, or 0. */
size_t tr_rdf_language_len(tr_str s);

/* Whether two tags are the same, whatever their case (RDF 1.1 Concepts, 3.3).
 */
bool tr_rdf_language_eq(tr_str a, tr_str b);

/* Whether `s` is a PN_LOCAL that needs no escapes. Empty is one. */
bool tr_rdf_is_plain_local(tr_str s);

/* Whether `s` is a PN_PREFIX, or empty. */
bool tr_rdf_is_prefix(tr_str s);

#endif
