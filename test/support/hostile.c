#include "support/hostile.h"

#include "base/test.h"

__extension__ typedef unsigned __int128 wide;

static const uint64_t k0 = UINT64_C(0xD6E8FEB86659FD93);
static const uint64_t k1 = UINT64_C(0xA0761D6478BD642F);
static const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);

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
    uint64_t words[2] = {kind == HOSTILE ? k1 : tr_test_random(), i};
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
                           : tr_test_random() | 1;
}

void steps_add(struct steps *steps, size_t together)
{
    steps->keys += together;
    steps->sum += (double)together * (double)(together + 1) / 2;
}

struct steps steps_of_slots(const void *table, size_t slots,
                            steps_taken_fn *is_taken)
{
    struct steps steps = {0};
    size_t run = 0;
    for (size_t i = 0; i < slots; i++) {
        if (is_taken(table, i)) {
            run++;
            continue;
        }
        steps_add(&steps, run);
        run = 0;
    }
    steps_add(&steps, run);
    return steps;
}

void steps_compare(struct steps hostile, struct steps harmless)
{
    CHECK_INT(hostile.keys, HOSTILE_KEYS);
    CHECK_INT(harmless.keys, HOSTILE_KEYS);
    CHECK(hostile.sum < 1.5 * harmless.sum);
}
