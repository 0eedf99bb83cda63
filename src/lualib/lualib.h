/*
 * lualib/lualib.h - what the libraries know of the state that they run in.
 *
 * A state keeps a struct tr_lualib, at whose address its extra space points
 * (lua_getextraspace): so the libraries can be paid for, and be left, without
 * knowing who runs them.
 */
#ifndef TR_LUALIB_LUALIB_H
#define TR_LUALIB_LUALIB_H

#include "lualib/memory.h"

#include <lua.h>

struct tr_lualib {
    struct tr_lualib_memory memory;
    bool has_callbacks; /* the app sorts or has metatables */

    /* Spends instructions for work that C does in one go; may raise. */
    void (*spend)(lua_State *L, uint64_t instructions);
    /* After work of C whose length nobody knows before, begun at that time. */
    void (*hook_if_slow)(lua_State *L, uint64_t began_ns);
    /* Whether the loop should have its turn: then to yield with nothing. */
    bool (*pauses)(lua_State *L);
};

static inline struct tr_lualib *tr_lualib_of(lua_State *L)
{
    return *(struct tr_lualib **)lua_getextraspace(L);
}

/*
 * They push a library, ours: what works long in one go pays for it (bounded.h).
 * That of strings has patterns with a bound, and is what ("text"):method()
 * finds.
 */
void tr_lualib_push_string(lua_State *L);
void tr_lualib_push_table(lua_State *L);
void tr_lualib_push_utf8(lua_State *L);

/* Global functions of that kind, into the table on top of the stack. */
void tr_lualib_add_bounded_base(lua_State *L);

/*
 * `table.sort`, which can be left between two comparisons. Lua's own keeps its
 * state on the stack of C, so a handler that sorts could not return to its
 * loop. Ours is a heap sort: in place, of n log n comparisons with every order
 * function, and the same for the same input, so that a handler that is run
 * again sees the same order.
 */
int tr_lualib_sort(lua_State *L);

/* Pushes a function of one of Lua's own libraries. */
void tr_lualib_push_original(lua_State *L, const char *library,
                             const char *name);

/* Collects garbage when memory is tight, before a buffer is filled. */
void tr_lualib_make_room(lua_State *L);

#endif
