#include "lua/extension.h"

#include "cap/registry.h"
#include "lua/convert.h"
#include "lua/host.h"
#include "lua/options.h"
#include "lua/pending.h"
#include "lua/sandbox.h"
#include "lua/state.h"

/* The second of the two calls: the settings. */
static int define(lua_State *L)
{
    const struct tr_lua *lua = tr_lua_of(L);
    struct tr_extension draft;
    struct tr_err err = {0};
    draft.id.ptr = lua_tolstring(L, lua_upvalueindex(1), &draft.id.len);
    struct tr_lua_options o = {L, 1, "extension", draft.id.ptr, NULL};
    tr_lua_pending_end(L, lua_upvalueindex(2));
    if (!lua_istable(L, 1))
        tr_lua_options_fail(&o, "its settings are a table, not a ",
                            luaL_typename(L, 1));
    struct tr_registry_builder *builder = lua->load ? lua->load->builder : NULL;
    if (!lua->load)
        tr_lua_options_fail(&o, "can only be defined while the app loads", "");
    if (!builder) /* another loop's state: it was registered before */
        return 0;
    draft.settings = tr_lua_to_json_new(L, 1, tr_lua_scratch(L));
    if (draft.settings->kind == TR_JSON_ARRAY && draft.settings->len == 0) {
        static const struct tr_json empty = {.kind = TR_JSON_OBJECT};
        draft.settings = &empty;
    }
    tr_lua_options_check_status(
        &o, tr_registry_add_extension(builder, &draft, &err), &err, "");
    return 0;
}

static int begin(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) > 1)
        return luaL_error(L, "write extension 'prefix/name' { ... }: a name, "
                             "then a table");
    lua_pushvalue(L, 1);
    tr_lua_pending_begin(L, "extension");
    lua_pushcclosure(L, define, 2);
    return 1;
}

void tr_lua_add_extension(lua_State *L)
{
    lua_pushcfunction(L, begin);
    lua_setfield(L, -2, "extension");
}
