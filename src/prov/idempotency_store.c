#include "prov/idempotency_store.h"

#include "base/limits.h"
#include "db/db.h"
#include "json/writer.h"

/* Adds the length first, so that no two lists of parts give the same bytes. */
static void add(struct tr_crypto_sha256 *sha, tr_str text)
{
    uint64_t len = text.len;
    tr_crypto_sha256_add(sha, (tr_str){(const char *)&len, sizeof(len)});
    tr_crypto_sha256_add(sha, text);
}

tr_status tr_prov_idempotency_name_make(tr_str principal, tr_str capability,
                                        tr_str key, const struct tr_json *args,
                                        struct tr_prov_idempotency_name *out,
                                        struct tr_err *err)
{
    struct tr_crypto_sha256 sha;
    struct tr_json_writer w;
    struct tr_buf text;
    tr_crypto_sha256_init(&sha);
    add(&sha, principal);
    add(&sha, capability);
    add(&sha, key);
    tr_crypto_sha256_done(&sha, out->id);
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&w, &text);
    tr_jw_canonical(&w, args);
    tr_status status = tr_jw_finish(&w, err);
    if (status == TR_OK)
        tr_crypto_sha256(tr_buf_str(&text), out->args);
    tr_buf_done(&text);
    return status;
}

static tr_str bytes(const unsigned char hash[TR_CRYPTO_SHA256_BYTES])
{
    return (tr_str){(const char *)hash, TR_CRYPTO_SHA256_BYTES};
}

static tr_status read_row(struct tr_db_stmt *stmt, struct tr_arena *arena,
                          struct tr_prov_idempotency_result *out,
                          struct tr_err *err)
{
    tr_str args = tr_db_column_blob(stmt, 0);
    if (args.len != sizeof(out->name.args))
        return tr_fail(err, TR_E_IO,
                       "the store has a kept result that is none");
    memcpy(out->name.args, args.ptr, args.len);
    return tr_arena_copy(arena, tr_db_column_blob(stmt, 1), &out->result)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a kept result");
}

tr_status tr_prov_idempotency_find(struct tr_db *db,
                                   const struct tr_prov_idempotency_name *name,
                                   int64_t now_s, struct tr_arena *arena,
                                   struct tr_prov_idempotency_result *out,
                                   struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool found;
    *out = (struct tr_prov_idempotency_result){0};
    memcpy(out->name.id, name->id, sizeof(name->id));
    TR_TRY(tr_db_prepare(db,
                         "SELECT args, result FROM kept"
                         " WHERE id = ?1 AND expires > ?2",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, bytes(name->id));
    tr_db_bind_i64(stmt, 2, now_s);
    TR_TRY(tr_db_stmt_step(stmt, &found, err));
    if (!found)
        return TR_OK;
    tr_status status = read_row(stmt, arena, out, err);
    tr_db_stmt_reset(stmt);
    return status;
}

/* Deletes more rows than are added at a time, so that they do not pile up. */
static tr_status trim(struct tr_db *db, int64_t now_s, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "DELETE FROM kept WHERE id IN (SELECT id FROM kept"
                         " WHERE expires <= ?1 ORDER BY expires LIMIT 4)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, now_s);
    return tr_db_stmt_run(stmt, err);
}

tr_status
tr_prov_idempotency_put(struct tr_db *db,
                        const struct tr_prov_idempotency_result *result,
                        int64_t now_s, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(trim(db, now_s, err));
    TR_TRY(tr_db_prepare(db,
                         "INSERT OR REPLACE INTO kept (id, args, result,"
                         " expires) VALUES (?1, ?2, ?3, ?4)",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, bytes(result->name.id));
    tr_db_bind_blob(stmt, 2, bytes(result->name.args));
    tr_db_bind_blob(stmt, 3, result->result);
    tr_db_bind_i64(stmt, 4, now_s + TR_LIMIT_IDEMPOTENCY_S);
    return tr_db_stmt_run(stmt, err);
}
