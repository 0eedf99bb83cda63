#include "prov/digest.h"

#include "crypto/random.h"
#include "db/db.h"

tr_status tr_prov_key_open(struct tr_db *db, struct tr_prov_key *out,
                           struct tr_err *err)
{
    unsigned char bytes[TR_SIPHASH_BYTES];
    struct tr_stmt *stmt;
    bool row;
    TR_TRY(tr_random_bytes(bytes, sizeof(bytes), err));
    /* Of processes that do so at once, one is first. */
    TR_TRY(tr_db_prepare(db, "INSERT OR IGNORE INTO prov_state VALUES (1, ?1)",
                         &stmt, err));
    tr_bind_blob(stmt, 1, (tr_str){(const char *)bytes, sizeof(bytes)});
    TR_TRY(tr_stmt_run(stmt, err));
    TR_TRY(tr_db_prepare(db, "SELECT value FROM prov_state WHERE key = 1",
                         &stmt, err));
    TR_TRY(tr_stmt_step(stmt, &row, err));
    tr_str stored = row ? tr_column_blob(stmt, 0) : (tr_str){NULL, 0};
    bool fits = stored.len == sizeof(bytes);
    if (fits)
        tr_siphash_key_init(&out->key, (const unsigned char *)stored.ptr);
    if (row)
        tr_stmt_reset(stmt);
    return fits ? TR_OK
                : tr_fail(err, TR_E_IO, "the store's key of digests is none");
}
