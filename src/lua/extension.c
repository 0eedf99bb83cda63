#include "lua/extension.h"

#include "cap/registry.h"
#include "lua/convert.h"
#include "lua/host.h"
#include "lua/options.h"
#include "lua/sandbox.h"
#include "lua/state.h"

/* The second of the two calls: the settings. */
static int define(lua_State *L)
{
    const struct tr_lua *lua = tr_lua_of(L);
    struct tr_extension draft;
    struct tr_err err = {0};
    draft.id.ptr = lua_tolstring(L, lua_upvalueindex(1), &draft.id.len);
    struct tr_lua_options o = {L, 1, "extension", draft.id.ptr};
    luaL_checktype(L, 1, LUA_TTABLE);
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
    tr_status st = tr_registry_add_extension(builder, &draft, &err);
    if (st == TR_E_NOMEM)
        tr_lua_raise_nomem(L);
    if (st != TR_OK)
        tr_lua_options_fail(&o, err.msg, "");
    return 0;
}

static int begin(lua_State *L)
{
    (void)luaL_checkstring(L, 1);
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, define, 1);
    return 1;
}

void tr_lua_add_extension(lua_State *L)
{
    lua_pushcfunction(L, begin);
    lua_setfield(L, -2, "extension");
}
