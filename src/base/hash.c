#include "base/hash.h"

static uint64_t load_up_to_8(const char *bytes, size_t len)
{
    uint64_t word = 0;
    memcpy(&word, bytes, len < 8 ? len : 8);
    return word;
}

/*
 * A sender who can make one factor of a product zero chooses the product. So
 * each factor has something in it that only the seed tells; and not the same
 * thing in both, or swapping the two halves of a text would give the same hash.
 */
uint64_t tr_hash_bytes(tr_str bytes, uint64_t seed)
{
    uint64_t secret = seed ^ TR_HASH_K1;
    uint64_t state = seed * TR_HASH_K0 ^ bytes.len;

    size_t i = 0;
    for (; i + 16 <= bytes.len; i += 16)
        state = tr_hash_fold(load_up_to_8(bytes.ptr + i, 8) ^ secret,
                             load_up_to_8(bytes.ptr + i + 8, 8) ^ state);
    size_t left = bytes.len - i;
    uint64_t a = left > 0 ? load_up_to_8(bytes.ptr + i, left) : 0;
    uint64_t b = left > 8 ? load_up_to_8(bytes.ptr + i + 8, left - 8) : 0;
    state = tr_hash_fold(a ^ secret, b ^ state);
    return tr_hash_fold(state ^ TR_HASH_K0, secret ^ bytes.len);
}
