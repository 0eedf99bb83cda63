/*
 * crypto/random.h - bytes nobody can predict, from the kernel.
 */
#ifndef TR_CRYPTO_RANDOM_H
#define TR_CRYPTO_RANDOM_H

#include "base/err.h"

/* Fails with TR_E_IO only where the kernel has none, which it always has. */
TR_NODISCARD tr_status tr_random_bytes(void *out, size_t len,
                                       struct tr_err *err);

#endif
