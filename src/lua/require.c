#include "lua/require.h"

#include "base/ascii.h"
#include "base/file.h"
#include "base/limits.h"
#include "lua/convert.h"
#include "lua/host.h"
#include "lua/sandbox.h"

#define FOLDER "lib"

/* Upvalue 1 of `require`: the values of modules by name, false while one runs.
 * Upvalue 2: the names of those that run, the innermost last. */
enum { VALUES = 1, RUNNING = 2 };

/* lib.money, lib.tax.rates: words with points between. */
static bool is_name(tr_str name)
{
    tr_str part;
    if (!tr_str_cut(name, '.', &part, &name) ||
        !tr_str_eq(part, TR_STR(FOLDER)))
        return false;
    for (bool more = true; more;) {
        tr_str rest = {0};
        more = tr_str_cut(name, '.', &part, &rest);
        if (!more)
            part = name;
        name = rest;
        if (!part.len)
            return false;
        for (size_t i = 0; i < part.len; i++) {
            char c = part.ptr[i];
            if (!tr_ascii_is_alnum(c) && c != '_')
                return false;
        }
    }
    return true;
}

/* "lib/money.lua" */
static void write_path(tr_str name, char out[TR_LIMIT_NAME_BYTES + 8])
{
    for (size_t i = 0; i < name.len; i++)
        out[i] = name.ptr[i] == '.' ? '/' : name.ptr[i];
    memcpy(out + name.len, ".lua", sizeof(".lua"));
}

static const struct tr_lua_module *find(const struct tr_lua_host *host,
                                        tr_str name)
{
    for (size_t i = 0; i < host->modules.count; i++) {
        if (tr_str_eq(host->modules.items[i]->name, name))
            return host->modules.items[i];
    }
    return NULL;
}

/* The path as messages have it: beside app.lua, wherever that is. */
static bool copy_path(struct tr_lua_host *host, const char *path, tr_str *out)
{
    char whole[TR_LIMIT_PATH_BYTES];
    const char *end = memrchr(host->path.ptr, '/', host->path.len);
    int before = end ? (int)(end - host->path.ptr) + 1 : 0;
    int len =
        snprintf(whole, sizeof(whole), "%.*s%s", before, host->path.ptr, path);
    return len >= 0 && (size_t)len < sizeof(whole) &&
           tr_arena_copy(&host->arena, (tr_str){whole, (size_t)len}, out);
}

static bool keep(struct tr_lua_host *host, tr_str name, const char *path,
                 tr_str source)
{
    struct tr_lua_module *module = TR_NEW(&host->arena, struct tr_lua_module);
    return module && tr_arena_copy(&host->arena, name, &module->name) &&
           tr_arena_copy(&host->arena, source, &module->source) &&
           copy_path(host, path, &module->path) &&
           tr_vec_push(&host->arena, &host->modules, module);
}

/* Reads the file; only the first state does. */
static const struct tr_lua_module *read_module(lua_State *L, tr_str name)
{
    struct tr_lua *lua = tr_lua_of(L);
    struct tr_lua_host *host = lua->host;
    char path[TR_LIMIT_NAME_BYTES + 8];
    struct tr_err err = {0};
    tr_str source;
    if (!lua->load->builder)
        (void)luaL_error(L,
                         "'%s' was not required when the app was loaded: "
                         "app.lua must do the same every time",
                         name.ptr);
    if (!lua->load->folder)
        (void)luaL_error(L, "this app has no folder to load '%s' from",
                         name.ptr);
    if (host->modules.count == TR_LIMIT_LUA_MODULES)
        (void)luaL_error(L, "an app has at most %d modules",
                         (int)TR_LIMIT_LUA_MODULES);
    write_path(name, path);
    tr_status status =
        tr_file_read_below(tr_lua_scratch(L), lua->load->folder, path,
                           TR_LIMIT_LUA_SOURCE, &source, &err);
    if (status == TR_E_NOT_FOUND)
        (void)luaL_error(L, "there is no module '%s': no file %s", name.ptr,
                         path);
    if (status == TR_E_NOMEM ||
        (status == TR_OK && !keep(host, name, path, source)))
        tr_lua_raise_nomem(L);
    if (status != TR_OK)
        (void)luaL_error(L, "%s", err.msg);
    return host->modules.items[host->modules.count - 1];
}

/* "lib.a -> lib.b -> lib.a" */
static _Noreturn void refuse_cycle(lua_State *L, const char *name)
{
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    lua_Integer count = (lua_Integer)lua_rawlen(L, lua_upvalueindex(RUNNING));
    for (lua_Integer i = 1; i <= count; i++) {
        (void)lua_rawgeti(L, lua_upvalueindex(RUNNING), i);
        luaL_addvalue(&text);
        luaL_addstring(&text, " -> ");
    }
    luaL_addstring(&text, name);
    luaL_pushresult(&text);
    (void)luaL_error(L, "modules that require each other: %s",
                     lua_tostring(L, -1));
    abort(); /* not reached: luaL_error does not return */
}

/* Runs the module, and leaves its value; one that returns nothing is `true`. */
static void run_module(lua_State *L, const struct tr_lua_module *module)
{
    tr_lua_push_file(L, module->path, module->source);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 1);
    }
}

/* Notes what a module is: its value, false while it runs, or nil. The value is
 * on top of the stack, and is taken away. */
static void note(lua_State *L)
{
    lua_pushvalue(L, 1);
    lua_insert(L, -2);
    lua_rawset(L, lua_upvalueindex(VALUES));
}

/* A module that failed, when the app goes on, may be tried again. */
static int end_module(lua_State *L, int status)
{
    lua_Integer depth = (lua_Integer)lua_rawlen(L, lua_upvalueindex(RUNNING));
    lua_pushnil(L);
    lua_rawseti(L, lua_upvalueindex(RUNNING), depth);
    if (status == LUA_OK)
        return 1;
    lua_pushnil(L);
    note(L);
    return lua_error(L);
}

static int call_module(lua_State *L)
{
    run_module(L, lua_touserdata(L, 1));
    return 1;
}

static int load_module(lua_State *L, const struct tr_lua_module *module)
{
    lua_Integer depth = (lua_Integer)lua_rawlen(L, lua_upvalueindex(RUNNING));
    lua_pushboolean(L, 0);
    note(L);
    lua_pushvalue(L, 1);
    lua_rawseti(L, lua_upvalueindex(RUNNING), depth + 1);
    lua_pushcfunction(L, call_module);
    lua_pushlightuserdata(L, (void *)(uintptr_t)module);
    int status = lua_pcall(L, 1, 1, 0);
    if (status == LUA_OK) {
        lua_pushvalue(L, -1);
        note(L);
    }
    return end_module(L, status);
}

static int require(lua_State *L)
{
    tr_str name;
    name.ptr = luaL_checklstring(L, 1, &name.len);
    lua_settop(L, 1);
    if (name.len > TR_LIMIT_NAME_BYTES || !is_name(name))
        return luaL_error(L, "require takes a module of the folder " FOLDER
                             ", such as 'lib.money', which is lib/money.lua");
    lua_pushvalue(L, 1);
    if (lua_rawget(L, lua_upvalueindex(VALUES)) == LUA_TBOOLEAN &&
        !lua_toboolean(L, -1))
        refuse_cycle(L, name.ptr);
    if (!lua_isnil(L, -1))
        return 1;
    if (!tr_lua_of(L)->load)
        return luaL_error(L, "'%s' was not required while the app was loaded",
                          name.ptr);
    const struct tr_lua_module *module = find(tr_lua_of(L)->host, name);
    return load_module(L, module ? module : read_module(L, name));
}

void tr_lua_add_require(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushcclosure(L, require, 2);
    lua_setfield(L, -2, "require");
}
