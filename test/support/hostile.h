/*
 * test/support/hostile.h - keys that all fell into one bucket of tables as they
 * once were, beside such as chance would make.
 *
 * The formulas of then are kept here and in the tests, so that a table that
 * goes back to one of them is noticed.
 */
#ifndef TR_TEST_SUPPORT_HOSTILE_H
#define TR_TEST_SUPPORT_HOSTILE_H

#include "base/str.h"

enum hostility { HOSTILE, HARMLESS };

/* Text `i`, in `out`. Those that are hostile have one hash, whatever the seed.
 */
enum { HOSTILE_BYTES = 16 };
tr_str hostile_text(enum hostility kind, size_t i, char out[HOSTILE_BYTES]);
uint64_t old_hash_bytes(tr_str bytes, uint64_t seed);

/* Ids that collide in a set of at most 2^24 slots. */
uint64_t hostile_id(enum hostility kind, size_t i);
uint64_t old_hash_id(uint64_t id);

/* An integer that is its own id in the store, and shows only in high bits. */
int64_t hostile_integer(enum hostility kind, size_t i);

/* Numbers of many digits; there are 65,536 hostile ones. */
enum { HOSTILE_DIGITS = 320 };
tr_str hostile_number(enum hostility kind, size_t i, char out[HOSTILE_DIGITS]);
uint64_t old_hash_number(tr_str digits);

#endif
