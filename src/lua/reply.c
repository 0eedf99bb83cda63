#include "base/limits.h"
#include "crypto/encoding.h"
#include "json/reader.h"
#include "lua/convert.h"
#include "lua/fault.h"
#include "lua/fetch.h"
#include "runtime/outcome.h"

static tr_str text_of(const struct tr_json *record, const char *key)
{
    return tr_json_text(tr_json_find(record, tr_str_from(key)));
}

/* reply:json(): the value of the body, or nil and why it is none. */
static int reply_json(lua_State *L)
{
    struct tr_err err = {0};
    const struct tr_json *value = NULL;
    tr_str text;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_pushliteral(L, "body");
    (void)lua_rawget(L, 1);
    text.ptr = luaL_checklstring(L, -1, &text.len);
    tr_status status =
        tr_json_read(tr_lua_scratch(L), text, NULL, &value, &err);
    if (status == TR_E_NOMEM)
        tr_lua_raise_nomem(L);
    if (status == TR_OK) {
        tr_lua_spend(L, text.len / 4);
        tr_lua_push_json(L, value);
        return 1;
    }
    const struct tr_lua_fault fault = {.status = TR_E_SYNTAX,
                                       .message = tr_str_from(err.msg)};
    lua_pushnil(L);
    tr_lua_push_fault(L, &fault);
    return 2;
}

void tr_lua_fetch_open(lua_State *L)
{
    (void)luaL_newmetatable(L, "reply");
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, reply_json);
    lua_setfield(L, -2, "json");
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

/* Those that came twice are joined as RFC 9110, 5.3 has it. */
static void push_headers(lua_State *L, const struct tr_json *headers)
{
    lua_createtable(L, 0, headers ? (int)headers->len : 0);
    for (size_t i = 0; headers && i < headers->len; i++) {
        const struct tr_json *pair = &headers->as.items[i];
        tr_lua_push_str(L, tr_json_text(tr_json_at(pair, 0)));
        lua_pushvalue(L, -1);
        bool is_second = lua_rawget(L, -3) != LUA_TNIL;
        if (is_second)
            lua_pushliteral(L, ", ");
        else
            lua_pop(L, 1);
        tr_lua_push_str(L, tr_json_text(tr_json_at(pair, 1)));
        if (is_second)
            lua_concat(L, 3);
        lua_rawset(L, -3);
    }
}

static void push_body(lua_State *L, const struct tr_json *record)
{
    const struct tr_json *text = tr_json_find(record, TR_STR("body"));
    tr_str bytes = tr_json_text(text);
    if (!text &&
        tr_crypto_base64_decode(tr_lua_scratch(L), text_of(record, "body64"),
                                &bytes, NULL) != TR_OK)
        tr_lua_raise_nomem(L);
    tr_lua_push_str(L, bytes);
}

static int push_failure(lua_State *L, const struct tr_json *record)
{
    struct tr_lua_fault fault = {
        .status = tr_lua_fault_status(text_of(record, "status")),
        .message = text_of(record, "message")};
    lua_pushnil(L);
    tr_lua_push_fault(L, &fault);
    lua_createtable(L, 0, 2);
    tr_lua_push_str(L, text_of(record, "reason"));
    lua_setfield(L, -2, "reason");
    tr_lua_push_str(L, text_of(record, "host"));
    lua_setfield(L, -2, "host");
    lua_setfield(L, -2, "data");
    return 2;
}

int tr_lua_push_reply(lua_State *L, const struct tr_json *record)
{
    int64_t code = 0;
    if (tr_json_find(record, TR_STR("status")))
        return push_failure(L, record);
    (void)tr_json_i64(tr_json_find(record, TR_STR("code")), &code);
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, code);
    lua_setfield(L, -2, "status");
    lua_pushboolean(L, code >= 200 && code <= 299);
    lua_setfield(L, -2, "ok");
    push_headers(L, tr_json_find(record, TR_STR("headers")));
    lua_setfield(L, -2, "headers");
    push_body(L, record);
    lua_setfield(L, -2, "body");
    luaL_setmetatable(L, "reply");
    return 1;
}
