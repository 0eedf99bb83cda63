/*
 * test/support/literals.h - random terms of every kind, in every spelling.
 */
#ifndef TR_TEST_SUPPORT_LITERALS_H
#define TR_TEST_SUPPORT_LITERALS_H

#include "base/buf.h"
#include "rdf/term.h"

/* A term and its texts; the term points into it, so it must not move. */
struct literal {
    tr_rdf_term term;
    struct tr_buf text;
    struct tr_buf language;
};

void literal_init(struct literal *literal);
void literal_done(struct literal *literal);

/* Another random literal. */
void literal_make(struct literal *literal);

/* As literal_make, but now and then an IRI. */
void literal_make_term(struct literal *literal);

#endif
