#define TR_MAY_ALLOCATE
#include "base/arena.h"

#define FIRST_BLOCK ((size_t)4096)
#define LARGE_BLOCK ((size_t)1024 * 1024)

struct tr_arena_block {
    struct tr_arena_block *older;
    size_t size; /* of `data` */
    max_align_t data[];
};

static void open_block(struct tr_arena *arena, struct tr_arena_block *block)
{
    arena->next = (char *)block->data;
    arena->end = arena->next + block->size;
    TR_POISON(arena->next, block->size);
}

static void free_block(struct tr_arena_block *block)
{
    TR_UNPOISON(block->data, block->size);
    free(block);
}

void tr_arena_init(struct tr_arena *arena, size_t max_bytes)
{
    *arena = (struct tr_arena){.max = max_bytes};
}

void tr_arena_reset(struct tr_arena *arena)
{
    struct tr_arena_block *kept = arena->blocks;
    if (!kept)
        return;
    while (kept->older) {
        struct tr_arena_block *older = kept->older;
        kept->older = older->older;
        free_block(older);
    }
    arena->held = kept->size;
    open_block(arena, kept);
}

void tr_arena_done(struct tr_arena *arena)
{
    while (arena->blocks) {
        struct tr_arena_block *older = arena->blocks->older;
        free_block(arena->blocks);
        arena->blocks = older;
    }
    tr_arena_init(arena, arena->max);
}

void tr_arena_recycle(struct tr_arena *arena, size_t keep_bytes)
{
    if (arena->held > keep_bytes)
        tr_arena_done(arena);
    else
        tr_arena_reset(arena);
}

/* Blocks double, so that many small objects cost few calls to malloc. */
bool tr_arena_add_block(struct tr_arena *arena, size_t needed)
{
    size_t room = arena->max - arena->held;
    size_t size = arena->held < FIRST_BLOCK   ? FIRST_BLOCK
                  : arena->held > LARGE_BLOCK ? LARGE_BLOCK
                                              : arena->held;
    if (needed > room || needed > SIZE_MAX - sizeof(struct tr_arena_block))
        return false;
    if (size < needed)
        size = needed;
    if (size > room)
        size = room;

    struct tr_arena_block *block = malloc(sizeof(*block) + size);
    if (!block)
        return false;
    block->older = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->held += size;
    open_block(arena, block);
    return true;
}

void *tr_arena_zalloc(struct tr_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    void *memory = tr_arena_alloc(arena, count * size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

bool tr_arena_copy(struct tr_arena *arena, tr_str s, tr_str *out)
{
    char *copy = s.len < SIZE_MAX ? tr_arena_alloc(arena, s.len + 1) : NULL;
    if (!copy)
        return false;
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    *out = (tr_str){copy, s.len};
    return true;
}
