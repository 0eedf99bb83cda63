#include "lua/json_lib.h"

#include "base/limits.h"
#include "json/reader.h"
#include "json/writer.h"
#include "lua/convert.h"
#include "lua/state.h"

tr_status tr_lua_write_json(const struct tr_json *value, struct tr_arena *arena,
                            tr_str *out, struct tr_err *err)
{
    struct tr_json_writer w;
    struct tr_buf buf;
    tr_buf_init(&buf, TR_LIMIT_LUA_SCRATCH);
    tr_jw_init(&w, &buf);
    tr_jw_value(&w, value);
    tr_status st = tr_jw_finish(&w, err);
    if (st == TR_OK && !tr_arena_copy(arena, tr_buf_str(&buf), out))
        st = tr_fail(err, TR_E_NOMEM, "writing JSON");
    tr_buf_done(&buf);
    return st;
}

static int json_encode(lua_State *L)
{
    luaL_checkany(L, 1);
    struct tr_err err = {0};
    tr_str text = {0};
    struct tr_arena *scratch = tr_lua_scratch(L);
    struct tr_json value = tr_lua_to_json(L, 1, scratch);
    tr_status st = tr_lua_write_json(&value, scratch, &text, &err);
    if (st == TR_E_NOMEM || st == TR_E_LIMIT)
        tr_lua_raise_nomem(L);
    if (st != TR_OK)
        (void)luaL_error(L, "%s", err.msg);
    tr_lua_spend(L, text.len / 8);
    tr_lua_push_str(L, text);
    return 1;
}

static int json_decode(lua_State *L)
{
    struct tr_err err = {0};
    const struct tr_json *value = NULL;
    tr_str text;
    text.ptr = luaL_checklstring(L, 1, &text.len);
    struct tr_arena *scratch = tr_lua_scratch(L);
    tr_status st = tr_json_read(scratch, text, NULL, &value, &err);
    if (st == TR_E_NOMEM)
        tr_lua_raise_nomem(L);
    if (st != TR_OK)
        return luaL_error(L, "line %d, column %d: %s", (int)err.place.line,
                          (int)err.place.column, err.msg);
    tr_lua_spend(L, text.len / 4);
    tr_lua_push_json(L, value);
    return 1;
}

void tr_lua_push_json_lib(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"encode", json_encode},
        {"decode", json_decode},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
}
