/*
 * rdf/sink.h - where a reader puts what it reads.
 */
#ifndef TR_RDF_SINK_H
#define TR_RDF_SINK_H

#include "rdf/term.h"

struct tr_rdf_sink {
    void *context;

    /* One quad, borrowed for the call. Failing ends the reading. */
    tr_status (*quad)(void *context, const tr_quad *quad, struct tr_err *err);

    /* A prefix that the document declares; NULL when nobody cares. */
    tr_status (*prefix)(void *context, tr_str name, tr_str iri,
                        struct tr_err *err);
};

#endif
