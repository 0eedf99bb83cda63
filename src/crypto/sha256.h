/*
 * crypto/sha256.h - SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104).
 *
 * Plain values on the caller's stack; a keyed HMAC may be copied and used
 * again, which saves two of its four blocks.
 */
#ifndef TR_CRYPTO_SHA256_H
#define TR_CRYPTO_SHA256_H

#include "base/str.h"

#define TR_SHA256_BYTES 32

struct tr_sha256 {
    uint32_t state[8];
    uint64_t len; /* bytes so far */
    unsigned char block[64];
};

void tr_sha256_init(struct tr_sha256 *sha);
void tr_sha256_add(struct tr_sha256 *sha, tr_str bytes);
void tr_sha256_done(struct tr_sha256 *sha, unsigned char out[TR_SHA256_BYTES]);

/* All at once. */
void tr_sha256(tr_str bytes, unsigned char out[TR_SHA256_BYTES]);

struct tr_hmac {
    struct tr_sha256 inner;
    struct tr_sha256 outer;
};

void tr_hmac_init(struct tr_hmac *hmac, tr_str key);
void tr_hmac_add(struct tr_hmac *hmac, tr_str bytes);
void tr_hmac_done(struct tr_hmac *hmac, unsigned char out[TR_SHA256_BYTES]);

#endif
