/*
 * crypto/secrets.h - texts with names that must not be seen: where they are
 * kept, and how they are put together with other texts.
 *
 * Their bytes are in memory that is in no core file, is not written to swap
 * where the system allows that, and is wiped in the end. What is borrowed from
 * a set lives as long as the set. A set is filled once; then any thread reads.
 */
#ifndef TR_CRYPTO_SECRETS_H
#define TR_CRYPTO_SECRETS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct tr_crypto_secrets;

struct tr_crypto_secret {
    tr_str name; /* ends with a NUL */
    tr_str bytes;
    bool is_from_environment;
};

/* On success *out is the caller's. */
TR_NODISCARD tr_status tr_crypto_secrets_create(struct tr_crypto_secrets **out,
                                                struct tr_err *err);

/* Wipes them. NULL is allowed. */
void tr_crypto_secrets_free(struct tr_crypto_secrets *secrets);

/*
 * Adds copies of a name and its bytes, unless the name is there already: the
 * first one counts. TR_E_INVALID for a name of other than capital letters,
 * digits and underscores, and for no bytes; TR_E_LIMIT for too many.
 */
TR_NODISCARD tr_status
tr_crypto_secrets_add(struct tr_crypto_secrets *secrets,
                      const struct tr_crypto_secret *draft, struct tr_err *err);

/* NULL when there is none; NULL is an empty set. */
const struct tr_crypto_secret *
tr_crypto_secrets_find(const struct tr_crypto_secrets *secrets, tr_str name);

size_t tr_crypto_secrets_count(const struct tr_crypto_secrets *secrets);
const struct tr_crypto_secret *
tr_crypto_secrets_at(const struct tr_crypto_secrets *secrets, size_t i);

/*
 * Appends to a buffer that may hold secrets: when it has to move, what it
 * leaves behind is wiped. A fixed buffer does not move. The second wipes all
 * that the buffer has held, and ends it as tr_buf_done does.
 */
void tr_crypto_secret_put(struct tr_buf *out, tr_str bytes);
void tr_crypto_secret_buf_done(struct tr_buf *buf);

#endif
