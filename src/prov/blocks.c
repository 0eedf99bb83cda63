#include "prov/blocks.h"

#include <stdlib.h>

void tr_prov_blocks_done(struct tr_prov_blocks *blocks)
{
    free(blocks->spare);
}

static void recycle(struct tr_prov_blocks *blocks, struct tr_prov_block *block)
{
    blocks->count--;
    if (blocks->spare)
        free(block);
    else
        blocks->spare = block;
}

struct tr_prov_block *tr_prov_blocks_push(struct tr_prov_blocks *blocks,
                                          uint64_t due_ms)
{
    struct tr_prov_block *block = blocks->spare;
    blocks->spare = NULL;
    if (!block)
        block = calloc(1, sizeof(*block));
    if (!block)
        return NULL;
    block->next = NULL;
    block->due_ms = due_ms;
    block->len = block->count = 0;
    if (blocks->last)
        blocks->last->next = block;
    else
        blocks->first = block;
    blocks->last = block;
    blocks->count++;
    return block;
}

size_t tr_prov_blocks_drop(struct tr_prov_blocks *blocks)
{
    struct tr_prov_block *oldest = blocks->first;
    if (!oldest)
        return 0;
    size_t count = oldest->count;
    blocks->first = oldest->next;
    if (!blocks->first)
        blocks->last = NULL;
    recycle(blocks, oldest);
    return count;
}

void tr_prov_blocks_hand_over(struct tr_prov_blocks *blocks, size_t most)
{
    struct tr_prov_block *last = blocks->first;
    if (!last)
        return;
    for (size_t i = 1; i < most && last->next; i++)
        last = last->next;
    blocks->out = blocks->first;
    blocks->first = last->next;
    last->next = NULL;
    if (!blocks->first)
        blocks->last = NULL;
}

void tr_prov_blocks_written(struct tr_prov_blocks *blocks)
{
    while (blocks->out) {
        struct tr_prov_block *next = blocks->out->next;
        recycle(blocks, blocks->out);
        blocks->out = next;
    }
}

void tr_prov_blocks_take_back(struct tr_prov_blocks *blocks)
{
    struct tr_prov_block *last = blocks->out;
    if (!last)
        return;
    while (last->next)
        last = last->next;
    last->next = blocks->first;
    blocks->first = blocks->out;
    if (!blocks->last)
        blocks->last = last;
    blocks->out = NULL;
}
