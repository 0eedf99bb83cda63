#include "base/bits.h"

#include "base/limits.h"
#include "base/test.h"

/* Ends of words and of pages, and one far away. */
static const uint64_t numbers[] = {
    0,     1,     63,    64,    65,      127,        32767,     32768,
    98303, 98304, 98305, 99999, 1000000, 1000000007, 5000000000};

TEST(bits_are_a_set_in_order)
{
    struct tr_bits bits;
    uint64_t at = 0;
    tr_bits_init(&bits, TR_MIB(64));
    CHECK(!tr_bits_next(&bits, &at));
    for (size_t i = TR_LEN(numbers); i > 0; i--) {
        CHECK(!tr_bits_has(&bits, numbers[i - 1]));
        CHECK(tr_bits_add(&bits, numbers[i - 1]));
        CHECK(tr_bits_add(&bits, numbers[i - 1]));
    }
    for (size_t i = 0; i < TR_LEN(numbers); i++) {
        CHECK(tr_bits_has(&bits, numbers[i]));
        CHECK(tr_bits_next(&bits, &at));
        CHECK_INT(at, numbers[i]);
        at++;
    }
    CHECK(!tr_bits_next(&bits, &at));
    CHECK(!tr_bits_has(&bits, 2));
    tr_bits_done(&bits);
}

TEST(bits_forget_what_is_removed)
{
    struct tr_bits bits;
    uint64_t at = 0;
    tr_bits_init(&bits, TR_MIB(1));
    tr_bits_remove(&bits, 7); /* there are none at all */
    CHECK(tr_bits_add(&bits, 7));
    CHECK(tr_bits_add(&bits, 40000));
    tr_bits_remove(&bits, 7);
    tr_bits_remove(&bits, 8);
    tr_bits_remove(&bits, 90000);
    CHECK(!tr_bits_has(&bits, 7));
    CHECK(tr_bits_next(&bits, &at));
    CHECK_INT(at, 40000);
    tr_bits_done(&bits);
    CHECK(!tr_bits_has(&bits, 40000));
}

TEST(bits_have_a_maximum)
{
    struct tr_bits bits;
    tr_bits_init(&bits, TR_KIB(64));
    CHECK(tr_bits_add(&bits, 1));
    CHECK(!tr_bits_add(&bits, UINT64_MAX));
    CHECK(!tr_bits_add(&bits, (uint64_t)1 << 40));
    uint64_t added = 0;
    while (added < 1000 && tr_bits_add(&bits, added * 32768))
        added++;
    CHECK(added > 5 && added < 16);
    CHECK(tr_bits_has(&bits, 1));
    tr_bits_done(&bits);
}

static tr_status fill(void *context, struct tr_err *err)
{
    struct tr_bits bits;
    bool done = true;
    (void)context;
    tr_bits_init(&bits, TR_MIB(16));
    for (size_t i = 0; i < 12 && done; i++)
        done = tr_bits_add(&bits, numbers[i]);
    tr_bits_done(&bits);
    return done ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory for bits");
}

TEST(bits_survive_every_allocation_that_fails)
{
    tr_test_sweep(fill, NULL);
}
