#include "lua/base_lib.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/text.h"
#include "lua/place.h"
#include "lua/state.h"
#include "lualib/lualib.h"

/* Frames that are not worth a payment. */
#define FEW_FRAMES 64

/*
 * Lua walks through all frames when an error is caught, which no instruction
 * counts: a handler that is deep in calls could catch errors for minutes.
 */
static void pay_for_frames(lua_State *L)
{
    lua_Debug frame;
    int frames = FEW_FRAMES;
    while (lua_getstack(L, frames, &frame))
        frames *= 2;
    if (frames > FEW_FRAMES)
        tr_lua_spend(L, (uint64_t)frames);
}

void tr_lua_check_caught(lua_State *L, int status)
{
    if (status != LUA_OK && !tr_lua_must_stop(L))
        pay_for_frames(L);
    if (tr_lua_is_memory_error(L, status))
        tr_lua_raise_stop(L, TR_LUA_STOP_MEMORY);
    if (tr_lua_must_stop(L))
        tr_lua_raise_stop(L, tr_lua_of(L)->budget->stop_reason);
}

/* `skip`: how many values at the bottom of the stack are no results. */
static int end_pcall(lua_State *L, int status, lua_KContext skip)
{
    if (status == LUA_OK || status == LUA_YIELD)
        return lua_gettop(L) - (int)skip;
    tr_lua_check_caught(L, status);
    lua_pushboolean(L, 0);
    lua_pushvalue(L, -2);
    return 2;
}

static int base_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, end_pcall);
    return end_pcall(L, status, 0);
}

/*
 * A message handler of the app's own would run without the count hook, which is
 * off while an error is raised: so it is not called in a call that has to stop.
 */
static int handle_message(lua_State *L)
{
    if (tr_lua_must_stop(L))
        return 1;
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int base_xpcall(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TFUNCTION);
    int arguments = lua_gettop(L) - 2;
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, handle_message, 1);
    lua_replace(L, 2);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2);
    int status = lua_pcallk(L, arguments, LUA_MULTRET, 2, 2, end_pcall);
    return end_pcall(L, status, 2);
}

/* Refuses __gc: finalizers would run without the count hook. */
static int base_setmetatable(lua_State *L)
{
    if (lua_istable(L, 2)) {
        tr_lualib_of(L)->has_callbacks = true;
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "'__gc' is not available");
        lua_pop(L, 1);
    }
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static int base_collectgarbage(lua_State *L)
{
    if (strcmp(luaL_optstring(L, 1, "collect"), "count") != 0)
        return luaL_argerror(L, 1, "only \"count\" is available");
    lua_pushnumber(L, (lua_Number)tr_lua_of(L)->lib.memory.used / 1024.0);
    return 1;
}

/* Standard output may be the protocol's: what an app prints is logged. */
static int base_print(lua_State *L)
{
    luaL_Buffer text;
    int count = lua_gettop(L);
    luaL_buffinit(L, &text);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&text, '\t');
        (void)luaL_tolstring(L, i, NULL);
        luaL_addvalue(&text);
    }
    luaL_pushresult(&text);
    tr_str line;
    line.ptr = lua_tolstring(L, -1, &line.len);
    if (line.len > TR_LIMIT_LOG_LINE / 2) /* else the log would drop it */
        line = tr_utf8_cut(line, TR_LIMIT_LOG_LINE / 2);
    tr_log(TR_LOG_INFO, "print", TR_LOG_TEXT("text", line));
    return 0;
}

void tr_lua_add_base(lua_State *L)
{
    static const char *const as_they_are[] = {
        "assert", "error",    "getmetatable", "ipairs",   "next",
        "pairs",  "rawequal", "rawget",       "rawlen",   "rawset",
        "select", "tostring", "type",         "_VERSION",
    };
    static const luaL_Reg ours[] = {
        {"pcall", base_pcall},
        {"xpcall", base_xpcall},
        {"collectgarbage", base_collectgarbage},
        {"print", base_print},
        {NULL, NULL},
    };
    for (size_t i = 0; i < TR_LEN(as_they_are); i++) {
        tr_lualib_push_original(L, LUA_GNAME, as_they_are[i]);
        lua_setfield(L, -2, as_they_are[i]);
    }
    (void)lua_getfield(L, -1, "pairs");
    tr_lua_of(L)->pairs = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    luaL_setfuncs(L, ours, 0);
    tr_lualib_add_bounded_base(L);
    tr_lualib_push_original(L, LUA_GNAME, "setmetatable");
    lua_pushcclosure(L, base_setmetatable, 1);
    lua_setfield(L, -2, "setmetatable");
}
