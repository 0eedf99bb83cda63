/*
 * access/jwt.h - a signed JWT (RFC 7519, 7515), checked (RFC 8725), and the
 * public keys of whoever signs them (RFC 7517).
 *
 * Which algorithms count is our decision: the header of a token only chooses
 * among them, and each has keys of its own kind. Claims are not looked at
 * before the signature was.
 */
#ifndef TR_ACCESS_JWT_H
#define TR_ACCESS_JWT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/scope.h"
#include "crypto/signature.h"

#include <stdatomic.h>

/*
 * A set of keys. Those of other kinds or for other uses are left out, shared
 * secrets among them: nothing that anybody can read becomes one. Immutable once
 * read.
 */
struct tr_access_jwks;

/*
 * TR_E_INVALID, with the place of the key, for one of our kinds that is broken
 * or private, and for a set without any key of use. On success *out is the
 * caller's.
 */
TR_NODISCARD tr_status tr_access_jwks_read(tr_str text,
                                           struct tr_access_jwks **out,
                                           struct tr_err *err);

/* NULL is allowed. */
void tr_access_jwks_free(struct tr_access_jwks *jwks);

/*
 * The next key of this kind from place *at on; NULL when there is none. With a
 * `kid` only the one of that name. Start with 0.
 */
const struct tr_crypto_public_key *
tr_access_jwks_next(const struct tr_access_jwks *jwks,
                    enum tr_crypto_key_kind kind, const tr_str *kid,
                    size_t *at);

/* A set. */
enum tr_access_jwt_algorithm {
    TR_ACCESS_JWT_HS256 = 1,
    TR_ACCESS_JWT_EDDSA = 2,
    TR_ACCESS_JWT_ES256 = 4,
    TR_ACCESS_JWT_RS256 = 8,
};

/* By its name in a header; false when it is none of ours. */
bool tr_access_jwt_algorithm_find(tr_str name,
                                  enum tr_access_jwt_algorithm *out);

/* How far two clocks may be apart, in seconds. */
#define TR_ACCESS_JWT_LEEWAY_S 30

struct tr_access_jwt_rules {
    unsigned algorithms;               /* enum tr_access_jwt_algorithm */
    tr_str secret;                     /* of HS256; empty: there is no HS256 */
    const struct tr_access_jwks *jwks; /* of the others, or NULL */
    tr_str issuer;                     /* that `iss` must be; empty: anybody */
    tr_str audience; /* that `aud` must name; empty: without `aud` */
    int64_t now_s;
    _Atomic bool
        *unknown_key; /* set when none of the keys has signed; or NULL */
};

struct tr_access_jwt_claims {
    tr_str subject;    /* "" when it has none */
    unsigned scopes;   /* enum tr_scope; of those it names */
    int64_t expires_s; /* leeway included */
};

/*
 * Texts live in the arena. TR_E_UNAUTHENTICATED says why a token does not
 * count, in words that tell nothing of what is in it; TR_E_NOMEM.
 */
TR_NODISCARD tr_status tr_access_jwt_verify(
    struct tr_arena *arena, const struct tr_access_jwt_rules *rules,
    tr_str token, struct tr_access_jwt_claims *out, struct tr_err *err);

#endif
