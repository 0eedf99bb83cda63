#include "lua/sandbox.h"

#include "base/nearest.h"
#include "lua/base_lib.h"
#include "lua/convert.h"
#include "lua/coroutine_lib.h"
#include "lua/ctx.h"
#include "lua/define.h"
#include "lua/define_model.h"
#include "lua/fault.h"
#include "lua/fetch.h"
#include "lua/field.h"
#include "lua/form_lib.h"
#include "lua/json_lib.h"
#include "lua/kg.h"
#include "lua/question.h"
#include "lua/random_lib.h"
#include "lua/regex_lib.h"
#include "lua/require.h"
#include "lua/secret.h"
#include "lua/setting.h"
#include "lua/state.h"
#include "lualib/lualib.h"

#include <lualib.h>

/* Upvalues: the table, its name, whether it grows while loading. */
static int refuse_write(lua_State *L)
{
    if (!lua_toboolean(L, lua_upvalueindex(3)))
        return luaL_error(L, "'%s' is read-only",
                          lua_tostring(L, lua_upvalueindex(2)));
    if (!tr_lua_of(L)->load)
        return luaL_error(L, "globals are read-only after the app has loaded: "
                             "keep state in the graph");
    lua_settop(L, 3);
    lua_rawset(L, lua_upvalueindex(1));
    return 0;
}

static int next_pair(lua_State *L)
{
    lua_settop(L, 2);
    if (lua_next(L, lua_upvalueindex(1)))
        return 2;
    lua_pushnil(L);
    return 1;
}

void tr_lua_push_pairs(lua_State *L)
{
    lua_pushcclosure(L, next_pair, 1);
}

/* The table itself must not come out of `pairs`, as it would with `next`. */
static int each_pair(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    tr_lua_push_pairs(L);
    return 1;
}

/*
 * Replaces the table on top of the stack by a userdata through which it can be
 * read. `name` is for messages; with `grows`, also written while the app loads.
 */
static void shield(lua_State *L, const char *name, int grows)
{
    int table = lua_gettop(L);
    (void)lua_newuserdatauv(L, 0, 0);
    lua_createtable(L, 0, 5);
    lua_pushvalue(L, table);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, table);
    lua_pushstring(L, name);
    lua_pushboolean(L, grows);
    lua_pushcclosure(L, refuse_write, 3);
    lua_setfield(L, -2, "__newindex");
    lua_pushvalue(L, table);
    lua_pushcclosure(L, each_pair, 1);
    lua_setfield(L, -2, "__pairs");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    (void)lua_setmetatable(L, -2);
    lua_remove(L, table);
}

int tr_lua_new_mark(lua_State *L, const char *name)
{
    lua_createtable(L, 0, 4);
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pushvalue(L, -1);
    return luaL_ref(L, LUA_REGISTRYINDEX);
}

static int integer_text(lua_State *L)
{
    lua_settop(L, 1);
    lua_pushliteral(L, "digits");
    lua_rawget(L, 1);
    return 1;
}

static int null_text(lua_State *L)
{
    lua_pushliteral(L, "null");
    return 1;
}

static int mark_array(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    tr_lua_mark_array(L);
    return 1;
}

/* `null`, and `array` that tells an empty array from an empty object. */
static void add_values(lua_State *L)
{
    tr_lua_push_null(L);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, null_text);
    lua_setfield(L, -2, "__tostring");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    (void)lua_setmetatable(L, -2); /* of all light userdata */
    lua_setfield(L, -2, "null");
    lua_pushcfunction(L, mark_array);
    lua_setfield(L, -2, "array");
}

static void add_marks(struct tr_lua *lua)
{
    lua_State *L = lua->L;
    lua->refs.integer = tr_lua_new_mark(L, "integer");
    lua_pushcfunction(L, integer_text);
    lua_setfield(L, -2, "__tostring");
    lua->refs.array = tr_lua_new_mark(L, "array");
    lua->refs.block = tr_lua_new_mark(L, "content");
    lua->refs.failure = tr_lua_new_mark(L, "error");
    lua->refs.result = tr_lua_new_mark(L, "result");
    lua_pop(L, 5);
    lua_newtable(L);
    lua->refs.handlers = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    lua->refs.threads = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    lua->refs.regexes = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    (void)lua_setmetatable(L, -2);
    lua->refs.paused = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Each pushes its table, which then is shielded. */
static const struct {
    const char *name;
    void (*push)(lua_State *L);
} libraries[] = {
    {"string", tr_lualib_push_string}, {"table", tr_lualib_push_table},
    {"utf8", tr_lualib_push_utf8},     {"math", tr_lua_push_math_lib},
    {"re", tr_lua_push_regex_lib},     {"coroutine", tr_lua_push_coroutine_lib},
    {"json", tr_lua_push_json_lib},    {"form", tr_lua_push_form_lib},
};

/* The libraries of Lua itself, for ours to take functions from. */
static void open_originals(lua_State *L)
{
    static const luaL_Reg originals[] = {
        {LUA_GNAME, luaopen_base},       {LUA_STRLIBNAME, luaopen_string},
        {LUA_TABLIBNAME, luaopen_table}, {LUA_UTF8LIBNAME, luaopen_utf8},
        {LUA_MATHLIBNAME, luaopen_math}, {LUA_COLIBNAME, luaopen_coroutine},
    };
    for (size_t i = 0; i < TR_LEN(originals); i++) {
        luaL_requiref(L, originals[i].name, originals[i].func, 0);
        lua_pop(L, 1);
    }
}

/* What a name that is not defined may have been meant to be. */
static const struct {
    const char *name;
    const char *hint;
} absent[] = {
    {"ctx", ": it is the first argument of 'run'"},
    {"args", ": it is the second argument of 'run'"},
    {"bool", ": the kind of field is boolean"},
    {"float", ": the kind of field is number"},
    {"int", ": the kind of field is integer"},
    {"debug", ": apps do not have it"},
    {"dofile", ": apps do not have it"},
    {"io", ": apps do not have it"},
    {"load", ": apps do not have it"},
    {"loadfile", ": apps do not have it"},
    {"os", ": apps do not have it; see ctx:now()"},
    {"package", ": apps do not have it; see require"},
};

/* Upvalue 1: the globals. */
static const char *push_hint(lua_State *L, tr_str name)
{
    struct tr_nearest nearest;
    for (size_t i = 0; i < TR_LEN(absent); i++)
        if (tr_str_eq(name, tr_str_from(absent[i].name)))
            return absent[i].hint;
    tr_nearest_init(&nearest, name);
    for (lua_pushnil(L); lua_next(L, lua_upvalueindex(1)); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            tr_nearest_offer(&nearest, tr_str_from(lua_tostring(L, -2)));
    if (nearest.best.len == 0)
        return "";
    if (tr_str_eq(nearest.best, TR_STR("string"))) /* a kind, in most places */
        return ", did you mean 'text', or Lua's 'string'?";
    return lua_pushfstring(L, ", did you mean '%s'?", nearest.best.ptr);
}

/* A misspelt kind would otherwise leave out a field without a word. */
static int refuse_undefined(lua_State *L)
{
    tr_str name;
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    name.ptr = lua_tolstring(L, 2, &name.len);
    return luaL_error(L, "'%s' is not defined%s", name.ptr, push_hint(L, name));
}

static int read_raw(lua_State *L)
{
    lua_settop(L, 2);
    (void)lua_rawget(L, lua_upvalueindex(1));
    return 1;
}

/*
 * Replaces the globals on top of the stack by what app.lua sees of them. As a
 * table, `_G` has nil for what is not there, so that one can ask.
 */
static void shield_globals(lua_State *L)
{
    int globals = lua_gettop(L);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, globals);
    lua_pushcclosure(L, refuse_undefined, 1);
    lua_setfield(L, -2, "__index");
    (void)lua_setmetatable(L, globals);

    lua_pushvalue(L, globals);
    shield(L, "_G", 1);
    (void)lua_getmetatable(L, -1);
    lua_pushvalue(L, globals);
    lua_pushcclosure(L, read_raw, 1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    lua_setfield(L, globals, "_G");
    shield(L, "_G", 1);
}

int tr_lua_sandbox_open(lua_State *L)
{
    struct tr_lua *lua = lua_touserdata(L, 1);
    open_originals(L);
    add_marks(lua);
    tr_lua_fault_open(L);
    tr_lua_secret_open(L);
    tr_lua_ctx_open(L);
    tr_lua_fetch_open(L);
    tr_lua_kg_open(L);
    lua_newtable(L);
    tr_lua_add_base(L);
    tr_lua_add_require(L);
    add_values(L);
    for (size_t i = 0; i < TR_LEN(libraries); i++) {
        libraries[i].push(L);
        shield(L, libraries[i].name, 0);
        lua_setfield(L, -2, libraries[i].name);
    }
    tr_lua_add_fields(L);
    tr_lua_add_questions(L);
    tr_lua_add_definers(L);
    tr_lua_add_model(L);
    tr_lua_add_setting(L);
    shield_globals(L);
    lua->refs.globals = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

void tr_lua_push_file(lua_State *L, tr_str path, tr_str source)
{
    lua_pushfstring(L, "@%s", path.ptr);
    if (luaL_loadbufferx(L, source.ptr, source.len, lua_tostring(L, -1), "t") !=
        LUA_OK) {
        const char *why = lua_tostring(L, -1);
        if (why && !tr_str_starts(tr_str_from(why), path))
            (void)luaL_error(L, "%s: %s", path.ptr, why);
        (void)lua_error(L);
    }
    lua_remove(L, -2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, tr_lua_of(L)->refs.globals);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
}
