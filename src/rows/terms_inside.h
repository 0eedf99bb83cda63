/*
 * rows/terms_inside.h - what terms are remembered; for terms.c,
 * literals.c and their tests.
 */
#ifndef TR_ROWS_TERMS_INSIDE_H
#define TR_ROWS_TERMS_INSIDE_H

#include "rows/bodies.h"
#include "rows/seen.h"
#include "rows/terms.h"

struct tr_rows_terms {
    struct tr_db *db;
    struct tr_rows_seen iris;
    struct tr_rows_seen literals;
    uint64_t generation; /* of the ids of literals */
    size_t needed;       /* bytes of literals that one job took; 0: unknown */
    uint64_t next;       /* the number of a new IRI; 0: not read yet */
    struct tr_buf value; /* the bytes of one that is looked up */
    struct tr_rows_bodies bodies;
};

/* literals.c: the id of a literal, from all bytes of its value. */
TR_NODISCARD tr_status tr_rows_terms_see(struct tr_rows_terms *terms,
                                         tr_str bytes, tr_rdf_id *out,
                                         struct tr_err *err);
TR_NODISCARD tr_status tr_rows_terms_get_literal(struct tr_rows_terms *terms,
                                                 tr_rdf_id id, tr_rdf_term *out,
                                                 struct tr_err *err);

/* terms.c */
TR_NODISCARD tr_status tr_rows_terms_get_iri(struct tr_rows_terms *terms,
                                             tr_rdf_id id, tr_str *out,
                                             struct tr_err *err);

#endif
