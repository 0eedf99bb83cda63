#include "prov/digest.h"

#include "crypto/random.h"
#include "db/db.h"
#include "json/json.h"

tr_status tr_prov_key_open(struct tr_db *db, struct tr_prov_key *out,
                           struct tr_err *err)
{
    unsigned char bytes[TR_CRYPTO_SIPHASH_BYTES];
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_crypto_random_bytes(bytes, sizeof(bytes), err));
    /* Of processes that make a key at once, the first wins. */
    TR_TRY(tr_db_prepare(db, "INSERT OR IGNORE INTO prov_state VALUES (1, ?1)",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, (tr_str){(const char *)bytes, sizeof(bytes)});
    TR_TRY(tr_db_stmt_run(stmt, err));
    TR_TRY(tr_db_prepare(db, "SELECT value FROM prov_state WHERE key = 1",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    tr_str stored = row ? tr_db_column_blob(stmt, 0) : (tr_str){NULL, 0};
    bool fits = stored.len == sizeof(bytes);
    if (fits)
        tr_crypto_siphash_key_init(&out->key,
                                   (const unsigned char *)stored.ptr);
    if (row)
        tr_db_stmt_reset(stmt);
    return fits ? TR_OK
                : tr_fail(err, TR_E_IO, "the store's key of digests is none");
}

/* Each value is preceded by its kind and length, so that no two trees give the
 * same bytes. */
static uint64_t add_value(struct tr_crypto_siphash *sip,
                          const struct tr_json *value)
{
    struct {
        uint32_t kind;
        uint32_t len;
    } head = {value->kind, value->len};
    if (value->flags & TR_JSON_TRUE) /* a boolean has no text */
        head.len = 1;
    uint64_t bytes = 0;
    tr_crypto_siphash_add(sip, (tr_str){(const char *)&head, sizeof(head)});
    if (value->kind == TR_JSON_ARRAY) {
        for (size_t i = 0; i < value->len; i++)
            bytes += add_value(sip, &value->as.items[i]);
    } else if (value->kind == TR_JSON_OBJECT) {
        for (size_t i = 0; i < value->len; i++) {
            bytes += add_value(sip, &value->as.members[i].key);
            bytes += add_value(sip, &value->as.members[i].value);
        }
    } else {
        tr_str text = tr_json_text(value);
        tr_crypto_siphash_add(sip, text);
        bytes = text.len;
    }
    return bytes;
}

uint64_t tr_prov_digest_json(const struct tr_prov_key *key,
                             const struct tr_json *value,
                             unsigned char out[TR_PROV_DIGEST_BYTES])
{
    struct tr_crypto_siphash sip;
    tr_crypto_siphash_init(&sip, &key->key);
    uint64_t bytes = add_value(&sip, value);
    tr_crypto_siphash_done(&sip, out);
    return bytes;
}
