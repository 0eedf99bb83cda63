/*
 * crypto/seal.h - texts that we hand out and recognise when they come back, and
 * the keys that seal them.
 *
 * A sealed text is base64url of a version, an expiry, the payload and an HMAC
 * over them and a purpose: what was sealed for one purpose is not accepted for
 * another. The payload can be read by whoever has the text, unless it is sealed
 * as a secret, which shows no more than its length; it cannot be changed. A
 * sealed text can be used again until it expires.
 */
#ifndef TR_CRYPTO_SEAL_H
#define TR_CRYPTO_SEAL_H

#include "base/arena.h"
#include "base/err.h"

/*
 * The keys are in a file that processes share.
 *
 *     trails-keys 1
 *     current 2026-07-28T12:00:00Z <64 digits of base 16>
 *     previous 2026-07-28T12:00:00Z <64 digits of base 16>
 *
 * A key seals from its time on. `previous` was current until its time and is
 * still accepted for 24 hours. The file is 0600 in a folder that others cannot
 * write to; anything else is refused with what to do about it.
 */
struct tr_crypto_keys;

/*
 * Reads the keys, and makes the file (and its folder, 0700) when there is
 * none. Two processes that do so at once end with the same keys. `now` is in
 * Unix seconds. On success *out is the caller's.
 */
TR_NODISCARD tr_status tr_crypto_keys_open(const char *path, int64_t now,
                                           struct tr_crypto_keys **out,
                                           struct tr_err *err);

/* Keys that live only as long as the process. */
TR_NODISCARD tr_status tr_crypto_keys_create(struct tr_crypto_keys **out,
                                             struct tr_err *err);

/* Makes a new current key; the one before is accepted for 24 hours more. */
TR_NODISCARD tr_status tr_crypto_keys_rotate(const char *path, int64_t now,
                                             struct tr_err *err);

/* Whether both seal with the same key, and accept the same ones. */
bool tr_crypto_keys_same(const struct tr_crypto_keys *a,
                         const struct tr_crypto_keys *b);

/* Wipes them. NULL is allowed. */
void tr_crypto_keys_free(struct tr_crypto_keys *keys);

struct tr_crypto_seal {
    const struct tr_crypto_keys *keys;
    tr_str purpose;  /* "cursor", "state", ...; at most 255 bytes */
    int64_t expires; /* Unix seconds; 0 for never */
    bool is_secret;  /* the payload is encrypted */
};

struct tr_crypto_unseal {
    const struct tr_crypto_keys *keys;
    tr_str purpose;
    int64_t now;    /* Unix seconds */
    bool is_secret; /* as it was sealed */
};

/* TR_E_LIMIT when the text would be longer than TR_LIMIT_SEALED_BYTES. */
TR_NODISCARD tr_status tr_crypto_seal(struct tr_arena *arena,
                                      const struct tr_crypto_seal *how,
                                      tr_str payload, tr_str *out,
                                      struct tr_err *err);

/*
 * The payload, when the text is ours, for this purpose, unchanged and has not
 * expired; TR_E_INVALID otherwise.
 */
TR_NODISCARD tr_status tr_crypto_unseal(struct tr_arena *arena,
                                        const struct tr_crypto_unseal *how,
                                        tr_str sealed, tr_str *out,
                                        struct tr_err *err);

#endif
