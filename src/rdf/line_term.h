/*
 * rdf/line_term.h - one term of an N-Triples or N-Quads line.
 *
 * Terms are views into the line, or into `decoded` where they had escapes. A
 * failure leaves `at` where the fault is, so that the caller can report it.
 */
#ifndef TR_RDF_LINE_TERM_H
#define TR_RDF_LINE_TERM_H

#include "rdf/term.h"

struct tr_rdf_line {
    const char *start;
    const char *at;
    const char *end;
    struct tr_buf *decoded; /* holds a line without growing, so views last */
    const char *why;        /* what is wrong at `at` */
};

/* Each steps over its term; false, with `why`, when it is not there. */
bool tr_rdf_line_iri(struct tr_rdf_line *line, tr_rdf_term *out);
bool tr_rdf_line_resource(struct tr_rdf_line *line,
                          tr_rdf_term *out); /* IRI or blank */
bool tr_rdf_line_object(struct tr_rdf_line *line, tr_rdf_term *out);

/* Says what is wrong where the line stands; false. */
bool tr_rdf_line_fail(struct tr_rdf_line *line, const char *why);

#endif
