/*
 * prov/digest.h - a fingerprint of a value that does not give it away.
 *
 * A digest has a key, since the plain hash of a short text can be found by
 * trying texts. Each store has its own; equal values have equal digests within
 * one store.
 */
#ifndef TR_PROV_DIGEST_H
#define TR_PROV_DIGEST_H

#include "base/err.h"
#include "crypto/digest.h"

#define TR_PROV_DIGEST_BYTES TR_CRYPTO_SIPHASH_BYTES

struct tr_db;

struct tr_prov_key {
    struct tr_crypto_siphash_key key;
};

/* The store's key; makes it the first time, so `db` must be able to write. */
TR_NODISCARD tr_status tr_prov_key_open(struct tr_db *db,
                                        struct tr_prov_key *out,
                                        struct tr_err *err);

static inline void tr_prov_digest(const struct tr_prov_key *key, tr_str bytes,
                                  unsigned char out[TR_PROV_DIGEST_BYTES])
{
    tr_crypto_siphash(&key->key, bytes, out);
}

/*
 * The digest of a tree, as it stands: the order of keys and how numbers are
 * written count. Returns how many bytes its texts have.
 */
struct tr_json;
uint64_t tr_prov_digest_json(const struct tr_prov_key *key,
                             const struct tr_json *value,
                             unsigned char out[TR_PROV_DIGEST_BYTES]);

#endif
