#include "base/arena.h"

#include "base/limits.h"
#include "base/test.h"

static bool is_aligned(const void *memory)
{
    return (uintptr_t)memory % alignof(max_align_t) == 0;
}

TEST(arena_takes_no_memory_before_it_is_used)
{
    struct tr_arena arena;
    tr_arena_init(&arena, 1000);
    CHECK(arena.blocks == NULL);
    CHECK_INT(arena.held, 0);
    tr_arena_done(&arena);
}

TEST(arena_aligns_memory_of_every_size)
{
    struct tr_arena arena;
    tr_arena_init(&arena, (size_t)1024 * 1024);
    for (size_t size = 0; size < 300; size++) {
        char *memory = tr_arena_alloc(&arena, size);
        if (!memory)
            abort();
        CHECK(is_aligned(memory));
        memset(memory, 'x', size);
    }
    tr_arena_done(&arena);
}

TEST(arena_gives_memory_that_does_not_overlap)
{
    enum { COUNT = 2000 };
    struct tr_arena arena;
    static unsigned char *memory[COUNT];
    tr_arena_init(&arena, (size_t)1024 * 1024);
    for (size_t i = 0; i < COUNT; i++) {
        memory[i] = tr_arena_alloc(&arena, 1 + i % 100);
        CHECK(memory[i] != NULL);
        memset(memory[i], (int)(i % 256), 1 + i % 100);
    }
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_INT(memory[i][0], i % 256);
        CHECK_INT(memory[i][i % 100], i % 256);
    }
    tr_arena_done(&arena);
}

TEST(arena_gives_its_maximum_and_not_a_byte_more)
{
    struct tr_arena arena;
    tr_arena_init(&arena, 64);
    CHECK(tr_arena_alloc(&arena, 65) == NULL);
    CHECK(tr_arena_alloc(&arena, 32) != NULL);
    CHECK(tr_arena_alloc(&arena, 33) == NULL);
    CHECK(tr_arena_alloc(&arena, 32) != NULL);
    CHECK(tr_arena_alloc(&arena, 0) == NULL);
    CHECK_INT(arena.held, 64);
    tr_arena_done(&arena);
}

TEST(arena_never_holds_more_than_its_maximum)
{
    static const size_t maxima[] = {1, 15, 16, 100, 4096, 5000, 100001};
    for (size_t i = 0; i < TR_LEN(maxima); i++) {
        struct tr_arena arena;
        size_t got = 0;
        tr_arena_init(&arena, maxima[i]);
        while (tr_arena_alloc(&arena, 16))
            got += 16;
        CHECK(got <= maxima[i]);
        CHECK(arena.held <= maxima[i]);
        tr_arena_done(&arena);
    }
}

TEST(arena_refuses_sizes_near_the_largest_number)
{
    struct tr_arena arena;
    tr_arena_init(&arena, 1000);
    for (size_t less = 0; less < 40; less++)
        CHECK(tr_arena_alloc(&arena, SIZE_MAX - less) == NULL);
    tr_arena_done(&arena);
}

/* A block has a head, and the sum of both must not start again at 0. */
TEST(arena_without_maximum_refuses_what_no_block_can_hold)
{
    struct tr_arena arena;
    tr_arena_init(&arena, SIZE_MAX);
    for (size_t less = 0; less < 2 * alignof(max_align_t) - 1; less++)
        CHECK(tr_arena_alloc(&arena, SIZE_MAX - less) == NULL);
    tr_arena_done(&arena);
}

TEST(arena_zalloc_clears_memory_that_was_used_before)
{
    struct tr_arena arena;
    tr_arena_init(&arena, 4096);
    memset(tr_arena_alloc(&arena, 4096), 'x', 4096);
    tr_arena_reset(&arena);
    const uint64_t *numbers = TR_NEW_ARRAY(&arena, uint64_t, 512);
    for (size_t i = 0; i < 512; i++)
        CHECK(numbers && numbers[i] == 0);
    tr_arena_done(&arena);
}

TEST(arena_zalloc_refuses_a_product_that_overflows)
{
    struct tr_arena arena;
    tr_arena_init(&arena, SIZE_MAX);
    CHECK(tr_arena_zalloc(&arena, SIZE_MAX / 2 + 1, 2) == NULL);
    CHECK(tr_arena_zalloc(&arena, SIZE_MAX, SIZE_MAX) == NULL);
    CHECK(tr_arena_zalloc(&arena, SIZE_MAX, 0) != NULL);
    tr_arena_done(&arena);
}

TEST(arena_new_gives_one_cleared_object)
{
    struct tr_arena arena;
    tr_arena_init(&arena, 100);
    const tr_str *s = TR_NEW(&arena, tr_str);
    CHECK(s != NULL && s->ptr == NULL && s->len == 0);
    tr_arena_done(&arena);
}

TEST(arena_copy_ends_with_a_nul_that_does_not_count)
{
    struct tr_arena arena;
    tr_str copy;
    tr_arena_init(&arena, 1000);
    CHECK(tr_arena_copy(&arena, TR_STR("abc"), &copy));
    CHECK_STR(copy, "abc");
    CHECK_INT(copy.ptr[3], '\0');
    CHECK(tr_arena_copy(&arena, (tr_str){NULL, 0}, &copy));
    CHECK_INT(copy.len, 0);
    CHECK_INT(copy.ptr[0], '\0');
    tr_arena_done(&arena);
}

TEST(arena_copy_needs_room_for_the_nul)
{
    struct tr_arena arena;
    tr_str copy = TR_STR("before");
    tr_arena_init(&arena, 16);
    CHECK(!tr_arena_copy(&arena, TR_STR("0123456789abcdef"), &copy));
    CHECK(!tr_arena_copy(&arena, (tr_str){"", SIZE_MAX}, &copy));
    CHECK_STR(copy, "before");
    CHECK(tr_arena_copy(&arena, TR_STR("0123456789abcde"), &copy));
    CHECK_STR(copy, "0123456789abcde");
    tr_arena_done(&arena);
}

TEST(arena_reset_keeps_one_block)
{
    struct tr_arena arena;
    tr_arena_init(&arena, (size_t)1024 * 1024);
    for (int i = 0; i < 100; i++)
        CHECK(tr_arena_alloc(&arena, 1000) != NULL);
    const struct tr_arena_block *newest = arena.blocks;
    size_t held = arena.held;
    tr_arena_reset(&arena);
    CHECK(arena.blocks == newest);
    CHECK(arena.held > 0 && arena.held < held);
    CHECK(tr_arena_alloc(&arena, arena.held) != NULL);
    CHECK(arena.blocks == newest);
    tr_arena_done(&arena);
}

TEST(arena_reset_gives_the_maximum_back)
{
    struct tr_arena arena;
    tr_arena_init(&arena, 10000);
    tr_arena_reset(&arena);
    for (int i = 0; i < 10; i++) {
        while (tr_arena_alloc(&arena, 48))
            ;
        tr_arena_reset(&arena);
    }
    CHECK(tr_arena_alloc(&arena, 5000) != NULL);
    tr_arena_done(&arena);
}

TEST(arena_may_be_used_again_after_done)
{
    struct tr_arena arena;
    tr_arena_init(&arena, 100);
    CHECK(tr_arena_alloc(&arena, 96) != NULL);
    tr_arena_done(&arena);
    CHECK(tr_arena_alloc(&arena, 96) != NULL);
    tr_arena_done(&arena);
}

static tr_status take_many_blocks(void *context, struct tr_err *err)
{
    (void)context;
    struct tr_arena arena;
    tr_status status = TR_OK;
    tr_arena_init(&arena, (size_t)16 * 1024 * 1024);
    for (int i = 0; i < 1000 && status == TR_OK; i++) {
        if (!tr_arena_alloc(&arena, 5000))
            status = tr_fail(err, TR_E_NOMEM, "no memory");
    }
    tr_arena_done(&arena);
    return status;
}

TEST(arena_gives_null_when_there_is_no_memory)
{
    tr_test_sweep(take_many_blocks, NULL);
}

TEST(recycled_it_keeps_no_more_than_it_is_told)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK(tr_arena_alloc(&arena, 100));
    tr_arena_recycle(&arena, TR_KIB(64));
    size_t small = arena.held;
    CHECK(small > 0);
    CHECK(tr_arena_alloc(&arena, TR_KIB(200)));
    tr_arena_recycle(&arena, TR_KIB(64));
    CHECK_INT(arena.held, 0);
    CHECK(tr_arena_alloc(&arena, 100));
    CHECK_INT(arena.held, small);
    tr_arena_done(&arena);
}
