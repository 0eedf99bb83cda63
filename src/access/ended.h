/*
 * access/ended.h - sessions that their clients have ended, which nobody may
 * take up again.
 *
 * A row stays until the session's id has expired. A caller has a bounded number
 * of them: when there are more, the older half is replaced by its time, and
 * whatever that caller began until then counts as ended.
 */
#ifndef TR_ACCESS_ENDED_H
#define TR_ACCESS_ENDED_H

#include "base/err.h"
#include "crypto/digest.h"

struct tr_db;

/* Bytes of the name of a session, which are random. */
#define TR_ACCESS_ENDED_NAME 16

/* Which session it is, and whose. */
struct tr_access_ended {
    unsigned char caller[TR_CRYPTO_SHA256_BYTES];
    unsigned char name[TR_ACCESS_ENDED_NAME];
    int64_t made_s;
};

/* Whether it has ended. */
TR_NODISCARD tr_status
tr_access_ended_find(struct tr_db *db, const struct tr_access_ended *session,
                     bool *out, struct tr_err *err);

/* Ends it, in a transaction that writes; deletes some that have expired. */
TR_NODISCARD tr_status
tr_access_ended_put(struct tr_db *db, const struct tr_access_ended *session,
                    int64_t now_s, struct tr_err *err);

#endif
