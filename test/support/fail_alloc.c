/*
 * test/support/fail_alloc.c - an allocator that fails when it is told to, and
 * that knows how much was held.
 *
 * Test programs are linked with --wrap for these four, so every allocation of
 * ours passes here, and the product needs no allocator parameter for it.
 */
#define TR_MAY_ALLOCATE
#include "base/test.h"

#include <malloc.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

/* Per thread: a sweep must not disturb what runs beside it. */
static _Thread_local struct {
    bool counting;
    size_t seen;
    size_t fail_at; /* the how-maniest fails; 0 for none */
    bool weighing;
    intmax_t held; /* bytes, from where weighing began */
    intmax_t most;
} watch;

static bool must_fail(void)
{
    return watch.counting && ++watch.seen == watch.fail_at;
}

static void lose(void *memory)
{
    if (watch.weighing && memory)
        watch.held -= (intmax_t)malloc_usable_size(memory);
}

static void *gain(void *memory)
{
    if (watch.weighing && memory)
        watch.held += (intmax_t)malloc_usable_size(memory);
    if (watch.held > watch.most)
        watch.most = watch.held;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : gain(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : gain(__real_calloc(count, size));
}

/* One that fails for real leaves what there was, and the test ends soon. */
void *__wrap_realloc(void *memory, size_t size)
{
    if (must_fail())
        return NULL;
    lose(memory);
    return gain(__real_realloc(memory, size));
}

void __wrap_free(void *memory)
{
    lose(memory);
    __real_free(memory);
}

void tr_test_sweep(tr_status (*scenario)(void *context, struct tr_err *err),
                   void *context)
{
    struct tr_err err = {0};
    watch.counting = true;
    watch.seen = 0;
    watch.fail_at = 0;
    tr_status status = scenario(context, &err);
    size_t total = watch.seen;
    for (size_t n = 1; n <= total && status == TR_OK; n++) {
        watch.seen = 0;
        watch.fail_at = n;
        tr_status failed = scenario(context, &err);
        if (failed != TR_E_NOMEM) {
            watch.counting = false;
            print_error("allocation %zu of %zu failed, and it returned %s\n", n,
                        total, tr_status_name(failed));
            fail();
        }
    }
    watch.counting = false;
    CHECK_OK(status, &err);
    CHECK(total > 0);
}

size_t tr_test_allocations(void (*work)(void *context), void *context)
{
    watch.counting = true;
    watch.seen = 0;
    watch.fail_at = 0;
    work(context);
    watch.counting = false;
    return watch.seen;
}

void tr_test_fail_each(void (*prepare)(void *context),
                       void (*scenario)(void *context), void *context)
{
    for (size_t n = 1;; n++) {
        if (prepare)
            prepare(context);
        watch.counting = true;
        watch.seen = 0;
        watch.fail_at = n;
        scenario(context);
        watch.counting = false;
        if (watch.seen < n)
            return;
    }
}

size_t tr_test_most_bytes(void (*work)(void *context), void *context)
{
    watch.weighing = true;
    watch.held = 0;
    watch.most = 0;
    work(context);
    watch.weighing = false;
    return (size_t)watch.most;
}
