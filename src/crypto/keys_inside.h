/*
 * crypto/keys_inside.h - what keys consist of, in memory and in their file; for
 * this folder only.
 */
#ifndef TR_CRYPTO_KEYS_INSIDE_H
#define TR_CRYPTO_KEYS_INSIDE_H

#include "base/buf.h"
#include "crypto/digest.h"
#include "crypto/seal.h"

#define TR_CRYPTO_KEY_BYTES         32
#define TR_CRYPTO_KEY_GRACE_SECONDS (INT64_C(24) * 60 * 60)

/* What stands in a file of keys. */
struct tr_crypto_keys_file {
    int64_t current_since;
    int64_t previous_since; /* when `current` took over */
    bool has_previous;
    unsigned char current[TR_CRYPTO_KEY_BYTES];
    unsigned char previous[TR_CRYPTO_KEY_BYTES];
};

struct tr_crypto_keys {
    struct tr_crypto_hmac current;
    struct tr_crypto_hmac previous;
    int64_t previous_until; /* Unix seconds; 0 when there is none */
};

/* Fails with TR_E_SYNTAX and the place. */
TR_NODISCARD tr_status tr_crypto_keys_parse(tr_str text,
                                            struct tr_crypto_keys_file *out,
                                            struct tr_err *err);
void tr_crypto_keys_write(const struct tr_crypto_keys_file *file,
                          struct tr_buf *out);

#endif
