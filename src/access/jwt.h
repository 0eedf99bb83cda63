/*
 * access/jwt.h - a signed JWT (RFC 7519, 7515), checked (RFC 8725).
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

#include <stdatomic.h>

struct tr_jwks;

/* A set. */
enum tr_jwt_algorithm {
    TR_JWT_HS256 = 1,
    TR_JWT_EDDSA = 2,
    TR_JWT_ES256 = 4,
    TR_JWT_RS256 = 8,
};

/* By its name in a header; false when it is none of ours. */
bool tr_jwt_algorithm_find(tr_str name, enum tr_jwt_algorithm *out);

/* How far two clocks may be apart, in seconds. */
#define TR_JWT_LEEWAY_S 30

struct tr_jwt_rules {
    unsigned algorithms;        /* enum tr_jwt_algorithm */
    tr_str secret;              /* of HS256; empty: there is no HS256 */
    const struct tr_jwks *jwks; /* of the others, or NULL */
    tr_str issuer;              /* that `iss` must be; empty: anybody */
    tr_str audience;            /* that `aud` must name; empty: without `aud` */
    int64_t now_s;
    _Atomic bool
        *unknown_key; /* set when none of the keys has signed; or NULL */
};

struct tr_jwt_claims {
    tr_str subject;    /* "" when it has none */
    unsigned scopes;   /* enum tr_scope; of those it names */
    int64_t expires_s; /* leeway included */
};

/*
 * Texts live in the arena. TR_E_UNAUTHENTICATED says why a token does not
 * count, in words that tell nothing of what is in it; TR_E_NOMEM.
 */
TR_NODISCARD tr_status tr_jwt_verify(struct tr_arena *arena,
                                     const struct tr_jwt_rules *rules,
                                     tr_str token, struct tr_jwt_claims *out,
                                     struct tr_err *err);

#endif
