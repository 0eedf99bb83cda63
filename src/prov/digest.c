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

/* Most texts of a tree are short: they are digested many at once. */
struct digesting {
    struct tr_crypto_siphash sip;
    size_t held;
    char room[512];
};

static void flush(struct digesting *d)
{
    tr_crypto_siphash_add(&d->sip, (tr_str){d->room, d->held});
    d->held = 0;
}

static void add_bytes(struct digesting *d, tr_str bytes)
{
    while (bytes.len >= sizeof(d->room) - d->held) {
        size_t count = sizeof(d->room) - d->held;
        memcpy(d->room + d->held, bytes.ptr, count);
        d->held += count;
        bytes = (tr_str){bytes.ptr + count, bytes.len - count};
        flush(d);
    }
    if (bytes.len)
        memcpy(d->room + d->held, bytes.ptr, bytes.len);
    d->held += bytes.len;
}

/* Each value is preceded by its kind and length, so that no two trees give the
 * same bytes. */
struct head {
    uint32_t kind;
    uint32_t len;
};

static inline void add_head(struct digesting *d, const struct tr_json *value)
{
    struct head head = {value->kind, value->len};
    if (value->flags & TR_JSON_TRUE) /* a boolean has no text */
        head.len = 1;
    if (sizeof(d->room) - d->held <= sizeof(head)) {
        add_bytes(d, (tr_str){(const char *)&head, sizeof(head)});
        return;
    }
    memcpy(d->room + d->held, &head, sizeof(head));
    d->held += sizeof(head);
}

static inline size_t add_text(struct digesting *d, const struct tr_json *value)
{
    tr_str text = tr_json_text(value);
    add_head(d, value);
    add_bytes(d, text);
    return text.len;
}

static uint64_t add_value(struct digesting *d, const struct tr_json *value)
{
    uint64_t bytes = 0;
    if (value->kind != TR_JSON_ARRAY && value->kind != TR_JSON_OBJECT)
        return add_text(d, value);
    add_head(d, value);
    if (value->kind == TR_JSON_ARRAY) {
        for (size_t i = 0; i < value->len; i++)
            bytes += add_value(d, &value->as.items[i]);
        return bytes;
    }
    for (size_t i = 0; i < value->len; i++) {
        bytes += add_text(d, &value->as.members[i].key);
        bytes += add_value(d, &value->as.members[i].value);
    }
    return bytes;
}

uint64_t tr_prov_digest_json(const struct tr_prov_key *key,
                             const struct tr_json *value,
                             unsigned char out[TR_PROV_DIGEST_BYTES])
{
    struct digesting d;
    d.held = 0;
    tr_crypto_siphash_init(&d.sip, &key->key);
    uint64_t bytes = add_value(&d, value);
    flush(&d);
    tr_crypto_siphash_done(&d.sip, out);
    return bytes;
}
