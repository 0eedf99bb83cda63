/*
 * base/arena.h - memory that is released all at once.
 *
 * One per request, session or snapshot. What is allocated from an arena lives
 * until tr_arena_reset or tr_arena_done and is never freed singly. An arena
 * has a maximum: reaching it looks like running out of memory. It must not
 * move while in use, and belongs to one thread at a time.
 */
#ifndef TR_BASE_ARENA_H
#define TR_BASE_ARENA_H

#include "base/compiler.h"
#include "base/poison.h"
#include "base/str.h"

#include <stdalign.h>

struct tr_arena_block;

struct tr_arena {
    char *next; /* first free byte of the newest block */
    char *end;
    struct tr_arena_block *blocks; /* newest first */
    size_t held;                   /* bytes of all blocks */
    size_t max;
};

/* Takes no memory yet. `max_bytes` bounds what it will ever hold. */
void tr_arena_init(struct tr_arena *arena, size_t max_bytes);

/* Releases everything, keeps one block for the next user. */
void tr_arena_reset(struct tr_arena *arena);

/* As tr_arena_reset, but keeps nothing when it has grown beyond so much. */
void tr_arena_recycle(struct tr_arena *arena, size_t keep_bytes);

/* Releases everything. The arena may be initialised again. */
void tr_arena_done(struct tr_arena *arena);

/* For tr_arena_alloc: opens a new block with at least `size` bytes free. */
TR_NODISCARD bool tr_arena_add_block(struct tr_arena *arena, size_t size);

/* Memory for any type, not cleared; NULL when there is none or no more. */
static inline void *tr_arena_alloc(struct tr_arena *arena, size_t size)
{
    const size_t unit = alignof(max_align_t);
    if (size > SIZE_MAX - unit)
        return NULL;
    size_t rounded = size ? (size + unit - 1) & ~(unit - 1) : unit;
    if (rounded > (size_t)(arena->end - arena->next) &&
        !tr_arena_add_block(arena, rounded))
        return NULL;
    char *memory = arena->next;
    arena->next = memory + rounded;
    TR_UNPOISON(memory, size);
    return memory;
}

/* As tr_arena_alloc for `count` items, cleared. */
void *tr_arena_zalloc(struct tr_arena *arena, size_t count, size_t size);

/* A copy of `s`, followed by a NUL that its length does not count. */
TR_NODISCARD bool tr_arena_copy(struct tr_arena *arena, tr_str s, tr_str *out);

/* Cleared memory for one or `count` objects of a type. */
#define TR_NEW(arena, type) ((type *)tr_arena_zalloc((arena), 1, sizeof(type)))
#define TR_NEW_ARRAY(arena, type, count)                                       \
    ((type *)tr_arena_zalloc((arena), (count), sizeof(type)))

#endif
