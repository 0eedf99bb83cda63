#include "base/vec.h"

bool tr_vec_room(struct tr_arena *arena, void *items, size_t count, size_t *cap,
                 size_t item_size)
{
    if (count < *cap)
        return true;
    size_t wider = *cap ? *cap * 2 : 8;
    if (wider < *cap || wider > SIZE_MAX / item_size)
        return false;
    void *moved = tr_arena_alloc(arena, wider * item_size);
    if (!moved)
        return false;

    /* Copied as bytes: the caller's pointer has a type we do not know. */
    void *old;
    memcpy(&old, items, sizeof(old));
    if (count)
        memcpy(moved, old, count * item_size);
    memcpy(items, &moved, sizeof(moved));
    *cap = wider;
    return true;
}
