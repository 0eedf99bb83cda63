/*
 * access/jwks.h - the public keys of whoever signs our callers' JWTs (RFC
 * 7517).
 *
 * Keys of other kinds or for other uses are left out, shared secrets among
 * them: nothing that anybody can read becomes one. Immutable once read.
 */
#ifndef TR_ACCESS_JWKS_H
#define TR_ACCESS_JWKS_H

#include "crypto/signature.h"

struct tr_jwks;

/*
 * TR_E_INVALID, with the place of the key, for one of our kinds that is broken
 * or private, and for a set without any key of use. On success *out is the
 * caller's.
 */
TR_NODISCARD tr_status tr_jwks_read(tr_str text, struct tr_jwks **out,
                                    struct tr_err *err);

/* NULL is allowed. */
void tr_jwks_free(struct tr_jwks *jwks);

/*
 * The next key of this kind from place *at on; NULL when there is none. With a
 * `kid` only the one of that name. Start with 0.
 */
const struct tr_public_key *tr_jwks_next(const struct tr_jwks *jwks,
                                         enum tr_key_kind kind,
                                         const tr_str *kid, size_t *at);

#endif
