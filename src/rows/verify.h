/*
 * rows/verify.h - whether the tables agree with each other.
 */
#ifndef TR_ROWS_VERIFY_H
#define TR_ROWS_VERIFY_H

#include "db/db.h"

/*
 * Holds what is said of nodes against the indexes, both ways, and against the
 * IRIs, texts and counts that it needs: TR_OK, or TR_E_IO with the first fault.
 * In a transaction; tr_db_check looks at the pages.
 */
TR_NODISCARD tr_status tr_rows_verify(struct tr_db *db, struct tr_err *err);

#endif
