/*
 * rdf/xsd_text.h - the datatypes whose values are text.
 */
#ifndef TR_RDF_XSD_TEXT_H
#define TR_RDF_XSD_TEXT_H

#include "rdf/xsd.h"

/* Whether `text` is in the lexical space of a text or binary type. */
bool tr_rdf_xsd_text_is_valid(enum tr_rdf_xsd_type type, tr_str text);

#endif
