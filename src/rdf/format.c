#include "rdf/format.h"

static const struct tr_rdf_format_info formats[TR_RDF_FORMATS] = {
    [TR_RDF_NTRIPLES] = {"ntriples", "nt", false},
    [TR_RDF_NQUADS] = {"nquads", "nq", true},
    [TR_RDF_TURTLE] = {"turtle", "ttl", false},
    [TR_RDF_TRIG] = {"trig", "trig", true},
    [TR_RDF_JSONLD] = {"jsonld", "jsonld", true},
};

const struct tr_rdf_format_info *tr_rdf_format_info(enum tr_rdf_format format)
{
    return &formats[format];
}

bool tr_rdf_format_find(tr_str name, enum tr_rdf_format *out)
{
    for (int i = 0; i < TR_RDF_FORMATS; i++) {
        if (tr_str_eq(name, tr_str_from(formats[i].name)) ||
            tr_str_eq(name, tr_str_from(formats[i].ending))) {
            *out = (enum tr_rdf_format)i;
            return true;
        }
    }
    return false;
}

bool tr_rdf_format_of_file(tr_str path, enum tr_rdf_format *out)
{
    size_t dot = path.len;
    while (dot && path.ptr[dot - 1] != '.' && path.ptr[dot - 1] != '/')
        dot--;
    return dot && path.ptr[dot - 1] == '.' &&
           tr_rdf_format_find(tr_str_skip(path, dot), out);
}
