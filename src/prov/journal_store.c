#include "prov/journal_store.h"

#include "base/limits.h"
#include "crypto/encoding.h"
#include "crypto/random.h"
#include "db/db.h"

/* An id: the mark, which no hash has by chance, whose it is, and what is
 * random. */
#define MARK_LEN  8
#define OWNER_LEN 8
static const unsigned char mark[MARK_LEN] = "journal";

tr_status tr_prov_journal_name_make(tr_str principal,
                                    struct tr_prov_idempotency_name *out,
                                    struct tr_err *err)
{
    unsigned char owner[TR_CRYPTO_SHA256_BYTES];
    size_t begin = MARK_LEN + OWNER_LEN;
    *out = (struct tr_prov_idempotency_name){0};
    tr_crypto_sha256(principal, owner);
    memcpy(out->id, mark, MARK_LEN);
    memcpy(out->id + MARK_LEN, owner, OWNER_LEN);
    return tr_crypto_random_bytes(out->id + begin, sizeof(out->id) - begin,
                                  err);
}

void tr_prov_journal_name_write(const struct tr_prov_idempotency_name *name,
                                char out[TR_PROV_JOURNAL_NAME])
{
    tr_crypto_hex_write((tr_str){(const char *)name->id + MARK_LEN,
                                 sizeof(name->id) - MARK_LEN},
                        out);
}

bool tr_prov_journal_name_read(tr_str text,
                               struct tr_prov_idempotency_name *out)
{
    *out = (struct tr_prov_idempotency_name){0};
    memcpy(out->id, mark, MARK_LEN);
    return text.len == TR_PROV_JOURNAL_NAME &&
           tr_crypto_hex_read(text, out->id + MARK_LEN);
}

/* The ids that begin as one does; a statement borrows both ends. */
struct range {
    unsigned char ends[2][TR_CRYPTO_SHA256_BYTES];
};

static void bind_range(struct tr_db_stmt *stmt, const unsigned char *id,
                       size_t len, struct range *out)
{
    *out = (struct range){0};
    memset(out->ends[1], 0xff, sizeof(out->ends[1]));
    for (int i = 0; i < 2; i++) {
        memcpy(out->ends[i], id, len);
        tr_db_bind_blob(
            stmt, i + 1,
            (tr_str){(const char *)out->ends[i], sizeof(out->ends[i])});
    }
}

static tr_status delete_expired(struct tr_db *db, int64_t now_s,
                                struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    struct range range;
    TR_TRY(tr_db_prepare(db,
                         "DELETE FROM kept WHERE id BETWEEN ?1 AND ?2"
                         " AND expires <= ?3",
                         &stmt, err));
    bind_range(stmt, mark, MARK_LEN, &range);
    tr_db_bind_i64(stmt, 3, now_s);
    return tr_db_stmt_run(stmt, err);
}

struct bound {
    const char *whose;
    size_t len; /* how much of an id says so */
    int64_t rows;
    size_t bytes;
};

/* The longest prefix last: what is everybody's is told first. */
static const struct bound bounds[] = {
    {"all callers", MARK_LEN, TR_LIMIT_JOURNALS, TR_LIMIT_JOURNALS_BYTES},
    {"this caller", MARK_LEN + OWNER_LEN, TR_LIMIT_JOURNALS_OWN,
     TR_LIMIT_JOURNALS_OWN_BYTES},
};

static tr_status check_bound(struct tr_db *db, const struct bound *bound,
                             const struct tr_prov_idempotency_result *journal,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    struct range range;
    bool found;
    TR_TRY(tr_db_prepare(db,
                         "SELECT count(*), coalesce(sum(length(result)), 0)"
                         " FROM kept WHERE id BETWEEN ?1 AND ?2",
                         &stmt, err));
    bind_range(stmt, journal->name.id, bound->len, &range);
    TR_TRY(tr_db_stmt_step(stmt, &found, err));
    int64_t rows = tr_db_column_i64(stmt, 0);
    size_t bytes = (size_t)tr_db_column_i64(stmt, 1);
    tr_db_stmt_reset(stmt);
    if (rows < bound->rows && bytes + journal->result.len <= bound->bytes)
        return TR_OK;
    return tr_fail(err, TR_E_UNAVAILABLE,
                   "too many calls of %s wait for answers with a journal in "
                   "the store: at most %lld, and %zu bytes",
                   bound->whose, (long long)bound->rows, bound->bytes);
}

tr_status tr_prov_journal_put(struct tr_db *db,
                              const struct tr_prov_idempotency_result *journal,
                              int64_t now_s, struct tr_err *err)
{
    TR_TRY(delete_expired(db, now_s, err));
    for (size_t i = 0; i < TR_LEN(bounds); i++)
        TR_TRY(check_bound(db, &bounds[i], journal, err));
    return tr_prov_idempotency_put(db, journal, now_s, err);
}
