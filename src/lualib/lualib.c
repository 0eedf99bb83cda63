#include "lualib/lualib.h"

#include <lauxlib.h>

void tr_lualib_push_original(lua_State *L, const char *library,
                             const char *name)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    (void)lua_getfield(L, -1, library);
    (void)lua_getfield(L, -1, name);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

void tr_lualib_make_room(lua_State *L)
{
    if (tr_lualib_memory_is_tight(&tr_lualib_of(L)->memory))
        (void)lua_gc(L, LUA_GCCOLLECT);
}
