/*
 * rdf/turtle_term.h - one term in Turtle: prefixed names, plain numbers.
 */
#ifndef TR_RDF_TURTLE_TERM_H
#define TR_RDF_TURTLE_TERM_H

#include "rdf/prefixes.h"
#include "rdf/term.h"

void tr_turtle_write_term(struct tr_buf *out,
                          const struct tr_prefixes *prefixes,
                          const tr_term *term);

/* Copies to `used` the one of `known` that `term` is written with, if any. */
TR_NODISCARD tr_status tr_turtle_use_prefix(struct tr_prefixes *used,
                                            const struct tr_prefixes *known,
                                            const tr_term *term,
                                            struct tr_err *err);

/* `given` (may be NULL) and the well-known ones whose names are still free. */
TR_NODISCARD tr_status tr_turtle_known_prefixes(const struct tr_prefixes *given,
                                                struct tr_prefixes *out,
                                                struct tr_err *err);

#endif
