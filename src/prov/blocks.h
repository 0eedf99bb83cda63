/*
 * prov/blocks.h - packed activities that wait, in blocks; for this folder only.
 *
 * The oldest blocks are handed over together, and come back when they could not
 * be written.
 */
#ifndef TR_PROV_BLOCKS_H
#define TR_PROV_BLOCKS_H

#include "prov/pack.h"

#define TR_PROV_BLOCK_BYTES TR_KIB(256)

_Static_assert(TR_PROV_BLOCK_BYTES >= 2 * TR_PROV_PACKED_MAX,
               "a block has room for any activity");

/* Activities, packed one behind the other. */
struct tr_prov_block {
    struct tr_prov_block *next;
    uint64_t due_ms; /* on the loop's clock */
    size_t len;
    size_t count;
    unsigned char bytes[TR_PROV_BLOCK_BYTES];
};

struct tr_prov_blocks {
    struct tr_prov_block *first; /* the oldest that waits */
    struct tr_prov_block *last;
    struct tr_prov_block *out;   /* those handed over, the oldest first */
    struct tr_prov_block *spare; /* one, so that a steady log needs no memory */
    size_t count;                /* that wait, or are handed over */
};

void tr_prov_blocks_done(struct tr_prov_blocks *blocks);

/* A new one behind the last; NULL when there is no memory. */
struct tr_prov_block *tr_prov_blocks_push(struct tr_prov_blocks *blocks,
                                          uint64_t due_ms);

/* Drops the oldest that waits; returns how many activities it had. */
size_t tr_prov_blocks_drop(struct tr_prov_blocks *blocks);

/* Hands over the oldest, at most so many. */
void tr_prov_blocks_hand_over(struct tr_prov_blocks *blocks, size_t most);

/* What was handed over is written, or has to wait again: in front, as it is
 * older. */
void tr_prov_blocks_written(struct tr_prov_blocks *blocks);
void tr_prov_blocks_take_back(struct tr_prov_blocks *blocks);

#endif
