/*
 * test/support/steps.h - how many steps a table takes to find what it holds.
 */
#ifndef TR_TEST_SUPPORT_STEPS_H
#define TR_TEST_SUPPORT_STEPS_H

#include "support/hostile.h"

/* How many keys a table is tested with. */
enum { STEPS_KEYS = 50000 };

/* The steps to find each key once. */
struct steps {
    size_t keys;
    double sum;
};

/*
 * Adds the steps for the keys of a chain, or of a run of slots without a gap.
 */
void steps_add(struct steps *steps, size_t together);

/* The steps of a table with open addressing, from its runs of taken slots. */
typedef bool steps_taken_fn(const void *table, size_t slot);
struct steps steps_of_slots(const void *table, size_t slots,
                            steps_taken_fn *is_taken);

/* Fails the test unless what is hostile costs about what is harmless. */
void steps_compare(struct steps hostile, struct steps harmless);

#endif
