/* Equal hashes are what makes uniqueItems compare: there must not be more of
 * them than equal values. */
#include "base/buf.h"
#include "base/test.h"
#include "json/build.h"
#include "json/decimal.h"
#include "shape/value.h"
#include "support/hostile.h"

#include <stdlib.h>

/* Digits that the old hash of a number could not tell apart, wherever they
 * stood: a number of sixteen such blocks has 65,536 others beside it. */
#define BLOCKS 16
#define DIGITS 20
static const char *const blocks[2] = {"13611451111451512511",
                                      "21123114641113141131"};

static uint64_t old_hash_number(tr_str digits)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < digits.len; i++)
        hash = hash * UINT64_C(0x100000001B3) + (unsigned char)digits.ptr[i];
    return hash;
}

static tr_str write_number(size_t i, char out[BLOCKS * DIGITS])
{
    for (size_t block = 0; block < BLOCKS; block++)
        memcpy(out + block * DIGITS, blocks[i >> block & 1], DIGITS);
    return (tr_str){out, BLOCKS * DIGITS};
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_distinct(uint64_t *hashes)
{
    qsort(hashes, HOSTILE_KEYS, sizeof(*hashes), compare);
    for (size_t i = 1; i < HOSTILE_KEYS; i++)
        CHECK(hashes[i] != hashes[i - 1]);
}

TEST(hash_of_values_tells_hostile_numbers_apart)
{
    static uint64_t hashes[HOSTILE_KEYS];
    char text[BLOCKS * DIGITS];
    uint64_t seed = tr_test_random();
    uint64_t old = old_hash_number(write_number(0, text));
    for (size_t i = 0; i < HOSTILE_KEYS; i++) {
        tr_str number = write_number(i, text);
        CHECK(old_hash_number(number) == old);
        struct tr_json value = tr_json_make_integer(number);
        hashes[i] = tr_value_hash(&value, seed);
    }
    check_distinct(hashes);
}

TEST(hash_of_values_tells_hostile_texts_apart)
{
    static uint64_t hashes[HOSTILE_KEYS];
    char text[HOSTILE_BYTES];
    uint64_t seed = tr_test_random();
    for (size_t i = 0; i < HOSTILE_KEYS; i++) {
        struct tr_json value =
            tr_json_make_text(TR_JSON_STRING, hostile_text(HOSTILE, i, text));
        hashes[i] = tr_value_hash(&value, seed);
    }
    check_distinct(hashes);
}
