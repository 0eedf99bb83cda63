/*
 * rdf/line_term.h - one term of an N-Triples or N-Quads line.
 *
 * Terms are views into the line, or into `decoded` where they had escapes. A
 * failure leaves `at` where the fault is, so that the caller can report it.
 */
#ifndef TR_RDF_LINE_TERM_H
#define TR_RDF_LINE_TERM_H

#include "base/err.h"
#include "rdf/term.h"

struct tr_rdf_line {
    const char *start;
    const char *at;
    const char *end;
    struct tr_buf *decoded; /* holds a line without growing, so views last */
    const char *why;        /* what is wrong at `at` */
    struct tr_err *fault;   /* room for it, where it is of an IRI */
};

/* Each steps over its term; false, with `why`, when it is not there. */
bool tr_rdf_line_iri(struct tr_rdf_line *line, tr_rdf_term *out);
bool tr_rdf_line_resource(struct tr_rdf_line *line,
                          tr_rdf_term *out); /* IRI or blank */
bool tr_rdf_line_object(struct tr_rdf_line *line, tr_rdf_term *out);

/* White space may stand between any two terminals (N-Triples, 2). */
void tr_rdf_line_skip_space(struct tr_rdf_line *line);

/* Says what is wrong where the line stands; false. */
bool tr_rdf_line_fail(struct tr_rdf_line *line, const char *why);

#endif
