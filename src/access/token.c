#include "access/token.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "crypto/encoding.h"
#include "crypto/random.h"
#include "db/db.h"

#define SECRET_BYTES 32
#define COLUMNS                                                                \
    "id, name, scopes, created, expires, revoked, calls_hour, calls_day,"      \
    " tokens_hour, tokens_day, usd_hour, usd_day"

static bool is_name_char(char c)
{
    return tr_ascii_is_alnum(c) || (c && strchr("._-@/", c));
}

tr_status tr_access_token_check_name(tr_str name, struct tr_err *err)
{
    size_t i = 0;
    while (i < name.len && is_name_char(name.ptr[i]))
        i++;
    if (i < name.len || name.len > TR_LIMIT_TOKEN_NAME)
        return tr_fail(err, TR_E_INVALID,
                       "the name of a token has up to %d letters, digits and "
                       ". _ - @ /",
                       TR_LIMIT_TOKEN_NAME);
    return TR_OK;
}

/* Makes the text, and the hash that is stored; wipes the random bytes. */
static tr_status make(struct tr_access_token_made *out,
                      unsigned char hash[TR_CRYPTO_SHA256_BYTES],
                      struct tr_err *err)
{
    unsigned char bytes[SECRET_BYTES];
    unsigned char id[TR_ACCESS_TOKEN_ID / 2];
    struct tr_arena arena;
    tr_str text;
    TR_TRY(tr_crypto_random_bytes(bytes, sizeof(bytes), err));
    TR_TRY(tr_crypto_random_bytes(id, sizeof(id), err));
    tr_arena_init(&arena, TR_KIB(4));
    tr_status status = tr_crypto_base64url_encode(
        &arena, (tr_str){(const char *)bytes, sizeof(bytes)}, &text, err);
    if (status == TR_OK) {
        size_t at = sizeof(TR_ACCESS_TOKEN_PREFIX) - 1;
        memcpy(out->text, TR_ACCESS_TOKEN_PREFIX, at);
        memcpy(out->text + at, text.ptr, TR_ACCESS_TOKEN_TEXT - at);
        tr_crypto_hex_write((tr_str){(const char *)id, sizeof(id)}, out->id);
        tr_crypto_sha256((tr_str){out->text, TR_ACCESS_TOKEN_TEXT}, hash);
        tr_crypto_secret_wipe((char *)(uintptr_t)text.ptr, text.len);
    }
    tr_arena_done(&arena);
    tr_crypto_secret_wipe(bytes, sizeof(bytes));
    return status;
}

static void bind_time(struct tr_db_stmt *stmt, int at, int64_t time_s)
{
    if (time_s)
        tr_db_bind_i64(stmt, at, time_s);
    else
        tr_db_bind_null(stmt, at);
}

static void bind_limits(struct tr_db_stmt *stmt, int at,
                        const struct tr_access_budget_limits *limits)
{
    tr_db_bind_i64(stmt, at, (int64_t)limits->calls_hour);
    tr_db_bind_i64(stmt, at + 1, (int64_t)limits->calls_day);
    tr_db_bind_i64(stmt, at + 2, (int64_t)limits->tokens_hour);
    tr_db_bind_i64(stmt, at + 3, (int64_t)limits->tokens_day);
    tr_db_bind_double(stmt, at + 4, limits->usd_hour);
    tr_db_bind_double(stmt, at + 5, limits->usd_day);
}

tr_status tr_access_token_add(struct tr_db *db,
                              const struct tr_access_token *draft,
                              struct tr_access_token_made *out,
                              struct tr_err *err)
{
    static const char sql[] =
        "INSERT INTO token (hash, " COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
        " NULL, ?7, ?8, ?9, ?10, ?11, ?12)";
    unsigned char hash[TR_CRYPTO_SHA256_BYTES];
    struct tr_db_stmt *stmt;
    TR_TRY(tr_access_token_check_name(draft->name, err));
    TR_TRY(make(out, hash, err));
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_db_bind_blob(stmt, 1, (tr_str){(const char *)hash, sizeof(hash)});
    tr_db_bind_text(stmt, 2, (tr_str){out->id, sizeof(out->id)});
    tr_db_bind_text(stmt, 3, draft->name.len ? draft->name : TR_STR(""));
    tr_db_bind_i64(stmt, 4, draft->scopes);
    tr_db_bind_i64(stmt, 5, draft->created_s);
    bind_time(stmt, 6, draft->expires_s);
    bind_limits(stmt, 7, &draft->limits);
    return tr_db_stmt_run(stmt, err);
}

/* Reads the columns of COLUMNS; texts are borrowed from the statement. */
static struct tr_access_token read_row(struct tr_db_stmt *stmt)
{
    return (struct tr_access_token){
        .id = tr_db_column_text(stmt, 0),
        .name = tr_db_column_text(stmt, 1),
        .scopes = (unsigned)tr_db_column_i64(stmt, 2),
        .created_s = tr_db_column_i64(stmt, 3),
        .expires_s = tr_db_column_i64(stmt, 4),
        .revoked_s = tr_db_column_i64(stmt, 5),
        .limits =
            {
                .calls_hour = (uint64_t)tr_db_column_i64(stmt, 6),
                .calls_day = (uint64_t)tr_db_column_i64(stmt, 7),
                .tokens_hour = (uint64_t)tr_db_column_i64(stmt, 8),
                .tokens_day = (uint64_t)tr_db_column_i64(stmt, 9),
                .usd_hour = tr_db_column_double(stmt, 10),
                .usd_day = tr_db_column_double(stmt, 11),
            },
    };
}

tr_status tr_access_token_find(struct tr_db *db,
                               const unsigned char hash[TR_CRYPTO_SHA256_BYTES],
                               struct tr_arena *arena,
                               struct tr_access_token *out, struct tr_err *err)
{
    static const char sql[] = "SELECT " COLUMNS " FROM token WHERE hash = ?1";
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_db_bind_blob(stmt, 1,
                    (tr_str){(const char *)hash, TR_CRYPTO_SHA256_BYTES});
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return tr_fail(err, TR_E_NOT_FOUND, "there is no such token");
    struct tr_access_token found = read_row(stmt);
    bool is_copied = tr_arena_copy(arena, found.id, &found.id) &&
                     tr_arena_copy(arena, found.name, &found.name);
    tr_db_stmt_reset(stmt);
    if (!is_copied)
        return tr_fail(err, TR_E_NOMEM, "no memory for a token");
    *out = found;
    return TR_OK;
}

bool tr_access_token_is_valid(const struct tr_access_token *token,
                              int64_t now_s)
{
    return !token->revoked_s && (!token->expires_s || now_s < token->expires_s);
}

tr_status tr_access_token_revoke(struct tr_db *db, tr_str id, int64_t now_s,
                                 struct tr_err *err)
{
    static const char sql[] = "UPDATE token SET revoked = coalesce(revoked, ?2)"
                              " WHERE id = ?1";
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_db_bind_text(stmt, 1, id);
    tr_db_bind_i64(stmt, 2, now_s);
    TR_TRY(tr_db_stmt_run(stmt, err));
    if (tr_db_changes(db) == 0)
        return tr_fail(err, TR_E_NOT_FOUND,
                       "there is no token with this id; 'trails token list' "
                       "has them");
    return TR_OK;
}

tr_status tr_access_token_each(struct tr_db *db, tr_access_token_fn *visit,
                               void *data, struct tr_err *err)
{
    static const char sql[] =
        "SELECT " COLUMNS " FROM token ORDER BY created, id";
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        struct tr_access_token token = read_row(stmt);
        tr_status status = visit(data, &token, err);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

tr_status tr_access_token_count(struct tr_db *db, int64_t now_s, int64_t *out,
                                struct tr_err *err)
{
    static const char sql[] = "SELECT count(*) FROM token WHERE revoked IS NULL"
                              " AND (expires IS NULL OR expires > ?1)";
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_db_bind_i64(stmt, 1, now_s);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_access_token_was_added(struct tr_db *db, bool *out,
                                    struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "SELECT 1 FROM token LIMIT 1", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    tr_db_stmt_reset(stmt);
    return TR_OK;
}
