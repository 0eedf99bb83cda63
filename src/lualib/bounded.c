#include "lualib/bounded.h"

#include "base/time.h"
#include "lualib/lualib.h"

#include <lauxlib.h>
#include <lualib.h>

/* A byte costs an eighth of an instruction. */
#define BYTES_PER_INSTRUCTION 8

/*
 * A text from this length on may take longer to walk through than is paid for.
 */
#define LONG_TEXT 65536

/*
 * Upvalue 1 is Lua's own function. How long it takes with a long text is not
 * always known before, such as how far utf8.offset goes: then the clock decides
 * whether the hook is due.
 */
static int call_original(lua_State *L)
{
    bool is_long =
        lua_type(L, 1) == LUA_TSTRING && lua_rawlen(L, 1) > LONG_TEXT;
    uint64_t began_ns = is_long ? tr_time_ticks_ns() : 0;
    tr_lualib_make_room(L);
    int results = lua_tocfunction(L, lua_upvalueindex(1))(L);
    if (is_long)
        tr_lualib_of(L)->hook_if_slow(L, began_ns);
    return results;
}

static int pay_for_results(lua_State *L)
{
    int results = call_original(L);
    size_t bytes = results > 0 && lua_type(L, -results) == LUA_TSTRING
                       ? lua_rawlen(L, -results)
                       : 0;
    tr_lualib_of(L)->spend(L,
                           (uint64_t)results + bytes / BYTES_PER_INSTRUCTION);
    return results;
}

static int pay_for_first(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING)
        tr_lualib_of(L)->spend(L, lua_rawlen(L, 1) / BYTES_PER_INSTRUCTION);
    return call_original(L);
}

/* The number of integers from `from` to `to`; there may be 2^64 of them. */
static uint64_t range(lua_Integer from, lua_Integer to)
{
    uint64_t distance = (uint64_t)to - (uint64_t)from;
    if (to < from)
        return 0;
    return distance == UINT64_MAX ? distance : distance + 1;
}

lua_Integer tr_lualib_steady_len(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argcheck(L, luaL_getmetafield(L, 1, "__len") == LUA_TNIL, 1,
                  "a table with '__len' cannot be changed by this function");
    return (lua_Integer)lua_rawlen(L, 1);
}

static int string_rep(lua_State *L)
{
    size_t len = 0;
    size_t between = 0;
    (void)luaL_checklstring(L, 1, &len);
    (void)luaL_checkinteger(L, 2);
    (void)luaL_optlstring(L, 3, "", &between);
    if (len + between > 0)
        return pay_for_results(L);
    lua_pushliteral(L, "");
    return 1;
}

static int table_concat(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 4);
    lua_Integer from = luaL_optinteger(L, 3, 1);
    if (lua_isnil(L, 4)) { /* asked for once, and given to the original */
        lua_pushinteger(L, luaL_len(L, 1));
        lua_replace(L, 4);
    }
    tr_lualib_of(L)->spend(L, range(from, luaL_checkinteger(L, 4)));
    return pay_for_results(L);
}

static int table_move(lua_State *L)
{
    tr_lualib_of(L)->spend(
        L, range(luaL_checkinteger(L, 2), luaL_checkinteger(L, 3)));
    return call_original(L);
}

static int table_insert(lua_State *L)
{
    if (lua_gettop(L) == 3)
        tr_lualib_of(L)->spend(
            L, range(luaL_checkinteger(L, 2), tr_lualib_steady_len(L)));
    return call_original(L);
}

static int table_remove(lua_State *L)
{
    if (lua_gettop(L) == 2)
        tr_lualib_of(L)->spend(
            L, range(luaL_checkinteger(L, 2), tr_lualib_steady_len(L)));
    return call_original(L);
}

static int utf8_len(lua_State *L)
{
    lua_Integer len =
        lua_type(L, 1) == LUA_TSTRING ? (lua_Integer)lua_rawlen(L, 1) : 0;
    lua_Integer from = luaL_optinteger(L, 2, 1);
    lua_Integer to = luaL_optinteger(L, 3, -1);
    if (from < 1 || from > len)
        from = 1;
    if (to < 0 || to > len)
        to = len;
    tr_lualib_of(L)->spend(L, range(from, to) / BYTES_PER_INSTRUCTION);
    return call_original(L);
}

static int utf8_offset(lua_State *L)
{
    lua_Integer n = luaL_checkinteger(L, 2);
    uint64_t len = lua_type(L, 1) == LUA_TSTRING ? lua_rawlen(L, 1) : 0;
    uint64_t most = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    tr_lualib_of(L)->spend(L,
                           (most < len ? most : len) / BYTES_PER_INSTRUCTION);
    return call_original(L);
}

struct bounded {
    const char *name;
    lua_CFunction fn; /* NULL: Lua's own, as it is */
};

static void add(lua_State *L, const char *library, const struct bounded *list,
                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tr_lualib_push_original(L, library, list[i].name);
        if (list[i].fn)
            lua_pushcclosure(L, list[i].fn, 1);
        lua_setfield(L, -2, list[i].name);
    }
}

void tr_lualib_add_bounded_base(lua_State *L)
{
    static const struct bounded list[] = {{"tonumber", pay_for_first}};
    add(L, LUA_GNAME, list, TR_LEN(list));
}

void tr_lualib_add_bounded_strings(lua_State *L)
{
    static const struct bounded list[] = {
        {"byte", pay_for_results},    {"char", pay_for_results},
        {"format", pay_for_results},  {"len", NULL},
        {"lower", pay_for_results},   {"pack", pay_for_results},
        {"packsize", pay_for_first},  {"rep", string_rep},
        {"reverse", pay_for_results}, {"sub", pay_for_results},
        {"unpack", pay_for_first},    {"upper", pay_for_results},
    };
    add(L, LUA_STRLIBNAME, list, TR_LEN(list));
}

void tr_lualib_push_table(lua_State *L)
{
    static const struct bounded list[] = {
        {"concat", table_concat},    {"insert", table_insert},
        {"move", table_move},        {"pack", NULL},
        {"remove", table_remove},    {"sort", tr_lualib_sort},
        {"unpack", pay_for_results},
    };
    lua_newtable(L);
    add(L, LUA_TABLIBNAME, list, TR_LEN(list));
}

void tr_lualib_push_utf8(lua_State *L)
{
    static const struct bounded list[] = {
        {"char", pay_for_results},
        {"charpattern", NULL},
        {"codepoint", pay_for_results},
        {"codes", NULL},
        {"len", utf8_len},
        {"offset", utf8_offset},
    };
    lua_newtable(L);
    add(L, LUA_UTF8LIBNAME, list, TR_LEN(list));
}
