/*
 * crypto/seal.h - texts that we hand out and recognise when they come back.
 *
 * A sealed text is base64url of a version, an expiry, the payload and an HMAC
 * over them and a purpose: what was sealed for one purpose is not accepted for
 * another. The payload can be read by whoever has the text; it cannot be
 * changed. A sealed text can be used again until it expires.
 */
#ifndef TR_CRYPTO_SEAL_H
#define TR_CRYPTO_SEAL_H

#include "base/arena.h"
#include "base/err.h"

struct tr_keys;

struct tr_seal {
    const struct tr_keys *keys;
    tr_str purpose;  /* "cursor", "state", ...; at most 255 bytes */
    int64_t expires; /* Unix seconds; 0 for never */
};

struct tr_unseal {
    const struct tr_keys *keys;
    tr_str purpose;
    int64_t now; /* Unix seconds */
};

/* TR_E_LIMIT when the text would be longer than TR_LIMIT_SEALED_BYTES. */
TR_NODISCARD tr_status tr_seal(struct tr_arena *arena,
                               const struct tr_seal *how, tr_str payload,
                               tr_str *out, struct tr_err *err);

/*
 * The payload, when the text is ours, for this purpose, unchanged and has not
 * expired; TR_E_INVALID otherwise.
 */
TR_NODISCARD tr_status tr_unseal(struct tr_arena *arena,
                                 const struct tr_unseal *how, tr_str sealed,
                                 tr_str *out, struct tr_err *err);

#endif
