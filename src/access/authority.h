/*
 * access/authority.h - what a request may do: who calls, with which scopes, and
 * the decision that follows from that.
 *
 * An authority is a value; its texts belong to whoever filled it. For requests
 * only access/bearer.h makes one, also for nobody in particular; the command
 * line has its own. It goes with the call and with
 * the calls that its handler makes.
 */
#ifndef TR_ACCESS_AUTHORITY_H
#define TR_ACCESS_AUTHORITY_H

#include "access/budget.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/scope.h"

/*
 * How the names begin that nobody outside gives to itself: local:<user> is
 * whoever owns the app's files, token:<name> who has a stored token. Who has a
 * JWT without a subject is `jwt`.
 */
#define TR_ACCESS_LOCAL   "local:"
#define TR_ACCESS_TOKEN   "token:"
#define TR_ACCESS_SUBLESS "jwt"

/* Whether a name is one that trails gives: nobody may bring it. */
bool tr_access_principal_is_given(tr_str name);

struct tr_access_authority {
    bool is_authenticated; /* a credential was given and is valid */
    unsigned scopes;       /* the process's, narrowed by the credential's */
    tr_str principal; /* "" for nobody; token:<name or id>, or the JWT's sub */
    tr_str token_id;  /* of a stored token, "" else */
    struct tr_access_budget_limits limits; /* what the token itself may use */
};

/* Copies it, with its texts, into the arena; false without memory. */
TR_NODISCARD bool
tr_access_authority_copy(struct tr_arena *arena,
                         const struct tr_access_authority *from,
                         struct tr_access_authority *out);

/* Whether both are one caller, who may use what either has begun. */
bool tr_access_authority_same(const struct tr_access_authority *a,
                              const struct tr_access_authority *b);

/*
 * Whether a caller may use a capability. Only tr_access_decide says so. Lists
 * are filtered with it, which is a courtesy; every call asks again right before
 * it runs, and that counts.
 */
enum tr_access_verdict {
    TR_ACCESS_ALLOWED,
    TR_ACCESS_UNAUTHENTICATED,
    TR_ACCESS_SCOPE_DENIED
};

/*
 * Pure. Nobody in particular gets TR_ACCESS_UNAUTHENTICATED for what needs
 * builder or dev: a credential might help. In production nobody has dev.
 */
enum tr_access_verdict
tr_access_decide(const struct tr_access_authority *authority,
                 enum tr_scope required, bool is_production);

/* The set of scopes for which tr_access_decide allows. */
unsigned tr_access_decide_all(const struct tr_access_authority *authority,
                              bool is_production);

/*
 * Reads a set of scopes, as in "runtime, builder": names with commas between
 * them, and spaces around them. TR_E_INVALID for no name, an empty one, and one
 * that is no scope, which the message names.
 */
TR_NODISCARD tr_status tr_access_scopes_parse(tr_str text, unsigned *out,
                                              struct tr_err *err);

/* Writes a set, as in "builder,runtime": sorted, with `between` in between. */
void tr_access_scopes_write(struct tr_buf *out, unsigned scopes,
                            const char *between);

#endif
