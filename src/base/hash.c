#include "base/hash.h"

__extension__ typedef unsigned __int128 wide;

/* Both halves of the product: every input bit reaches every output bit. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load_up_to_8(const char *bytes, size_t len)
{
    uint64_t word = 0;
    memcpy(&word, bytes, len < 8 ? len : 8);
    return word;
}

uint64_t tr_hash(tr_str s, uint64_t seed)
{
    /* Odd constants with about as many ones as zeros. */
    static const uint64_t k0 = UINT64_C(0xD6E8FEB86659FD93);
    static const uint64_t k1 = UINT64_C(0xA0761D6478BD642F);
    uint64_t state = seed ^ k0 ^ s.len;

    size_t i = 0;
    for (; i + 16 <= s.len; i += 16)
        state = mix(load_up_to_8(s.ptr + i, 8) ^ k1,
                    load_up_to_8(s.ptr + i + 8, 8) ^ state);
    uint64_t a = i < s.len ? load_up_to_8(s.ptr + i, s.len - i) : 0;
    uint64_t b = i + 8 < s.len ? load_up_to_8(s.ptr + i + 8, s.len - i - 8) : 0;
    return mix(mix(a ^ k1, b ^ state) ^ k0, k1 ^ s.len);
}
