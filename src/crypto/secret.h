/*
 * crypto/secret.h - care with bytes that others must not learn.
 */
#ifndef TR_CRYPTO_SECRET_H
#define TR_CRYPTO_SECRET_H

#include "base/str.h"

/*
 * Whether two secrets are equal, in a time that depends on their lengths only.
 */
bool tr_secret_eq(tr_str a, tr_str b);

/* Overwrites memory in a way that the compiler does not leave out. */
void tr_secret_wipe(void *memory, size_t len);

#endif
