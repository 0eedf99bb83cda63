#include "lua/regex_lib.h"

#include "base/limits.h"
#include "base/time.h"
#include "fields/pattern.h"
#include "lua/convert.h"
#include "lua/state.h"

static tr_str check_str(lua_State *L, int argument)
{
    tr_str s;
    s.ptr = luaL_checklstring(L, argument, &s.len);
    return s;
}

/* A pattern is compiled once per state, and freed with it. */
static const struct tr_field_pattern *compiled(lua_State *L, int argument)
{
    struct tr_lua *lua = tr_lua_of(L);
    struct tr_err err = {0};
    const struct tr_field_pattern *pattern = NULL;
    tr_str source = check_str(L, argument);
    lua_rawgeti(L, LUA_REGISTRYINDEX, lua->refs.regexes);
    lua_pushvalue(L, argument);
    if (lua_rawget(L, -2) != LUA_TNIL) {
        pattern = lua_touserdata(L, -1);
        lua_pop(L, 2);
        return pattern;
    }
    lua_pop(L, 1);
    if (lua->pattern_count == TR_LIMIT_LUA_REGEXES)
        (void)luaL_error(L, "more than %d different regular expressions",
                         TR_LIMIT_LUA_REGEXES);
    if (tr_field_pattern_compile(&lua->patterns, source, 0, &pattern, &err) !=
        TR_OK)
        (void)luaL_error(L, "bad regular expression: %s", err.msg);
    lua->pattern_count++;
    lua_pushvalue(L, argument);
    lua_pushlightuserdata(L, (void *)pattern);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    return pattern;
}

static struct tr_field_pattern_hit
find_from(lua_State *L, const struct tr_field_pattern *pattern, tr_str text,
          size_t from)
{
    struct tr_err err = {0};
    struct tr_field_pattern_hit hit = {0};
    uint64_t began_ns = tr_time_ticks_ns();
    tr_status st = tr_field_pattern_find(pattern, text, from, tr_lua_scratch(L),
                                         &hit, &err);
    if (st == TR_E_NOMEM)
        tr_lua_raise_nomem(L);
    tr_lua_hook_if_slow(L, began_ns); /* PCRE2 does not tell its steps */
    if (st != TR_OK)
        (void)luaL_error(L, "%s", err.msg);
    tr_lua_spend(L, (text.len - from) / 8);
    return hit;
}

static void push_group(lua_State *L, tr_str text,
                       const struct tr_field_pattern_hit *hit, size_t i)
{
    if (hit->at[i].from > hit->at[i].to)
        lua_pushboolean(L, 0);
    else
        (void)lua_pushlstring(L, text.ptr + hit->at[i].from,
                              hit->at[i].to - hit->at[i].from);
}

/* The groups; the whole match when there are none and `whole` says so. */
static int push_groups(lua_State *L, tr_str text,
                       const struct tr_field_pattern_hit *hit, bool whole)
{
    luaL_checkstack(L, TR_FIELD_PATTERN_GROUPS + 4, "too many groups");
    if (hit->count == 1 && whole) {
        push_group(L, text, hit, 0);
        return 1;
    }
    for (size_t i = 1; i < hit->count; i++)
        push_group(L, text, hit, i);
    return (int)hit->count - 1;
}

static int re_match(lua_State *L)
{
    tr_str text = check_str(L, 1);
    struct tr_field_pattern_hit hit = find_from(L, compiled(L, 2), text, 0);
    if (hit.count > 0)
        return push_groups(L, text, &hit, true);
    lua_pushnil(L);
    return 1;
}

static int re_find(lua_State *L)
{
    tr_str text = check_str(L, 1);
    lua_Integer init = luaL_optinteger(L, 3, 1);
    luaL_argcheck(L, init >= 1, 3, "must be at least 1");
    struct tr_field_pattern_hit hit = {0};
    if ((size_t)init - 1 <= text.len)
        hit = find_from(L, compiled(L, 2), text, (size_t)init - 1);
    if (hit.count == 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, (lua_Integer)hit.at[0].from + 1);
    lua_pushinteger(L, (lua_Integer)hit.at[0].to);
    return push_groups(L, text, &hit, false) + 2;
}

/* `$1` and `${1}` are left to functions: a text stands as it is, `%` too. */
static void add_replacement(lua_State *L, luaL_Buffer *out, tr_str text,
                            const struct tr_field_pattern_hit *hit)
{
    if (lua_type(L, 3) == LUA_TSTRING) {
        lua_pushvalue(L, 3);
        luaL_addvalue(out);
        return;
    }
    lua_pushvalue(L, 3);
    lua_call(L, push_groups(L, text, hit, true), 1);
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        push_group(L, text, hit, 0);
    } else if (!lua_isstring(L, -1)) {
        (void)luaL_error(L, "invalid replacement value (a %s)",
                         luaL_typename(L, -1));
    }
    luaL_addvalue(out);
}

/* The byte after the code point at `at`. */
static size_t after_code_point(tr_str text, size_t at)
{
    do
        at++;
    while (at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80);
    return at;
}

static int re_gsub(lua_State *L)
{
    luaL_Buffer out;
    tr_str text = check_str(L, 1);
    const struct tr_field_pattern *pattern = compiled(L, 2);
    int type = lua_type(L, 3);
    lua_Integer most = luaL_optinteger(L, 4, LUA_MAXINTEGER);
    luaL_argexpected(L, type == LUA_TSTRING || type == LUA_TFUNCTION, 3,
                     "string/function");
    lua_Integer count = 0;
    size_t copied = 0;
    size_t from = 0;
    tr_lualib_make_room(L);
    luaL_buffinit(L, &out);
    while (count < most && from <= text.len) {
        struct tr_field_pattern_hit hit = find_from(L, pattern, text, from);
        if (hit.count == 0)
            break;
        luaL_addlstring(&out, text.ptr + copied, hit.at[0].from - copied);
        add_replacement(L, &out, text, &hit);
        copied = hit.at[0].to;
        from = hit.at[0].to > hit.at[0].from ? copied
                                             : after_code_point(text, copied);
        count++;
    }
    luaL_addlstring(&out, text.ptr + copied, text.len - copied);
    luaL_pushresult(&out);
    lua_pushinteger(L, count);
    return 2;
}

void tr_lua_push_regex_lib(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"match", re_match},
        {"find", re_find},
        {"gsub", re_gsub},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
}
