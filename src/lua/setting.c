#include "lua/setting.h"

#include "base/nearest.h"
#include "cap/setting.h"
#include "lua/convert.h"
#include "lua/field.h"
#include "lua/host.h"
#include "lua/options.h"
#include "lua/pending.h"
#include "lua/sandbox.h"

/* A value that does not fit is the operator's mistake, not the app's: it is
 * told without a line of app.lua, and pcall does not keep it. */
static _Noreturn void refuse_value(lua_State *L, const struct tr_err *err)
{
    tr_lua_of(L)->load->wrong = *err;
    lua_pushstring(L, err->msg);
    (void)lua_error(L);
    abort(); /* not reached: lua_error does not return */
}

static const struct tr_cap_setting *add(const struct tr_lua_options *o)
{
    struct tr_lua *lua = tr_lua_of(o->L);
    struct tr_lua_host *host = lua->host;
    const struct tr_cap_setting *setting = NULL;
    struct tr_shape draft = {0};
    struct tr_err err = {0};
    tr_lua_read_fields(o, o->index, tr_lua_scratch(o->L), &draft);
    tr_status status = tr_cap_registry_add_setting(
        lua->load->builder, &draft, lua->load->own, &setting, &err);
    if (status == TR_E_VALIDATION)
        refuse_value(o->L, &err);
    tr_lua_options_check_status(o, status, &err, "");
    if (!tr_vec_push(&host->arena, &host->settings, setting))
        tr_lua_raise_nomem(o->L);
    return setting;
}

/* The states of other loops get the values that the first one found. */
static const struct tr_cap_setting *find_again(const struct tr_lua_options *o)
{
    const struct tr_lua *lua = tr_lua_of(o->L);
    const struct tr_lua_host *host = lua->host;
    size_t i = lua->load->settings;
    if (i >= host->settings.count ||
        !tr_str_eq(host->settings.items[i]->field->name, tr_str_from(o->name)))
        tr_lua_options_fail(o,
                            "was not declared at this place when the app was "
                            "loaded: app.lua must do the same every time",
                            "");
    return host->settings.items[i];
}

static void push_value(lua_State *L, const struct tr_cap_setting *setting)
{
    if (setting->value)
        tr_lua_push_json(L, setting->value);
    else
        lua_pushnil(L);
}

/* setting "name" (field): the second of the two calls. */
static int declare(lua_State *L)
{
    struct tr_lua *lua = tr_lua_of(L);
    const char *name = lua_tostring(L, lua_upvalueindex(1));
    struct tr_lua_options o = {L, 2, "setting", name, NULL};
    tr_lua_pending_end(L, lua_upvalueindex(2));
    if (!lua->load)
        tr_lua_options_fail(&o, "can only be declared while the app loads", "");
    lua_settop(L, 1);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, 1);
    lua_setfield(L, 2, name);
    if (lua_isnil(L, 1))
        tr_lua_options_fail(&o, "write setting 'name' (integer { ... }): ",
                            "a name, then a field");
    push_value(L, lua->load->builder ? add(&o) : find_again(&o));
    lua->load->settings++;
    return 1;
}

static int begin(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) > 1)
        return luaL_error(L, "write setting 'name' (integer { ... }): a name, "
                             "then a field");
    lua_pushvalue(L, 1);
    tr_lua_pending_begin(L, "setting");
    lua_pushcclosure(L, declare, 2);
    return 1;
}

/* A list is a new one every time: nobody can change what others read. */
static int settings_index(lua_State *L)
{
    const struct tr_lua_host *host = tr_lua_of(L)->host;
    struct tr_nearest nearest;
    tr_str name;
    name.ptr = luaL_checklstring(L, 2, &name.len);
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < host->settings.count; i++) {
        tr_str known = host->settings.items[i]->field->name;
        if (tr_str_eq(known, name)) {
            push_value(L, host->settings.items[i]);
            return 1;
        }
        tr_nearest_offer(&nearest, known);
    }
    if (nearest.best.len)
        return luaL_error(L, "there is no setting '%s', did you mean '%s'?",
                          name.ptr, nearest.best.ptr);
    return luaL_error(L,
                      "there is no setting '%s': declare it with setting "
                      "'name' (text)",
                      name.ptr);
}

static int settings_newindex(lua_State *L)
{
    return luaL_error(L, "settings are read-only");
}

static int settings_pairs(lua_State *L)
{
    const struct tr_lua_host *host = tr_lua_of(L)->host;
    lua_newtable(L);
    for (size_t i = 0; i < host->settings.count; i++) {
        push_value(L, host->settings.items[i]);
        lua_setfield(L, -2, host->settings.items[i]->field->name.ptr);
    }
    tr_lua_push_pairs(L);
    return 1;
}

void tr_lua_push_settings(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"__index", settings_index},
        {"__newindex", settings_newindex},
        {"__pairs", settings_pairs},
        {NULL, NULL},
    };
    (void)lua_newuserdatauv(L, 0, 0);
    if (luaL_newmetatable(L, "settings")) {
        luaL_setfuncs(L, functions, 0);
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
    }
    (void)lua_setmetatable(L, -2);
}

void tr_lua_add_setting(lua_State *L)
{
    lua_pushcfunction(L, begin);
    lua_setfield(L, -2, "setting");
}
