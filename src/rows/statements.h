/*
 * rows/statements.h - what is said of one subject, as it is stored: in its
 * row, and in `spo` where one predicate has too many to be packed.
 *
 *     struct tr_rows_statements all;
 *     tr_pack_statement one;
 *     tr_rows_statements_open(&all, terms, s, 0);
 *     while (tr_rows_statements_next(&all, &one))
 *         use(&one);
 *     return tr_rows_statements_close(&all, err);
 */
#ifndef TR_ROWS_STATEMENTS_H
#define TR_ROWS_STATEMENTS_H

#include "pack/body.h"
#include "rows/bodies.h"

struct tr_db_stmt;

/* The caller's storage. */
struct tr_rows_statements {
    struct tr_rows_terms *terms;
    tr_rdf_id s;
    uint64_t p; /* the number of the only predicate that is wanted, or 0 */
    const struct tr_rows_body *kept; /* where `body` reads; NULL: elsewhere */
    uint64_t stamp;
    const char *base; /* the first byte, when it was last looked at */
    struct tr_pack_cursor body;
    bool is_packed_only;     /* of a predicate in `spo`, only... */
    bool met_mark;           /* ... that it is there is told */
    struct tr_db_stmt *rows; /* of `spo`, while they are read */
    uint64_t rows_p;
    tr_status failed;
};

/* Those with one predicate, by its number; 0: all. */
void tr_rows_statements_open(struct tr_rows_statements *all,
                             struct tr_rows_terms *terms, tr_rdf_id s,
                             uint64_t p);

/* The same of a body that the caller has at hand, until it is closed. */
void tr_rows_statements_open_body(struct tr_rows_statements *all,
                                  struct tr_rows_terms *terms, tr_rdf_id s,
                                  uint64_t p, tr_str body);

/* The next, a view until the next call; false at the end and on failure. */
bool tr_rows_statements_next(struct tr_rows_statements *all,
                             tr_pack_statement *out);

TR_NODISCARD tr_status tr_rows_statements_close(struct tr_rows_statements *all,
                                                struct tr_err *err);

#endif
