/*
 * server/slow.h - slow queries of servers that have ended, kept in the store
 * for `trails check`: what query/scans.h noted until they stopped. A server
 * that was killed keeps nothing.
 */
#ifndef TR_SERVER_SLOW_H
#define TR_SERVER_SLOW_H

#include "query/scans.h"
#include "server/app.h"

/* Adds them to those of before, of 30 days; a failure is logged. `path` is of
 * a store that is open. */
void tr_server_slow_keep(struct tr_query_scans *scans, const char *path);

/* Those that are kept, the most expensive first; none when there is no store,
 * or one of before. */
TR_NODISCARD tr_status
tr_server_slow_read(const struct tr_server_app *app,
                    struct tr_query_scan out[TR_LIMIT_QUERY_SCANS],
                    size_t *count, struct tr_err *err);

#endif
