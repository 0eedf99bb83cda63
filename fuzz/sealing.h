/*
 * fuzz/sealing.h - what targets share that seal texts and change them.
 */
#ifndef TR_FUZZ_SEALING_H
#define TR_FUZZ_SEALING_H

#include "crypto/seal.h"

static inline void must(bool holds)
{
    if (!holds)
        abort();
}

/* One pair of keys for all inputs of a run. */
static inline const struct tr_crypto_keys *keys_of_the_run(void)
{
    static struct tr_crypto_keys *keys;
    if (!keys)
        must(tr_crypto_keys_create(&keys, NULL) == TR_OK);
    return keys;
}

#endif
