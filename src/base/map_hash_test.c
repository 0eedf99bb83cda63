#include "base/hash.h"
#include "base/map.h"
#include "base/test.h"
#include "support/steps.h"

TEST(hash_of_bytes_spreads_keys_that_collided_whatever_the_seed)
{
    enum { BUCKETS = 65536 };
    static unsigned buckets[BUCKETS];
    char text[HOSTILE_BYTES];
    uint64_t old = old_hash_bytes(hostile_text(HOSTILE, 0, text), 1);
    uint64_t seed = tr_test_random();
    struct steps steps = {0};
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        tr_str key = hostile_text(HOSTILE, i, text);
        CHECK(old_hash_bytes(key, seed) == old);
        buckets[tr_hash_bytes(key, seed) % BUCKETS]++;
    }
    for (size_t i = 0; i < BUCKETS; i++)
        steps_add(&steps, buckets[i]);
    CHECK(steps.sum < 1.6 * STEPS_KEYS); /* 1.38 is expected */
}

static bool is_taken(const void *table, size_t slot)
{
    return ((const struct tr_map *)table)->slots[slot] != 0;
}

static struct steps fill(enum hostility kind)
{
    struct tr_arena arena;
    struct tr_map map;
    tr_arena_init(&arena, SIZE_MAX);
    tr_map_init(&map, &arena);
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        char *text = tr_arena_alloc(&arena, HOSTILE_BYTES);
        CHECK(text && tr_map_set(&map, hostile_text(kind, i, text), text));
    }
    struct steps steps = steps_of_slots(&map, map.slot_count, is_taken);
    tr_arena_done(&arena);
    return steps;
}

TEST(hash_of_a_map_spreads_hostile_keys)
{
    steps_compare(fill(HOSTILE), fill(HARMLESS));
}
