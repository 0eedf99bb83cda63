#include "base/hash.h"

#include "base/test.h"

#define LONGEST 100

static void fill_random(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        text[i] = (char)tr_test_random();
}

TEST(hash_depends_on_the_bytes_and_not_on_where_they_stand)
{
    for (size_t len = 0; len <= LONGEST; len++) {
        char text[LONGEST];
        char moved[LONGEST + 1];
        fill_random(text, len);
        memcpy(moved + 1, text, len);
        CHECK(tr_hash_bytes((tr_str){text, len}, 7) ==
              tr_hash_bytes((tr_str){moved + 1, len}, 7));
    }
}

TEST(hash_reads_nothing_past_the_end)
{
    for (size_t len = 1; len <= LONGEST; len++) {
        char *text = calloc(1, len);
        CHECK(text != NULL);
        (void)tr_hash_bytes((tr_str){text, len}, 7);
        free(text);
    }
    CHECK(tr_hash_bytes((tr_str){NULL, 0}, 7) == tr_hash_bytes(TR_STR(""), 7));
}

TEST(hash_changes_with_the_seed)
{
    static const char *const texts[] = {"", "a", "a longer text than 16"};
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        tr_str text = tr_str_from(texts[i]);
        CHECK_ROW(tr_hash_bytes(text, 1) != tr_hash_bytes(text, 2), texts[i]);
    }
}

TEST(hash_tells_lengths_of_zeros_apart)
{
    static const char zeros[LONGEST];
    for (size_t a = 0; a <= LONGEST; a++) {
        for (size_t b = 0; b < a; b++)
            CHECK(tr_hash_bytes((tr_str){zeros, a}, 7) !=
                  tr_hash_bytes((tr_str){zeros, b}, 7));
    }
}

/* On average half of the 64 bits change; the bounds are far from chance. */
TEST(hash_spreads_the_change_of_any_one_bit)
{
    for (size_t len = 1; len <= 48; len++) {
        char text[48];
        unsigned changed = 0;
        fill_random(text, len);
        uint64_t before = tr_hash_bytes((tr_str){text, len}, 7);
        for (size_t bit = 0; bit < len * 8; bit++) {
            text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
            uint64_t after = tr_hash_bytes((tr_str){text, len}, 7);
            CHECK(after != before);
            changed += (unsigned)__builtin_popcountll(before ^ after);
            text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
        }
        CHECK(changed / (len * 8) > 20 && changed / (len * 8) < 44);
    }
}

TEST(hash_fills_buckets_evenly_with_numbered_keys)
{
    enum { BUCKETS = 1024, KEYS = 64 * BUCKETS };
    static unsigned buckets[BUCKETS];
    for (size_t i = 0; i < KEYS; i++) {
        char text[32];
        int len = snprintf(text, sizeof(text), "key%zu", i);
        buckets[tr_hash_bytes((tr_str){text, (size_t)len}, 7) % BUCKETS]++;
    }
    for (size_t i = 0; i < BUCKETS; i++)
        CHECK(buckets[i] > 16 && buckets[i] < 128);
}

TEST(hash_seed_differs_between_addresses)
{
    char here[2];
    CHECK(tr_hash_seed(&here[0]) != tr_hash_seed(&here[1]));
}

TEST(hash_of_a_number_spreads_the_change_of_any_one_bit)
{
    for (size_t round = 0; round < 100; round++) {
        uint64_t value = tr_test_random();
        uint64_t seed = tr_test_random();
        uint64_t before = tr_hash_u64(value, seed);
        unsigned of_value = 0;
        unsigned of_seed = 0;
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t one = (uint64_t)1 << bit;
            of_value += (unsigned)__builtin_popcountll(
                before ^ tr_hash_u64(value ^ one, seed));
            of_seed += (unsigned)__builtin_popcountll(
                before ^ tr_hash_u64(value, seed ^ one));
        }
        CHECK(of_value / 64 > 24 && of_value / 64 < 40);
        CHECK(of_seed / 64 > 24 && of_seed / 64 < 40);
    }
}

/* Low bits and high bits, for keys that differ in a few bits anywhere. */
TEST(hash_of_a_number_fills_buckets_evenly_with_shifted_keys)
{
    enum { BUCKETS = 1024, KEYS = 64 * BUCKETS };
    static unsigned low[BUCKETS];
    static unsigned high[BUCKETS];
    for (unsigned shift = 0; shift <= 48; shift += 6) {
        uint64_t seed = tr_hash_seed(&low[shift]);
        memset(low, 0, sizeof(low));
        memset(high, 0, sizeof(high));
        for (uint64_t i = 0; i < KEYS; i++) {
            uint64_t hash = tr_hash_u64(i << shift, seed);
            low[hash % BUCKETS]++;
            high[hash >> 54]++;
        }
        for (size_t i = 0; i < BUCKETS; i++) {
            CHECK(low[i] > 16 && low[i] < 128);
            CHECK(high[i] > 16 && high[i] < 128);
        }
    }
}
