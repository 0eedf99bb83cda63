/*
 * query/scans.h - which filters and orders have looked at many nodes for want
 * of an index, since the process began: for trails://doctor.
 *
 * Every loop notes its own, so there is a lock; it is taken by slow queries
 * alone.
 */
#ifndef TR_QUERY_SCANS_H
#define TR_QUERY_SCANS_H

#include "base/err.h"
#include "base/limits.h"

struct tr_query_scans;

TR_NODISCARD tr_status tr_query_scans_create(struct tr_query_scans **out,
                                             struct tr_err *err);

/* NULL is allowed. */
void tr_query_scans_free(struct tr_query_scans *scans);

/* A field of a type, how often it was slow, and how many nodes that took. */
struct tr_query_scan {
    char type[TR_LIMIT_NAME_BYTES + 1];
    char field[TR_LIMIT_NAME_BYTES + 1];
    uint64_t times;
    uint64_t looked;
};

/* One more; what there is no room for takes the place of the least. */
void tr_query_scans_note(struct tr_query_scans *scans, tr_str type,
                         tr_str field, size_t looked);

/* Those so far, the most expensive first; returns how many. */
size_t tr_query_scans_read(struct tr_query_scans *scans,
                           struct tr_query_scan out[TR_LIMIT_QUERY_SCANS]);

/* What was noted since it was taken last, for who keeps it; the second gives it
 * back, when it could not be kept. */
size_t tr_query_scans_take(struct tr_query_scans *scans,
                           struct tr_query_scan out[TR_LIMIT_QUERY_SCANS]);
void tr_query_scans_give_back(struct tr_query_scans *scans,
                              const struct tr_query_scan *taken, size_t count);

#endif
