/*
 * test/support/signer.h - the other side of signatures: private keys that are
 * made for the run, their JWKs, and JWTs signed with them.
 */
#ifndef TR_SUPPORT_SIGNER_H
#define TR_SUPPORT_SIGNER_H

#include "base/arena.h"
#include "crypto/signature.h"

struct tr_signer;

/* A new key; RSA has 2048 bits. */
struct tr_signer *tr_signer_new(enum tr_crypto_key_kind kind);
void tr_signer_free(struct tr_signer *signer);

/* The public half. */
struct tr_crypto_public_key *tr_signer_public(struct tr_signer *signer);

/* {"kty":...,"kid":kid}, in the arena. */
tr_str tr_signer_jwk(struct tr_signer *signer, struct tr_arena *arena,
                     const char *kid);

/* A signature in the form of JOSE, in the arena. */
tr_str tr_signer_sign(struct tr_signer *signer, struct tr_arena *arena,
                      tr_str message);

/* What OpenSSL itself says of a signature, to compare with; not for ECDSA. */
bool tr_signer_verify(struct tr_signer *signer, tr_str message,
                      tr_str signature);

/* RSA only: the private operation on a whole block, whatever is in it. */
tr_str tr_signer_raw(struct tr_signer *signer, struct tr_arena *arena,
                     tr_str block);

/* header.claims.signature; a NULL signer leaves the signature empty. */
tr_str tr_signer_jwt(struct tr_signer *signer, struct tr_arena *arena,
                     const char *header, const char *claims);

/* The same with HS256. */
tr_str tr_hmac_jwt(tr_str secret, struct tr_arena *arena, const char *header,
                   const char *claims);

#endif
