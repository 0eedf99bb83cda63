/*
 * rdf/format.h - the syntaxes by name, file ending and media type.
 */
#ifndef TR_RDF_FORMAT_H
#define TR_RDF_FORMAT_H

#include "base/str.h"

enum tr_rdf_format {
    TR_RDF_NTRIPLES,
    TR_RDF_NQUADS,
    TR_RDF_TURTLE,
    TR_RDF_TRIG,
    TR_RDF_JSONLD, /* read as we write it */
    TR_RDF_FORMATS
};

struct tr_rdf_format_info {
    const char *name;   /* "turtle" */
    const char *ending; /* "ttl" */
    bool has_graphs;    /* can say which graph a triple is in */
};

/* Never NULL for a format of the enum. */
const struct tr_rdf_format_info *tr_rdf_format_info(enum tr_rdf_format format);

/* By name or file ending; false when there is none. */
bool tr_rdf_format_find(tr_str name, enum tr_rdf_format *out);

/* By what stands after the last dot of a file's name. */
bool tr_rdf_format_of_file(tr_str path, enum tr_rdf_format *out);

#endif
