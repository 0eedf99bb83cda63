/*
 * prov/trim.h - how long activities that wrote nothing are kept.
 */
#ifndef TR_PROV_TRIM_H
#define TR_PROV_TRIM_H

#include "base/err.h"

struct tr_db;

/* A field left zero takes the default named beside it. */
struct tr_prov_keep {
    int64_t read_days; /* TR_LIMIT_PROV_READ_DAYS */
    int64_t read_rows; /* TR_LIMIT_PROV_READ_ROWS */
};

/*
 * Removes the oldest that are too many or too old at `now_us`, but at most
 * `max_rows`; in a transaction that writes.
 */
TR_NODISCARD tr_status tr_prov_trim(struct tr_db *db,
                                    const struct tr_prov_keep *keep,
                                    int64_t now_us, int64_t max_rows,
                                    struct tr_err *err);

#endif
