#include "prov/idempotency_store.h"

#include "base/ascii.h"
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
    tr_db_bind_i64(
        stmt, 4,
        now_s + (result->life_s ? result->life_s : TR_LIMIT_IDEMPOTENCY_S));
    return tr_db_stmt_run(stmt, err);
}

tr_status tr_prov_idempotency_drop(struct tr_db *db,
                                   const struct tr_prov_idempotency_name *name,
                                   struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "DELETE FROM kept WHERE id = ?1", &stmt, err));
    tr_db_bind_blob(stmt, 1, bytes(name->id));
    return tr_db_stmt_run(stmt, err);
}

/* Whether a scheme could begin earlier (RFC 3986, 3.1); the n of \n is none of
 * its letters. */
static bool goes_on(tr_str text, size_t at)
{
    if (at == 0 || (at > 1 && text.ptr[at - 2] == '\\'))
        return false;
    char c = text.ptr[at - 1];
    return tr_ascii_is_alnum(c) || c == '+' || c == '-' || c == '.';
}

/* Appends the text with its IRIs replaced; false when it has none of them. */
static bool replace_in(tr_str text, tr_str from, tr_str to, struct tr_buf *out)
{
    bool found = false;
    size_t done = 0;
    for (size_t at = 0; at + from.len <= text.len; at++) {
        if (memcmp(text.ptr + at, from.ptr, from.len) != 0 || goes_on(text, at))
            continue;
        tr_buf_put(out, (tr_str){text.ptr + done, at - done});
        tr_buf_put(out, to);
        found = true;
        done = at + from.len;
        at = done - 1;
    }
    tr_buf_put(out, tr_str_skip(text, done));
    return found;
}

static tr_status replace_result(struct tr_db *db, tr_str id, tr_str result,
                                struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "UPDATE kept SET result = ?2 WHERE id = ?1", &stmt,
                         err));
    tr_db_bind_blob(stmt, 1, id);
    tr_db_bind_blob(stmt, 2, result);
    return tr_db_stmt_run(stmt, err);
}

/* Reads the row behind `id`, and moves that; with no row it is empty. */
static tr_status read_behind(struct tr_db *db, struct tr_buf *id,
                             const tr_str pair[2], struct tr_buf *text,
                             bool *found, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db,
                         "SELECT id, result FROM kept WHERE id > ?1"
                         " ORDER BY id LIMIT 1",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, tr_buf_str(id));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    tr_buf_clear(text);
    tr_buf_clear(id);
    if (!row)
        return TR_OK;
    tr_buf_put(id, tr_db_column_blob(stmt, 0));
    *found = replace_in(tr_db_column_blob(stmt, 1), pair[0], pair[1], text);
    tr_db_stmt_reset(stmt);
    TR_TRY(tr_buf_check(id, err));
    return tr_buf_check(text, err);
}

static tr_status replace_all(struct tr_db *db, const tr_str pair[2],
                             struct tr_buf *text, uint64_t *count,
                             struct tr_err *err)
{
    char room[TR_CRYPTO_SHA256_BYTES + 8];
    struct tr_buf id;
    tr_buf_init_fixed(&id, room, sizeof(room));
    do {
        bool found = false;
        TR_TRY(read_behind(db, &id, pair, text, &found, err));
        if (found)
            TR_TRY(replace_result(db, tr_buf_str(&id), tr_buf_str(text), err));
        *count += found;
    } while (id.len);
    return TR_OK;
}

tr_status tr_prov_idempotency_replace(struct tr_db *db, tr_str from, tr_str to,
                                      uint64_t *count, struct tr_err *err)
{
    const tr_str pair[2] = {from, to};
    struct tr_buf text;
    *count = 0;
    tr_buf_init(&text, 4 * TR_LIMIT_MESSAGE);
    tr_status status = replace_all(db, pair, &text, count, err);
    tr_buf_done(&text);
    return status;
}
