#include "lua/coroutine_lib.h"

#include "base/limits.h"
#include "lua/base_lib.h"
#include "lua/place.h"
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

/* How a coroutine is resumed, and so where L has it. */
enum { BY_RESUME, BY_WRAP };

static lua_State *coroutine_of(lua_State *L, lua_KContext how)
{
    return lua_tothread(L, how == BY_WRAP ? lua_upvalueindex(1) : 1);
}

/* One that waits for the loop is not for other calls to resume or close. */
static void set_paused(lua_State *L, lua_KContext how, bool is_paused)
{
    struct tr_lua *lua = tr_lua_of(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, lua->refs.paused);
    lua_pushvalue(L, how == BY_WRAP ? lua_upvalueindex(1) : 1);
    if (is_paused)
        lua_pushboolean(L, 1);
    else
        lua_pushnil(L);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    lua->has_paused = lua->has_paused || is_paused;
}

static void check_not_paused(lua_State *L, int index)
{
    struct tr_lua *lua = tr_lua_of(L);
    if (!lua->has_paused)
        return;
    lua_rawgeti(L, LUA_REGISTRYINDEX, lua->refs.paused);
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) != LUA_TNIL)
        (void)luaL_error(L, "the coroutine runs in another call");
    lua_pop(L, 2);
}

static int end_resume(lua_State *L, lua_State *co, int status, int results,
                      lua_KContext how)
{
    bool ok = status == LUA_OK || status == LUA_YIELD;
    if (!ok)
        results = 1;
    if (!lua_checkstack(L, results + 1))
        return luaL_error(L, "too many results to resume");
    lua_xmove(co, L, results);
    if (!ok)
        tr_lua_check_caught(L, status);
    if (how == BY_WRAP)
        return ok ? results : lua_error(L);
    lua_pushboolean(L, ok);
    lua_insert(L, -(results + 1));
    return results + 1;
}

static int go_on(lua_State *L, int status, lua_KContext how);

/* Passes the turn on to the loop; a call that cannot be left keeps it. */
static int pass_turn(lua_State *L, lua_KContext how)
{
    struct tr_lua *lua = tr_lua_of(L);
    lua->is_pausing = false;
    if (!lua_isyieldable(L)) {
        if (tr_lua_is_held(lua))
            tr_lua_raise_stop(L, TR_LUA_STOP_HELD);
        return 0;
    }
    set_paused(L, how, true);
    (void)tr_lua_run_passes(L);
    return lua_yieldk(L, 0, how, go_on);
}

static int run_on(lua_State *L, int arguments, lua_KContext how)
{
    struct tr_lua *lua = tr_lua_of(L);
    lua_State *co = coroutine_of(L, how);
    lua_State *outer = lua->lib.memory.thread;
    struct tr_lua_resumer resumer = {L, lua->resumer};
    for (;;) {
        int results = 0;
        lua->lib.memory.thread = co; /* whose hook is due when much is moved */
        lua->resumer = &resumer;
        int status = lua_resume(co, L, arguments, &results);
        lua->resumer = resumer.outer;
        lua->lib.memory.thread = outer;
        if (tr_lua_must_stop(L))
            tr_lua_raise_stop(L, lua->budget->stop_reason);
        if (status != LUA_YIELD || !lua->is_pausing)
            return end_resume(L, co, status, results, how);
        (void)pass_turn(L, how);
        arguments = 0;
    }
}

static int go_on(lua_State *L, int status, lua_KContext how)
{
    (void)status;
    set_paused(L, how, false);
    return run_on(L, 0, how);
}

static int begin_resume(lua_State *L, int arguments, lua_KContext how)
{
    lua_State *co = coroutine_of(L, how);
    check_not_paused(L, how == BY_WRAP ? lua_upvalueindex(1) : 1);
    if (lua_status(co) == LUA_OK && lua_gettop(co) == 0) {
        lua_pushboolean(L, 0);
        lua_pushliteral(L, "cannot resume dead coroutine");
        return how == BY_WRAP ? lua_error(L) : 2;
    }
    if (!lua_checkstack(co, arguments))
        return luaL_error(L, "too many arguments to resume");
    lua_xmove(L, co, arguments);
    return run_on(L, arguments, how);
}

static int co_resume(lua_State *L)
{
    luaL_argexpected(L, lua_tothread(L, 1), 1, "coroutine");
    return begin_resume(L, lua_gettop(L) - 1, BY_RESUME);
}

static int call_wrapped(lua_State *L)
{
    return begin_resume(L, lua_gettop(L), BY_WRAP);
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
    check_not_paused(L, 1);
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
    tr_lualib_push_original(L, LUA_COLIBNAME, "status");
    lua_setfield(L, -2, "status");
    tr_lualib_push_original(L, LUA_COLIBNAME, "close");
    lua_pushcclosure(L, co_close, 1);
    lua_setfield(L, -2, "close");
}
