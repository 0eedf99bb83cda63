/*
 * lua/place.h - where in an app's code a call is, and whether it may wait
 * there.
 *
 * What waits (`ctx.kg`, the questions, ctx:sleep, ctx:invoke) is refused in an
 * order function of table.sort, in a callback of gsub and in a metamethod, also
 * in a coroutine that was resumed in one of them (C56).
 */
#ifndef TR_LUA_PLACE_H
#define TR_LUA_PLACE_H

#include "base/str.h"

#include <lua.h>

struct tr_lua;

/* The one who resumed the coroutine that runs; on the stack of C. */
struct tr_lua_resumer {
    lua_State *L;
    struct tr_lua_resumer *outer;
};

bool tr_lua_place_can_wait(lua_State *L);

/* Writes the line of the app, "app.lua:7", at which a coroutine stands, also
 * one that has failed. Empty when it has returned. Makes nothing in Lua. */
tr_str tr_lua_place_of(lua_State *thread, char *text, size_t size);

#endif
