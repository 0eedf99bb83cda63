/*
 * crypto/digest.h - SHA-256, HMAC-SHA-256 and SipHash.
 *
 * Plain values on the caller's stack; a keyed HMAC may be copied and used
 * again, which saves two of its four blocks.
 */
#ifndef TR_CRYPTO_DIGEST_H
#define TR_CRYPTO_DIGEST_H

#include "base/str.h"

/* SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104). */
#define TR_CRYPTO_SHA256_BYTES 32

struct tr_crypto_sha256 {
    uint32_t state[8];
    uint64_t len; /* bytes so far */
    unsigned char block[64];
};

void tr_crypto_sha256_init(struct tr_crypto_sha256 *sha);
void tr_crypto_sha256_add(struct tr_crypto_sha256 *sha, tr_str bytes);
void tr_crypto_sha256_done(struct tr_crypto_sha256 *sha,
                           unsigned char out[TR_CRYPTO_SHA256_BYTES]);

/* The digest of bytes that are all there. */
void tr_crypto_sha256(tr_str bytes, unsigned char out[TR_CRYPTO_SHA256_BYTES]);

struct tr_crypto_hmac {
    struct tr_crypto_sha256 inner;
    struct tr_crypto_sha256 outer;
};

void tr_crypto_hmac_init(struct tr_crypto_hmac *hmac, tr_str key);
void tr_crypto_hmac_add(struct tr_crypto_hmac *hmac, tr_str bytes);
void tr_crypto_hmac_done(struct tr_crypto_hmac *hmac,
                         unsigned char out[TR_CRYPTO_SHA256_BYTES]);

/*
 * SipHash-2-4 with 128 bits: a keyed digest that costs a tenth of an HMAC.
 * Without the key nobody can compute one; whoever has the key could find two
 * texts with the same digest.
 */
#define TR_CRYPTO_SIPHASH_BYTES 16

struct tr_crypto_siphash_key {
    uint64_t low;
    uint64_t high;
};

/* Makes a key of sixteen bytes, which nobody must be able to predict. */
void tr_crypto_siphash_key_init(
    struct tr_crypto_siphash_key *key,
    const unsigned char bytes[TR_CRYPTO_SIPHASH_BYTES]);

void tr_crypto_siphash(const struct tr_crypto_siphash_key *key, tr_str bytes,
                       unsigned char out[TR_CRYPTO_SIPHASH_BYTES]);

/* SipHash of a text that comes in pieces. */
struct tr_crypto_siphash {
    uint64_t v[4];
    uint64_t tail; /* the last bytes, fewer than eight */
    uint64_t len;  /* of all so far */
};

void tr_crypto_siphash_init(struct tr_crypto_siphash *sip,
                            const struct tr_crypto_siphash_key *key);
void tr_crypto_siphash_add(struct tr_crypto_siphash *sip, tr_str bytes);
void tr_crypto_siphash_done(struct tr_crypto_siphash *sip,
                            unsigned char out[TR_CRYPTO_SIPHASH_BYTES]);

#endif
