/*
 * base/bits.h - a set of numbers, a bit each.
 *
 * It has pages of bits, made when a number of theirs is added: numbers that
 * stand near one another cost next to nothing, a few far apart a page each. It
 * gives numbers out in their order. The caller owns the struct.
 */
#ifndef TR_BASE_BITS_H
#define TR_BASE_BITS_H

#include "base/arena.h"

#include <stdint.h>

struct tr_bits {
    struct tr_arena arena; /* of pages, and of the list of them */
    uint64_t **pages;      /* NULL where no number has been added */
    size_t page_count;
};

/* Takes no memory yet. `max_bytes` bounds what it will ever hold. */
void tr_bits_init(struct tr_bits *bits, size_t max_bytes);
void tr_bits_done(struct tr_bits *bits);

/* False when there is no memory, or no more. */
TR_NODISCARD bool tr_bits_add(struct tr_bits *bits, uint64_t number);
void tr_bits_remove(struct tr_bits *bits, uint64_t number);
bool tr_bits_has(const struct tr_bits *bits, uint64_t number);

/* Goes on to the first number from `*number` on; false when there is none. */
bool tr_bits_next(const struct tr_bits *bits, uint64_t *number);

#endif
