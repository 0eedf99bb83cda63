/*
 * lua/sort.h - `table.sort`, which can be left between two comparisons.
 *
 * Lua's own keeps its state on the stack of C, so a handler that sorts could
 * not return to its loop. Ours is a heap sort: in place, of n log n comparisons
 * with every order function, and the same for the same input, so that a handler
 * that is run again sees the same order.
 */
#ifndef TR_LUA_SORT_H
#define TR_LUA_SORT_H

#include <lua.h>

int tr_lua_sort(lua_State *L);

#endif
