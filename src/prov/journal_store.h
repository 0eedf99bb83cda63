/*
 * prov/journal_store.h - what calls that wait for answers have learnt, where it
 * is too long for the client: rows among the results of idempotency_store.h,
 * which finds and drops them.
 *
 * The id of a row begins with whose it is, so that a caller's rows stand
 * together and can be counted. A caller without a name may cause rows, too:
 * their number and bytes are bounded.
 */
#ifndef TR_PROV_JOURNAL_STORE_H
#define TR_PROV_JOURNAL_STORE_H

#include "prov/idempotency_store.h"

/* A name as text. */
#define TR_PROV_JOURNAL_NAME 48

/* A new name, for a row of this principal; and as text, and back: false for
 * what is none. */
TR_NODISCARD tr_status tr_prov_journal_name_make(
    tr_str principal, struct tr_prov_idempotency_name *out, struct tr_err *err);
void tr_prov_journal_name_write(const struct tr_prov_idempotency_name *name,
                                char out[TR_PROV_JOURNAL_NAME]);
TR_NODISCARD bool
tr_prov_journal_name_read(tr_str text, struct tr_prov_idempotency_name *out);

/*
 * Deletes all rows whose time is over, and adds this one; in a transaction that
 * writes. TR_E_UNAVAILABLE when this caller, or all together, have as many as
 * there may be (TR_LIMIT_JOURNALS and its like).
 */
TR_NODISCARD tr_status tr_prov_journal_put(
    struct tr_db *db, const struct tr_prov_idempotency_result *journal,
    int64_t now_s, struct tr_err *err);

#endif
