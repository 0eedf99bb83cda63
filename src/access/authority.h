/*
 * access/authority.h - what the credential of a request came to.
 *
 * A value; its texts belong to whoever filled it. One is made per request, by
 * access/bearer.h and by nobody else, and goes with the call and the calls that
 * its handler makes.
 */
#ifndef TR_ACCESS_AUTHORITY_H
#define TR_ACCESS_AUTHORITY_H

#include "access/budget.h"
#include "base/arena.h"
#include "base/scope.h"

struct tr_authority {
    bool is_authenticated; /* a credential was given and is valid */
    unsigned scopes;       /* the process's, narrowed by the credential's */
    tr_str principal; /* "" for nobody; token:<name or id>, or the JWT's sub */
    tr_str token_id;  /* of a stored token, "" else */
    struct tr_access_budget_limits limits; /* what the token itself may use */
};

/* A copy whose texts are in the arena; false without memory. */
TR_NODISCARD bool tr_authority_copy(struct tr_arena *arena,
                                    const struct tr_authority *from,
                                    struct tr_authority *out);

/* Whether both are the same caller: what one has begun, the other may use. */
bool tr_authority_same(const struct tr_authority *a,
                       const struct tr_authority *b);

#endif
