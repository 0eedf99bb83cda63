/*
 * support/hostile.h - keys that all fell into one bucket of tables as they once
 * were, and how many steps a table takes to find what it holds.
 *
 * The formulas of then are kept here, so that a table that goes back to one of
 * them is noticed.
 */
#ifndef TR_SUPPORT_HOSTILE_H
#define TR_SUPPORT_HOSTILE_H

#include "base/str.h"

enum { HOSTILE_KEYS = 50000, HOSTILE_BYTES = 16 };

/* Keys of a test: made to collide, or random. */
enum hostility { HOSTILE, HARMLESS };

/* Key `i`, in `out`. Those that are hostile have one hash, whatever the seed.
 */
tr_str hostile_text(enum hostility kind, size_t i, char out[HOSTILE_BYTES]);
uint64_t old_hash_bytes(tr_str bytes, uint64_t seed);

/* Ids that collide in a set of at most 2^24 slots. */
uint64_t hostile_id(enum hostility kind, size_t i);
uint64_t old_hash_id(uint64_t id);

/* Steps to find each key once; a chain, or a run of slots without a gap, adds
 * those of its keys. */
struct steps {
    size_t keys;
    double sum;
};

void steps_add(struct steps *steps, size_t together);

/* The runs of a table with open addressing. */
typedef bool steps_taken_fn(const void *table, size_t slot);
struct steps steps_of_slots(const void *table, size_t slots,
                            steps_taken_fn *is_taken);

/* Fails the test unless what is hostile costs about what is harmless. */
void steps_compare(struct steps hostile, struct steps harmless);

#endif
