#include "json/number.h"
#include "lua/convert.h"
#include "lua/state.h"

#define DOUBLE_DIGITS 17 /* that tell all doubles apart */

static const char null_mark = 0;

void tr_lua_push_null(lua_State *L)
{
    lua_pushlightuserdata(L, (void *)&null_mark);
}

bool tr_lua_is_null(lua_State *L, int index)
{
    return lua_islightuserdata(L, index) &&
           lua_touserdata(L, index) == (const void *)&null_mark;
}

void tr_lua_push_str(lua_State *L, tr_str s)
{
    (void)lua_pushlstring(L, s.len ? s.ptr : "", s.len);
}

void tr_lua_set_mark(lua_State *L, int ref)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    (void)lua_setmetatable(L, -2);
}

void tr_lua_mark_array(lua_State *L)
{
    tr_lua_set_mark(L, tr_lua_of(L)->refs.array);
}

bool tr_lua_has_mark(lua_State *L, int index, int ref)
{
    if (!lua_istable(L, index) || !lua_getmetatable(L, index))
        return false;
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

/* Whether it is an integer that would be another one when it comes back. What
 * is written as a float, with the digits of one, is meant to be one. */
static bool loses_digits(const struct tr_json *value, double number)
{
    char text[TR_JSON_DOUBLE_TEXT_MAX];
    tr_json_decimal exact = tr_json_decimal_of(tr_json_text(value));
    if (!tr_json_decimal_is_integer(exact) ||
        (!(value->flags & TR_JSON_INTEGER) && exact.count <= DOUBLE_DIGITS))
        return false;
    tr_str back = {text, tr_json_double_write(number, text)};
    return tr_json_decimal_cmp(exact, tr_json_decimal_of(back)) != 0;
}

/* An integer that Lua has no number for: nothing can be reckoned with it, but
 * it can be given back, and its digits can be read. */
static void push_digits(lua_State *L, tr_str digits)
{
    luaL_checkstack(L, 3, "nested too deep");
    lua_createtable(L, 0, 1);
    tr_lua_push_str(L, digits);
    lua_setfield(L, -2, "digits");
    tr_lua_set_mark(L, tr_lua_of(L)->refs.integer);
}

static void push_number(lua_State *L, const struct tr_json *value)
{
    int64_t integer = 0;
    double number = 0;
    if (tr_json_i64(value, &integer))
        lua_pushinteger(L, (lua_Integer)integer);
    else if (tr_json_double(value, &number) && !loses_digits(value, number))
        lua_pushnumber(L, number);
    else if (value->flags & TR_JSON_INTEGER)
        push_digits(L, tr_json_text(value));
    else
        (void)luaL_error(L, "a number is too large");
}

static void push_array(lua_State *L, const struct tr_json *value)
{
    int count = value->len > INT32_MAX ? 0 : (int)value->len;
    luaL_checkstack(L, 4, "nested too deep");
    lua_createtable(L, count, 0);
    for (uint32_t i = 0; i < value->len; i++) {
        tr_lua_push_json(L, &value->as.items[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    tr_lua_mark_array(L);
}

static void push_object(lua_State *L, const struct tr_json *value)
{
    int count = value->len > INT32_MAX ? 0 : (int)value->len;
    luaL_checkstack(L, 4, "nested too deep");
    lua_createtable(L, 0, count);
    for (uint32_t i = 0; i < value->len; i++) {
        const struct tr_json_member *member = &value->as.members[i];
        tr_lua_push_str(L, tr_json_text(&member->key));
        tr_lua_push_json(L, &member->value);
        lua_rawset(L, -3);
    }
}

void tr_lua_push_json(lua_State *L, const struct tr_json *value)
{
    switch (value ? (enum tr_json_kind)value->kind : TR_JSON_NULL) {
    case TR_JSON_BOOL:
        lua_pushboolean(L, value->flags & TR_JSON_TRUE);
        return;
    case TR_JSON_NUMBER:
        push_number(L, value);
        return;
    case TR_JSON_STRING:
        tr_lua_push_str(L, tr_json_text(value));
        return;
    case TR_JSON_ARRAY:
        push_array(L, value);
        return;
    case TR_JSON_OBJECT:
        push_object(L, value);
        return;
    default: /* null; what only TOML has does not come here */
        tr_lua_push_null(L);
    }
}
