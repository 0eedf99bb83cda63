#include "base/limits.h"
#include "crypto/random.h"
#include "db/db.h"
#include "prov/log.h"
#include "prov/writer.h"

#define US_PER_DAY (INT64_C(86400) * 1000000)

tr_status tr_prov_reads(struct tr_db *db, int64_t *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "SELECT value FROM prov_state WHERE key = 2",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Moves `*end` down to the id behind the `most` oldest, which `out` then has.
 */
static tr_status find_end(struct tr_db *db, int64_t most,
                          unsigned char out[TR_CRYPTO_UUID_BYTES], tr_str *end,
                          struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db,
                         "SELECT id FROM activity_read WHERE id < ?1"
                         " ORDER BY id LIMIT 1 OFFSET ?2",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, *end);
    tr_db_bind_i64(stmt, 2, most);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    tr_str id = tr_db_column_blob(stmt, 0);
    if (id.len == TR_CRYPTO_UUID_BYTES) {
        memcpy(out, id.ptr, id.len);
        *end = (tr_str){(const char *)out, id.len};
    }
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Deletes the oldest before `end`, at most `most`. */
static tr_status remove_before(struct tr_db *db, tr_str end, int64_t most,
                               int64_t *removed, struct tr_err *err)
{
    unsigned char id[TR_CRYPTO_UUID_BYTES];
    struct tr_db_stmt *stmt;
    TR_TRY(find_end(db, most, id, &end, err));
    TR_TRY(tr_db_prepare(db, "DELETE FROM activity_read WHERE id < ?1", &stmt,
                         err));
    tr_db_bind_blob(stmt, 1, end);
    TR_TRY(tr_db_stmt_run(stmt, err));
    *removed = tr_db_changes(db);
    return TR_OK;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

tr_status tr_prov_trim(struct tr_db *db, const struct tr_prov_keep *keep,
                       int64_t now_us, int64_t max_rows, struct tr_err *err)
{
    int64_t days = keep->read_days ? keep->read_days : TR_LIMIT_PROV_READ_DAYS;
    int64_t rows = keep->read_rows ? keep->read_rows : TR_LIMIT_PROV_READ_ROWS;
    unsigned char last[TR_CRYPTO_UUID_BYTES];
    unsigned char old[TR_CRYPTO_UUID_BYTES] = {0};
    int64_t count;
    int64_t removed = 0;
    int64_t too_old = 0;
    TR_TRY(tr_prov_reads(db, &count, err));
    memset(last, 0xFF, sizeof(last));
    if (count > rows)
        TR_TRY(remove_before(db, (tr_str){(const char *)last, sizeof(last)},
                             smaller(count - rows, max_rows), &removed, err));
    int64_t ms = (now_us - days * US_PER_DAY) / 1000;
    for (size_t i = 0; i < 6 && ms > 0; i++)
        old[i] = (unsigned char)(ms >> (40 - 8 * i));
    if (removed < max_rows)
        TR_TRY(remove_before(db, (tr_str){(const char *)old, sizeof(old)},
                             max_rows - removed, &too_old, err));
    if (removed + too_old == 0)
        return TR_OK;
    return tr_prov_count_reads(db, -(removed + too_old), err);
}
