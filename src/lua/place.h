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

#include <lua.h>

#include <stdbool.h>

struct tr_lua;

/* The one who resumed the coroutine that runs; on the stack of C. */
struct tr_lua_resumer {
    lua_State *L;
    struct tr_lua_resumer *outer;
};

bool tr_lua_place_can_wait(lua_State *L);

/* The app sorts or has metatables: only then there is something to look for. */
void tr_lua_place_has_callbacks(lua_State *L);

#endif
