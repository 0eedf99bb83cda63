#include "base/map.h"

#include "base/test.h"

#define MANY 20000

static char numbers[MANY];

static tr_str key_of(struct tr_arena *arena, size_t i)
{
    char text[32];
    tr_str key = {NULL, 0};
    int len = snprintf(text, sizeof(text), "key-%zu", i);
    CHECK(tr_arena_copy(arena, (tr_str){text, (size_t)len}, &key));
    return key;
}

static void fill(struct tr_map *map, struct tr_arena *arena)
{
    tr_map_init(map, arena);
    for (size_t i = 0; i < MANY; i++)
        CHECK(tr_map_set(map, key_of(arena, i), &numbers[i]));
}

TEST(map_that_is_empty_finds_nothing)
{
    struct tr_arena arena;
    struct tr_map map;
    tr_arena_init(&arena, 4096);
    tr_map_init(&map, &arena);
    CHECK(tr_map_find(&map, TR_STR("a")) == NULL);
    CHECK(tr_map_find(&map, (tr_str){NULL, 0}) == NULL);
    CHECK_INT(arena.held, 0);
    tr_arena_done(&arena);
}

TEST(map_finds_each_of_thousands_of_keys)
{
    struct tr_arena arena;
    struct tr_map map;
    tr_arena_init(&arena, (size_t)64 * 1024 * 1024);
    fill(&map, &arena);
    CHECK_INT(map.count, MANY);
    for (size_t i = 0; i < MANY; i++)
        CHECK(tr_map_find(&map, key_of(&arena, i)) == &numbers[i]);
    CHECK(tr_map_find(&map, TR_STR("key-")) == NULL);
    CHECK(tr_map_find(&map, TR_STR("key-20000")) == NULL);
    tr_arena_done(&arena);
}

TEST(map_walks_in_the_order_of_adding)
{
    struct tr_arena arena;
    struct tr_map map;
    tr_arena_init(&arena, (size_t)64 * 1024 * 1024);
    fill(&map, &arena);
    for (size_t i = 0; i < MANY; i++)
        CHECK(map.entries[i].value == &numbers[i]);
    tr_arena_done(&arena);
}

TEST(map_replaces_a_value_without_moving_its_entry)
{
    struct tr_arena arena;
    struct tr_map map;
    tr_arena_init(&arena, 4096);
    tr_map_init(&map, &arena);
    CHECK(tr_map_set(&map, TR_STR("a"), &numbers[0]));
    CHECK(tr_map_set(&map, TR_STR("b"), &numbers[1]));
    CHECK(tr_map_set(&map, TR_STR("a"), &numbers[2]));
    CHECK_INT(map.count, 2);
    CHECK(tr_map_find(&map, TR_STR("a")) == &numbers[2]);
    CHECK(map.entries[0].value == &numbers[2]);
    tr_arena_done(&arena);
}

TEST(map_replaces_each_of_thousands_of_values)
{
    struct tr_arena arena;
    struct tr_map map;
    tr_arena_init(&arena, (size_t)64 * 1024 * 1024);
    fill(&map, &arena);
    for (size_t i = 0; i < MANY; i++)
        CHECK(tr_map_set(&map, key_of(&arena, i), &numbers[MANY - 1 - i]));
    CHECK_INT(map.count, MANY);
    for (size_t i = 0; i < MANY; i++)
        CHECK(map.entries[i].value == &numbers[MANY - 1 - i]);
    tr_arena_done(&arena);
}

TEST(map_tells_keys_apart_by_every_byte)
{
    static const tr_str keys[] = {
        TR_STR_INIT(""),   TR_STR_INIT("\0"),  TR_STR_INIT("\0\0"),
        TR_STR_INIT("a"),  TR_STR_INIT("a\0"), TR_STR_INIT("a\0b"),
        TR_STR_INIT("ab"), TR_STR_INIT("A"),   TR_STR_INIT("\xFF"),
    };
    struct tr_arena arena;
    struct tr_map map;
    tr_arena_init(&arena, 8192);
    tr_map_init(&map, &arena);
    for (size_t i = 0; i < TR_LEN(keys); i++)
        CHECK(tr_map_set(&map, keys[i], &numbers[i]));
    CHECK_INT(map.count, TR_LEN(keys));
    for (size_t i = 0; i < TR_LEN(keys); i++)
        CHECK(tr_map_find(&map, keys[i]) == &numbers[i]);
    CHECK(tr_map_find(&map, (tr_str){NULL, 0}) == &numbers[0]);
    tr_arena_done(&arena);
}

TEST(map_that_cannot_grow_keeps_what_it_has)
{
    struct tr_arena arena;
    struct tr_arena keys;
    struct tr_map map;
    size_t added = 0;
    tr_arena_init(&arena, 3000);
    tr_arena_init(&keys, (size_t)1024 * 1024);
    tr_map_init(&map, &arena);
    while (tr_map_set(&map, key_of(&keys, added), &numbers[added]))
        added++;
    CHECK(added > 0 && added < 100);
    CHECK_INT(map.count, added);
    for (size_t i = 0; i < added; i++)
        CHECK(tr_map_find(&map, key_of(&keys, i)) == &numbers[i]);
    CHECK(tr_map_find(&map, key_of(&keys, added)) == NULL);
    tr_arena_done(&keys);
    tr_arena_done(&arena);
}

/* Keys are five bytes from any offset of a random text. */
static tr_status set_many(void *text, struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_map map;
    tr_status status = TR_OK;
    tr_arena_init(&arena, (size_t)16 * 1024 * 1024);
    tr_map_init(&map, &arena);
    for (size_t i = 0; i + 5 <= MANY && status == TR_OK; i++) {
        if (!tr_map_set(&map, (tr_str){(char *)text + i, 5}, &numbers[i]))
            status = tr_fail(err, TR_E_NOMEM, "no memory");
    }
    tr_arena_done(&arena);
    return status;
}

TEST(map_tells_when_there_is_no_memory)
{
    static char text[MANY];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)tr_test_random();
    tr_test_sweep(set_many, text);
}
