/*
 * test/support/fail_alloc.c - an allocator that fails when it is told to.
 *
 * Test programs are linked with --wrap for these three, so every allocation of
 * ours passes here, and the product needs no allocator parameter for it.
 */
#define TR_MAY_ALLOCATE
#include "base/test.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Per thread: a sweep must not disturb what runs beside it. */
static _Thread_local struct {
    bool counting;
    size_t seen;
    size_t fail_at; /* the how-maniest fails; 0 for none */
} watch;

static bool must_fail(void)
{
    return watch.counting && ++watch.seen == watch.fail_at;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return must_fail() ? NULL : __real_realloc(memory, size);
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
