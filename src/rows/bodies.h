/*
 * rows/bodies.h - the rows of subjects that a connection has just read.
 *
 * Who asks one thing of a node asks more: the last few rows are kept until the
 * transaction ends (tr_rows_terms_renew), or they are written. A row is
 * overwritten by others when its turn comes; `stamp` tells who still reads it.
 */
#ifndef TR_ROWS_BODIES_H
#define TR_ROWS_BODIES_H

#include "base/buf.h"
#include "rows/terms.h"

/* A row of `node`. */
struct tr_rows_body {
    tr_rdf_id s;    /* TR_RDF_ID_NONE: nothing was read into it */
    uint64_t stamp; /* of the read: no two have the same */
    uint64_t used;  /* when somebody last asked */
    bool is_there;  /* there is a row */
    bool is_node;   /* not only a subject: it has a type or was made as one */
    tr_rdf_id type; /* the class it is shown as, or TR_RDF_ID_NONE */
    int64_t version;
    struct tr_buf label; /* what people call it, or "" */
    struct tr_buf bytes; /* pack/body.h */
};

#define TR_ROWS_BODIES 8

struct tr_rows_bodies {
    struct tr_rows_body kept[TR_ROWS_BODIES];
    struct tr_rows_body *last; /* that was asked for */
    uint64_t clock;
};

void tr_rows_bodies_init(struct tr_rows_bodies *bodies);
void tr_rows_bodies_done(struct tr_rows_bodies *bodies);

/* Forgets all of them. */
void tr_rows_bodies_clear(struct tr_rows_bodies *bodies);

/* The row of a subject; borrowed until its stamp changes. */
TR_NODISCARD tr_status tr_rows_body_read(struct tr_rows_terms *terms,
                                         tr_rdf_id s, struct tr_rows_body **out,
                                         struct tr_err *err);

/* Forgets one: it was written. */
void tr_rows_body_drop(struct tr_rows_terms *terms, tr_rdf_id s);

#endif
