/*
 * access/bearer.h - from the bytes of a credential to an authority; nothing
 * else makes one.
 *
 * Each loop has a bearer, with the loop's own connection to the store. What was
 * verified is remembered by a keyed digest until it expires: a stored token is
 * looked up again when the store has changed, a JWT is verified again when the
 * keys have. A set of keys that is empty, broken or gone takes all its keys
 * away.
 */
#ifndef TR_ACCESS_BEARER_H
#define TR_ACCESS_BEARER_H

#include "access/authority.h"
#include "base/arena.h"
#include "base/err.h"

#include <pthread.h>
#include <stdatomic.h>

/*
 * A set of keys that one thread fetches, and all loops use. The thread puts the
 * text; each loop's bearer takes it when it next verifies something: to see
 * that there is a new one costs a load from memory. A bearer sets `is_wanted`
 * when it has no key for a JWT.
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

/* From any thread. From now on bearers use a copy of this text. */
TR_NODISCARD tr_status tr_access_key_source_put(
    struct tr_access_key_source *source, tr_str text, struct tr_err *err);

/* From any thread. A copy of the text, and its round; false without memory. */
TR_NODISCARD bool tr_access_key_source_take(struct tr_access_key_source *source,
                                            struct tr_arena *arena, tr_str *out,
                                            uint64_t *round);

struct tr_access_bearer;
struct tr_db;

/* Everything is borrowed, and must outlive the bearer. */
struct tr_access_bearer_opts {
    unsigned scopes;       /* of the process */
    tr_str token;          /* the one of the environment, or empty */
    tr_str jwt_secret;     /* of HS256, or empty */
    tr_str issuer;         /* of JWTs */
    tr_str audience;       /* our own name in the `aud` of JWTs */
    unsigned algorithms;   /* enum tr_access_jwt_algorithm */
    const char *jwks_file; /* or NULL */
    struct tr_access_key_source *keys; /* keys that are fetched, or NULL */

    /* From the bearer's thread, or NULL: jwks_file was read again; `why` it has
     * no keys now, or NULL when it has. */
    void (*on_keys)(void *data, const struct tr_err *why);
    void *keys_data;

    struct tr_db *db; /* of stored tokens, or NULL: there are none */
};

/* Fails with TR_E_INVALID for a short secret, and for a broken jwks_file. */
TR_NODISCARD tr_status
tr_access_bearer_create(const struct tr_access_bearer_opts *opts,
                        struct tr_access_bearer **out, struct tr_err *err);

/* Wipes what it remembers. NULL is allowed. */
void tr_access_bearer_free(struct tr_access_bearer *bearer);

/* When a credential is resolved: the time, and the store's generation. */
struct tr_access_bearer_moment {
    int64_t now_s;
    uint64_t generation;
};

/*
 * The authority of a credential, without its scheme; borrowed until the next
 * call. TR_E_UNAUTHENTICATED says why it is refused, in words that have nothing
 * of it in them; other failures are not the caller's fault.
 */
TR_NODISCARD tr_status tr_access_bearer_resolve(
    struct tr_access_bearer *bearer, tr_str credential,
    struct tr_access_bearer_moment at, const struct tr_access_authority **out,
    struct tr_err *err);

/* The authority of a request without a credential: nobody in particular. */
const struct tr_access_authority *
tr_access_bearer_nobody(const struct tr_access_bearer *bearer);

/*
 * Whether a token was ever stored, valid or not: revoking the last one takes
 * none away. Asks the store when it has changed, until there was one.
 */
TR_NODISCARD tr_status tr_access_bearer_has_stored(
    struct tr_access_bearer *bearer, struct tr_access_bearer_moment at,
    bool *out, struct tr_err *err);

/*
 * The token of "Bearer <token>", the scheme in any case. TR_E_NOT_FOUND for
 * another scheme, TR_E_SYNTAX for what is no token (RFC 6750, 2.1).
 */
TR_NODISCARD tr_status tr_access_bearer_parse(tr_str header, tr_str *out,
                                              struct tr_err *err);

#endif
