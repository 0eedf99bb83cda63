/*
 * base/hash.h - fast 64-bit hashes with a seed, for tables in memory, and the
 * rotations of words that digests are made of.
 *
 * Whoever sends data may know this code, but not the seed: which keys collide
 * depends on it, in the low bits of a hash as in the high ones, so that a table
 * may take whichever it likes. Values differ between runs: never store them.
 */
#ifndef TR_BASE_HASH_H
#define TR_BASE_HASH_H

#include "base/str.h"

#include <stdint.h>

/* Constants to mix with: odd, with about as many ones as zeros. */
#define TR_HASH_K0 UINT64_C(0xD6E8FEB86659FD93)
#define TR_HASH_K1 UINT64_C(0xA0761D6478BD642F)

__extension__ typedef unsigned __int128 tr_hash_wide;

/* Both halves of a product: every input bit reaches every output bit. */
static inline uint64_t tr_hash_fold(uint64_t a, uint64_t b)
{
    tr_hash_wide product = (tr_hash_wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * The hash of one number. To hash several, each hash is the seed of the next.
 *
 * The first product tells all values apart, in a way that only the seed says.
 * Its halves are then multiplied with each other: a step between two values
 * that the first product would carry into the hash is lost in the second.
 */
static inline uint64_t tr_hash_u64(uint64_t value, uint64_t seed)
{
    tr_hash_wide product =
        (tr_hash_wide)(value ^ TR_HASH_K0) * (seed ^ TR_HASH_K1);
    return tr_hash_fold((uint64_t)product ^ TR_HASH_K0,
                        (uint64_t)(product >> 64) ^ TR_HASH_K1);
}

/* The hash of any bytes. */
uint64_t tr_hash_bytes(tr_str bytes, uint64_t seed);

/*
 * A seed that differs between processes, because the loader puts things at
 * addresses that do.
 */
static inline uint64_t tr_hash_seed(const void *address)
{
    return tr_hash_u64((uint64_t)(uintptr_t)address, 0);
}

/* Words whose bits are rotated, by 1 to one less than their width. */
static inline uint64_t tr_bits_rotate_left(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

static inline uint32_t tr_bits_rotate_right_32(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

#endif
