/*
 * crypto/signature.h - signatures of others, checked with their public keys.
 *
 * signature.c is the only file that includes OpenSSL, which is not set up
 * before the first key is made. Several threads may use a key at once.
 */
#ifndef TR_CRYPTO_SIGNATURE_H
#define TR_CRYPTO_SIGNATURE_H

#include "base/err.h"

enum tr_crypto_key_kind {
    TR_CRYPTO_KEY_ED25519, /* EdDSA (RFC 8032): 64 bytes */
    TR_CRYPTO_KEY_P256, /* ECDSA with SHA-256 (RFC 7518, 3.4): r, s: 32 bytes */
    TR_CRYPTO_KEY_RSA,  /* PKCS #1 v1.5 with SHA-256: as long as the modulus */
};

struct tr_crypto_public_key;

/*
 * Public keys from their parts, as big-endian bytes. TR_E_INVALID for a point
 * that is not on the curve, a modulus under 2048 or over 8192 bits, an even or
 * tiny exponent. On success *out is the caller's.
 */
TR_NODISCARD tr_status tr_crypto_public_key_ed25519(
    tr_str x, struct tr_crypto_public_key **out, struct tr_err *err);
TR_NODISCARD tr_status tr_crypto_public_key_p256(
    tr_str x, tr_str y, struct tr_crypto_public_key **out, struct tr_err *err);
TR_NODISCARD tr_status tr_crypto_public_key_rsa(
    tr_str n, tr_str e, struct tr_crypto_public_key **out, struct tr_err *err);

/* NULL is allowed. */
void tr_crypto_public_key_free(struct tr_crypto_public_key *key);

enum tr_crypto_key_kind
tr_crypto_public_key_kind(const struct tr_crypto_public_key *key);

/* Whether the key's owner has signed the message; also false without memory. */
bool tr_crypto_public_key_verify(const struct tr_crypto_public_key *key,
                                 tr_str message, tr_str signature);

#endif
