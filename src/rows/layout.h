/*
 * rows/layout.h - the step from a store in which literals had numbers to one
 * that has values where they are used (docs/decisions/0032).
 */
#ifndef TR_ROWS_LAYOUT_H
#define TR_ROWS_LAYOUT_H

#include "db/db.h"

/* The version of a store that has taken it. */
#define TR_ROWS_LAYOUT_VERSION 9

/*
 * A step of graph/schema.h. IRIs keep their numbers, so that cursors, the feed
 * and activities stay valid. TR_E_LIMIT when the disk has no room for both.
 */
TR_NODISCARD tr_status tr_rows_layout(struct tr_db *db, struct tr_err *err);

#endif
