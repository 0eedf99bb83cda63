/*
 * access/bearer.h - from the bytes of a credential to an authority: the one
 * place where that happens.
 *
 * One per loop, with the loop's own connection to the store. What was verified
 * is remembered by a keyed digest until it expires: a stored token is looked up
 * again when the store has changed, a JWT is verified again when the keys have.
 */
#ifndef TR_ACCESS_BEARER_H
#define TR_ACCESS_BEARER_H

#include "access/authority.h"
#include "base/arena.h"
#include "base/err.h"

#include <pthread.h>
#include <stdatomic.h>

/*
 * A set of keys that one thread brings, and all loops use. Whoever fetches puts
 * the text; each loop's bearer takes it up when it next looks, which costs a
 * load from memory. Bearers say when they would like to have a newer one.
 */
struct tr_access_key_source {
    _Atomic uint64_t round; /* grows with each text; 0: there is none yet */
    _Atomic bool is_wanted;
    pthread_mutex_t lock; /* guards the text */
    char *text;
    size_t len;
};

TR_NODISCARD tr_status tr_access_key_source_init(
    struct tr_access_key_source *source, struct tr_err *err);
void tr_access_key_source_done(struct tr_access_key_source *source);

/* From any thread: a copy of the text counts from now on. */
TR_NODISCARD tr_status tr_access_key_source_put(
    struct tr_access_key_source *source, tr_str text, struct tr_err *err);

/* From any thread: a copy of the text, and which it is; false without memory.
 */
TR_NODISCARD bool tr_access_key_source_take(struct tr_access_key_source *source,
                                            struct tr_arena *arena, tr_str *out,
                                            uint64_t *round);

struct tr_access_bearer;
struct tr_db;

/* Everything is borrowed, and outlives it. */
struct tr_access_bearer_opts {
    unsigned scopes;       /* of the process */
    tr_str token;          /* the one of the environment, or empty */
    tr_str jwt_secret;     /* of HS256, or empty */
    tr_str issuer;         /* of JWTs */
    tr_str audience;       /* that we are for JWTs */
    unsigned algorithms;   /* enum tr_access_jwt_algorithm */
    const char *jwks_file; /* or NULL */
    struct tr_access_key_source *keys; /* that are fetched, or NULL */
    struct tr_db *db; /* of stored tokens, or NULL: there are none */
};

/* TR_E_INVALID for a secret that is too short; what jwks_file has wrong. */
TR_NODISCARD tr_status
tr_access_bearer_create(const struct tr_access_bearer_opts *opts,
                        struct tr_access_bearer **out, struct tr_err *err);

/* Wipes what it remembers. NULL is allowed. */
void tr_access_bearer_free(struct tr_access_bearer *bearer);

/* When something is asked: the time, and the store's generation. */
struct tr_access_bearer_moment {
    int64_t now_s;
    uint64_t generation;
};

/*
 * The authority of a credential, without its scheme; borrowed until the next
 * call. TR_E_UNAUTHENTICATED says why it does not count, in words that tell
 * nothing of it; other failures are ours.
 */
TR_NODISCARD tr_status tr_access_bearer_resolve(
    struct tr_access_bearer *bearer, tr_str credential,
    struct tr_access_bearer_moment at, const struct tr_access_authority **out,
    struct tr_err *err);

/* Who comes without a credential: nobody in particular. */
const struct tr_access_authority *
tr_access_bearer_nobody(const struct tr_access_bearer *bearer);

/*
 * The token of "Bearer <token>", the scheme in any case. TR_E_NOT_FOUND for
 * another scheme, TR_E_SYNTAX for what is no token (RFC 6750, 2.1).
 */
TR_NODISCARD tr_status tr_access_bearer_parse(tr_str header, tr_str *out,
                                              struct tr_err *err);

#endif
