/*
 * crypto/siphash.h - SipHash-2-4 with 128 bits: a keyed digest that costs a
 * tenth of an HMAC. Without the key nobody can compute one; who has the key
 * could find two texts with the same digest.
 */
#ifndef TR_CRYPTO_SIPHASH_H
#define TR_CRYPTO_SIPHASH_H

#include "base/str.h"

#define TR_SIPHASH_BYTES 16

struct tr_siphash_key {
    uint64_t low;
    uint64_t high;
};

/* Sixteen bytes nobody can predict, as a key. */
void tr_siphash_key_init(struct tr_siphash_key *key,
                         const unsigned char bytes[TR_SIPHASH_BYTES]);

void tr_siphash(const struct tr_siphash_key *key, tr_str bytes,
                unsigned char out[TR_SIPHASH_BYTES]);

/* The same in pieces. A plain value on the caller's stack. */
struct tr_siphash {
    uint64_t v[4];
    uint64_t tail; /* the last bytes, fewer than eight */
    uint64_t len;  /* of all so far */
};

void tr_siphash_init(struct tr_siphash *sip, const struct tr_siphash_key *key);
void tr_siphash_add(struct tr_siphash *sip, tr_str bytes);
void tr_siphash_done(struct tr_siphash *sip,
                     unsigned char out[TR_SIPHASH_BYTES]);

#endif
