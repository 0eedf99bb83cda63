/*
 * lua/coroutine_lib.h - coroutines of the app's own, inside a call.
 *
 * The coroutine that runs a handler is never visible to it.
 */
#ifndef TR_LUA_COROUTINE_LIB_H
#define TR_LUA_COROUTINE_LIB_H

#include <lua.h>

void tr_lua_push_coroutine_lib(lua_State *L);

#endif
