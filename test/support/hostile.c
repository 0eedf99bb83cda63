#include "support/hostile.h"

__extension__ typedef unsigned __int128 wide;

static const uint64_t k0 = UINT64_C(0xD6E8FEB86659FD93);
static const uint64_t k1 = UINT64_C(0xA0761D6478BD642F);
static const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);

/* SplitMix64: numbers that look like chance, and are the same every time. */
static uint64_t random_of(uint64_t i)
{
    uint64_t z = (i + 1) * golden;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t fold(uint64_t a, uint64_t b)
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

uint64_t old_hash_bytes(tr_str s, uint64_t seed)
{
    uint64_t state = seed ^ k0 ^ s.len;
    size_t i = 0;
    for (; i + 16 <= s.len; i += 16)
        state = fold(load_up_to_8(s.ptr + i, 8) ^ k1,
                     load_up_to_8(s.ptr + i + 8, 8) ^ state);
    uint64_t a = i < s.len ? load_up_to_8(s.ptr + i, s.len - i) : 0;
    uint64_t b = i + 8 < s.len ? load_up_to_8(s.ptr + i + 8, s.len - i - 8) : 0;
    return fold(fold(a ^ k1, b ^ state) ^ k0, k1 ^ s.len);
}

/* The first factor becomes zero, and the second does not matter any more. */
tr_str hostile_text(enum hostility kind, size_t i, char out[HOSTILE_BYTES])
{
    uint64_t words[2] = {kind == HOSTILE ? k1 : random_of(i), i};
    memcpy(out, words, HOSTILE_BYTES);
    return (tr_str){out, HOSTILE_BYTES};
}

uint64_t old_hash_id(uint64_t id)
{
    return id * golden >> 20;
}

/* What times an odd number gives 1: each round has twice as many bits right. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

uint64_t hostile_id(enum hostility kind, size_t i)
{
    return kind == HOSTILE ? (((uint64_t)i + 1) << 44) * inverse(golden)
                           : random_of(i) | 1;
}

int64_t hostile_integer(enum hostility kind, size_t i)
{
    return kind == HOSTILE ? (int64_t)i << 42 : (int64_t)(random_of(i) >> 7);
}

uint64_t old_hash_number(tr_str digits)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < digits.len; i++)
        hash = hash * UINT64_C(0x100000001B3) + (unsigned char)digits.ptr[i];
    return hash;
}

/* Blocks that the old hash could not tell apart, wherever they stood. */
tr_str hostile_number(enum hostility kind, size_t i, char out[HOSTILE_DIGITS])
{
    static const char *const blocks[2] = {"13611451111451512511",
                                          "21123114641113141131"};
    enum { BLOCK = 20 };
    for (size_t at = 0; at < HOSTILE_DIGITS; at++) {
        const char *block = blocks[i >> at / BLOCK & 1];
        out[at] = kind == HOSTILE
                      ? block[at % BLOCK]
                      : (char)('1' + random_of(i * HOSTILE_DIGITS + at) % 9);
    }
    return (tr_str){out, HOSTILE_DIGITS};
}
