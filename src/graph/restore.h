/*
 * graph/restore.h - a store's content from a backup, while others have it open.
 *
 * In one transaction: they go on with the old state or find the new one. The
 * feed goes on with a gap, so its readers know that anything may have changed.
 */
#ifndef TR_GRAPH_RESTORE_H
#define TR_GRAPH_RESTORE_H

#include "db/db.h"

/*
 * From the file that tr_db_backup has made, which is checked first and never
 * written to; one of an older version is brought up to date in a copy.
 * TR_E_UNSUPPORTED for one of a newer version, TR_E_INVALID for what is no
 * backup, TR_E_IO for a damaged one.
 */
TR_NODISCARD tr_status tr_restore(const char *path,
                                  const struct tr_db_opts *opts,
                                  const char *backup, struct tr_err *err);

#endif
