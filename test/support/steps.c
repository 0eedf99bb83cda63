#include "support/steps.h"

#include "base/test.h"

void steps_add(struct steps *steps, size_t together)
{
    steps->keys += together;
    steps->sum += (double)together * (double)(together + 1) / 2;
}

struct steps steps_of_slots(const void *table, size_t slots,
                            steps_taken_fn *is_taken)
{
    struct steps steps = {0};
    size_t run = 0;
    for (size_t i = 0; i < slots; i++) {
        if (is_taken(table, i)) {
            run++;
            continue;
        }
        steps_add(&steps, run);
        run = 0;
    }
    steps_add(&steps, run);
    return steps;
}

void steps_compare(struct steps hostile, struct steps harmless)
{
    CHECK_INT(hostile.keys, STEPS_KEYS);
    CHECK_INT(harmless.keys, STEPS_KEYS);
    CHECK(hostile.sum < 1.5 * harmless.sum);
}
