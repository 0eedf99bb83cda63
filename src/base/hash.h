/*
 * base/hash.h - a fast 64-bit hash with a seed, for tables in memory.
 *
 * The seed keeps a sender from choosing keys that collide. Values differ
 * between runs: never store them.
 */
#ifndef TR_BASE_HASH_H
#define TR_BASE_HASH_H

#include "base/str.h"

uint64_t tr_hash(tr_str s, uint64_t seed);

/* A seed that differs between processes: where the loader put things. */
static inline uint64_t tr_hash_seed(const void *address)
{
    return (uint64_t)(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15);
}

#endif
