#include "lua/pending.h"

#include "lua/state.h"

/* In the registry: texts by number from 1, false when the table has come. */
static const char *const key = "trails.pending";

void tr_lua_pending_begin(lua_State *L, const char *word)
{
    if (!tr_lua_of(L)->load)
        (void)luaL_error(L, "%s '%s': can only be defined while the app loads",
                         word, lua_tostring(L, 1));
    (void)luaL_getsubtable(L, LUA_REGISTRYINDEX, key);
    lua_Integer number = (lua_Integer)lua_rawlen(L, -1) + 1;
    luaL_where(L, 1);
    lua_pushfstring(L, "%s%s '%s': its table { ... } is missing",
                    lua_tostring(L, -1), word, lua_tostring(L, 1));
    lua_rawseti(L, -3, number);
    lua_pop(L, 2);
    lua_pushinteger(L, number);
}

void tr_lua_pending_end(lua_State *L, int index)
{
    (void)luaL_getsubtable(L, LUA_REGISTRYINDEX, key);
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, lua_tointeger(L, index));
    lua_pop(L, 1);
}

void tr_lua_pending_check(lua_State *L)
{
    (void)luaL_getsubtable(L, LUA_REGISTRYINDEX, key);
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_rawgeti(L, -1, i) == LUA_TSTRING)
            (void)lua_error(L);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, key);
}
