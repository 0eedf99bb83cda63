/*
 * base/vec.h - a growing array whose items live in an arena.
 *
 *     TR_VEC(tr_str) names = {0};
 *     if (!tr_vec_push(&arena, &names, name)) return tr_fail(...);
 *     for (size_t i = 0; i < names.count; i++) use(names.items[i]);
 *
 * Growing moves the items: keep indexes, not pointers, while it still grows.
 */
#ifndef TR_BASE_VEC_H
#define TR_BASE_VEC_H

#include "base/arena.h"

#define TR_VEC(type)                                                           \
    struct {                                                                   \
        type *items;                                                           \
        size_t count;                                                          \
        size_t cap;                                                            \
    }

/* Appends; false, and nothing changed, when there is no memory. */
#define tr_vec_push(arena, vec, value)                                         \
    (tr_vec_room((arena), &(vec)->items, (vec)->count, &(vec)->cap,            \
                 sizeof(*(vec)->items))                                        \
         ? ((vec)->items[(vec)->count++] = (value), true)                      \
         : false)

/* Makes room for one more. `items` is the address of the items pointer. */
TR_NODISCARD bool tr_vec_room(struct tr_arena *arena, void *items, size_t count,
                              size_t *cap, size_t item_size);

#endif
