/*
 * access/jwt.h - a signed JWT (RFC 7519, 7515), checked (RFC 8725), and the
 * public keys of whoever signs them (RFC 7517).
 *
 * The rules say which algorithms are allowed: the header of a token only
 * chooses among them, and each has keys of its own kind (RFC 8725, 3.1). Claims
 * are not read before the signature was verified.
 */
#ifndef TR_ACCESS_JWT_H
#define TR_ACCESS_JWT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/scope.h"
#include "crypto/signature.h"

#include <stdatomic.h>

/*
 * A set of public keys. Keys of other kinds or for other uses are left out, and
 * shared secrets too: a set is public, so nothing in it can be a secret.
 * Immutable once read.
 */
struct tr_access_jwks;

/*
 * TR_E_INVALID, with the index of the key, for one of these kinds that is
 * broken or private, and for a set without any key of use. On success *out is
 * the caller's.
 */
TR_NODISCARD tr_status tr_access_jwks_read(tr_str text,
                                           struct tr_access_jwks **out,
                                           struct tr_err *err);

/* NULL is allowed. */
void tr_access_jwks_free(struct tr_access_jwks *jwks);

/*
 * The next key of this kind from index *at on; NULL when there is none. With a
 * `kid`, only keys of that name. Start with 0.
 */
const struct tr_crypto_public_key *
tr_access_jwks_next(const struct tr_access_jwks *jwks,
                    enum tr_crypto_key_kind kind, const tr_str *kid,
                    size_t *at);

/* Bits, so that a set is an unsigned. */
enum tr_access_jwt_algorithm {
    TR_ACCESS_JWT_HS256 = 1,
    TR_ACCESS_JWT_EDDSA = 2,
    TR_ACCESS_JWT_ES256 = 4,
    TR_ACCESS_JWT_RS256 = 8,
};

/* Finds one by its `alg` (RFC 7518, 3.1; RFC 8037); false for any other. */
bool tr_access_jwt_algorithm_find(tr_str name,
                                  enum tr_access_jwt_algorithm *out);

/* How far two clocks may be apart, in seconds. */
#define TR_ACCESS_JWT_LEEWAY_S 30

struct tr_access_jwt_rules {
    unsigned algorithms;               /* enum tr_access_jwt_algorithm */
    tr_str secret;                     /* of HS256; empty: HS256 is refused */
    const struct tr_access_jwks *jwks; /* of the other algorithms, or NULL */
    tr_str issuer;                     /* what `iss` must be; empty: any */
    tr_str audience; /* what `aud` must name; empty: there must be no `aud` */
    int64_t now_s;
    _Atomic bool *unknown_key; /* set when no key fits the signature; or NULL */
};

struct tr_access_jwt_claims {
    tr_str subject;    /* "" when it has none */
    unsigned scopes;   /* enum tr_scope; other names are ignored */
    int64_t expires_s; /* leeway included */
};

/*
 * The claims of a token that satisfies the rules; texts live in the arena.
 * TR_E_UNAUTHENTICATED says why a token is refused, in words that have nothing
 * of it in them; TR_E_NOMEM.
 */
TR_NODISCARD tr_status tr_access_jwt_verify(
    struct tr_arena *arena, const struct tr_access_jwt_rules *rules,
    tr_str token, struct tr_access_jwt_claims *out, struct tr_err *err);

#endif
