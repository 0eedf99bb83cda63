#include "lua/coroutine_lib.h"

#include "base/limits.h"
#include "lua/base_lib.h"
#include "lua/run.h"

#include <lualib.h>

static bool is_outermost(lua_State *L)
{
    const struct tr_lua *lua = tr_lua_of(L);
    return L == lua->L || (lua->running && lua->running->thread.L == L);
}

/*
 * Each coroutine has its own count of instructions, so it is charged in advance
 * for those that it could run before its first hook.
 */
static int co_create(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    tr_lua_spend(L, TR_LIMIT_LUA_HOOK_OWN);
    lua_State *co = lua_newthread(L);
    tr_lua_hook_set(co);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

/* Leaves the results, or the error, on top of L. */
static int resume(lua_State *L, lua_State *co, int arguments, int *results)
{
    struct tr_lua_memory *memory = &tr_lua_of(L)->memory;
    if (lua_status(co) == LUA_OK && lua_gettop(co) == 0) {
        lua_pushliteral(L, "cannot resume dead coroutine");
        return LUA_ERRRUN;
    }
    if (!lua_checkstack(co, arguments))
        return luaL_error(L, "too many arguments to resume");
    lua_xmove(L, co, arguments);
    lua_State *outer = memory->thread;
    memory->thread = co; /* whose hook becomes due when much is moved */
    int status = lua_resume(co, L, arguments, results);
    memory->thread = outer;
    if (status == LUA_OK || status == LUA_YIELD) {
        if (!lua_checkstack(L, *results + 1))
            return luaL_error(L, "too many results to resume");
        lua_xmove(co, L, *results);
        return LUA_OK;
    }
    lua_xmove(co, L, 1);
    tr_lua_check_caught(L, status);
    return status;
}

static int co_resume(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co, 1, "coroutine");
    int results = 1;
    bool ok = resume(L, co, lua_gettop(L) - 1, &results) == LUA_OK;
    if (!ok)
        results = 1;
    lua_pushboolean(L, ok);
    lua_insert(L, -(results + 1));
    return results + 1;
}

static int call_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int results = 0;
    if (resume(L, co, lua_gettop(L), &results) != LUA_OK)
        return lua_error(L);
    return results;
}

static int co_wrap(lua_State *L)
{
    (void)co_create(L);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

static int co_yield (lua_State *L)
{
    if (is_outermost(L))
        return luaL_error(L, "attempt to yield from outside a coroutine");
    return lua_yield(L, lua_gettop(L));
}

static int co_running(lua_State *L)
{
    if (is_outermost(L))
        lua_pushnil(L);
    else
        (void)lua_pushthread(L);
    lua_pushboolean(L, is_outermost(L));
    return 2;
}

static int co_isyieldable(lua_State *L)
{
    lua_pushboolean(L, !is_outermost(L) && lua_isyieldable(L));
    return 1;
}

/*
 * Runs the pending __close functions; what must not be caught is raised again.
 */
static int co_close(lua_State *L)
{
    int results = lua_tocfunction(L, lua_upvalueindex(1))(L);
    tr_lua_check_caught(L, LUA_OK);
    return results;
}

void tr_lua_push_coroutine_lib(lua_State *L)
{
    static const luaL_Reg ours[] = {
        {"create", co_create},
        {"resume", co_resume},
        {"wrap", co_wrap},
        {"yield", co_yield },
        {"running", co_running},
        {"isyieldable", co_isyieldable},
        {NULL, NULL},
    };
    luaL_newlib(L, ours);
    tr_lua_push_original(L, LUA_COLIBNAME, "status");
    lua_setfield(L, -2, "status");
    tr_lua_push_original(L, LUA_COLIBNAME, "close");
    lua_pushcclosure(L, co_close, 1);
    lua_setfield(L, -2, "close");
}
