/* Equal hashes are what makes uniqueItems compare: there must not be more of
 * them than equal values. */
#include "base/test.h"
#include "fields/value.h"
#include "json/build.h"
#include "support/steps.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_distinct(uint64_t *hashes)
{
    qsort(hashes, STEPS_KEYS, sizeof(*hashes), compare);
    for (size_t i = 1; i < STEPS_KEYS; i++)
        CHECK(hashes[i] != hashes[i - 1]);
}

TEST(hash_of_values_tells_hostile_numbers_apart)
{
    static uint64_t hashes[STEPS_KEYS];
    char text[HOSTILE_DIGITS];
    uint64_t seed = tr_test_random();
    uint64_t old = old_hash_number(hostile_number(HOSTILE, 0, text));
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        tr_str number = hostile_number(HOSTILE, i, text);
        CHECK(old_hash_number(number) == old);
        struct tr_json value = tr_json_make_integer(number);
        hashes[i] = tr_field_value_hash(&value, seed);
    }
    check_distinct(hashes);
}

TEST(hash_of_values_tells_hostile_texts_apart)
{
    static uint64_t hashes[STEPS_KEYS];
    char text[HOSTILE_BYTES];
    uint64_t seed = tr_test_random();
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        struct tr_json value =
            tr_json_make_text(TR_JSON_STRING, hostile_text(HOSTILE, i, text));
        hashes[i] = tr_field_value_hash(&value, seed);
    }
    check_distinct(hashes);
}
