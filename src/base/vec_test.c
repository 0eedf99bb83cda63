#include "base/vec.h"

#include "base/test.h"

TEST(vec_keeps_what_was_pushed_in_order)
{
    struct tr_arena arena;
    TR_VEC(size_t) numbers = {0};
    tr_arena_init(&arena, (size_t)16 * 1024 * 1024);
    for (size_t i = 0; i < 100000; i++)
        CHECK(tr_vec_push(&arena, &numbers, i * i));
    CHECK_INT(numbers.count, 100000);
    for (size_t i = 0; i < numbers.count; i++)
        CHECK(numbers.items[i] == i * i);
    tr_arena_done(&arena);
}

TEST(vec_takes_whole_structs)
{
    struct tr_arena arena;
    TR_VEC(tr_str) names = {0};
    tr_arena_init(&arena, 4096);
    CHECK(tr_vec_push(&arena, &names, TR_STR("one")));
    CHECK(tr_vec_push(&arena, &names, TR_STR("two")));
    CHECK_STR(names.items[0], "one");
    CHECK_STR(names.items[1], "two");
    tr_arena_done(&arena);
}

TEST(vec_that_cannot_grow_stays_as_it_was)
{
    struct tr_arena arena;
    TR_VEC(uint64_t) numbers = {0};
    tr_arena_init(&arena, 64);
    for (uint64_t i = 0; i < 8; i++)
        CHECK(tr_vec_push(&arena, &numbers, i));
    CHECK(!tr_vec_push(&arena, &numbers, UINT64_C(8)));
    CHECK_INT(numbers.count, 8);
    CHECK_INT(numbers.cap, 8);
    CHECK_INT(numbers.items[7], 7);
    tr_arena_done(&arena);
}

TEST(vec_refuses_sizes_that_overflow)
{
    struct tr_arena arena;
    void *items = NULL;
    size_t cap = SIZE_MAX / 2 + 1;
    tr_arena_init(&arena, SIZE_MAX);
    CHECK(!tr_vec_room(&arena, &items, cap, &cap, 1));
    cap = SIZE_MAX / 8;
    CHECK(!tr_vec_room(&arena, &items, cap, &cap, 8));
    CHECK(items == NULL);
    tr_arena_done(&arena);
}

static tr_status push_many(void *context, struct tr_err *err)
{
    (void)context;
    struct tr_arena arena;
    TR_VEC(tr_str) names = {0};
    tr_status status = TR_OK;
    tr_arena_init(&arena, (size_t)16 * 1024 * 1024);
    for (int i = 0; i < 10000 && status == TR_OK; i++) {
        if (!tr_vec_push(&arena, &names, TR_STR("x")))
            status = tr_fail(err, TR_E_NOMEM, "no memory");
    }
    tr_arena_done(&arena);
    return status;
}

TEST(vec_tells_when_there_is_no_memory)
{
    tr_test_sweep(push_many, NULL);
}
