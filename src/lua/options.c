#include "lua/options.h"

#include "base/nearest.h"
#include "lua/convert.h"

#include <lauxlib.h>

/* Pushes "capability 'greet': field 'name': ". */
static const char *push_subject(lua_State *L, const struct tr_lua_options *o)
{
    const char *outer = o->within ? push_subject(L, o->within) : "";
    return o->name ? lua_pushfstring(L, "%s%s '%s': ", outer, o->kind, o->name)
                   : lua_pushfstring(L, "%s%s: ", outer, o->kind);
}

void tr_lua_options_fail(const struct tr_lua_options *o, const char *message,
                         const char *detail)
{
    luaL_checkstack(o->L, 8, NULL);
    const char *subject = push_subject(o->L, o);
    (void)luaL_error(o->L, "%s%s%s", subject, message, detail);
    abort(); /* not reached: luaL_error does not return */
}

/* The message without the name that it begins with. */
static const char *without_name(const struct tr_err *err)
{
    size_t len = strlen(err->at);
    const char *at = err->msg;
    if (len == 0 || strncmp(at, err->at, len) != 0 || at[len] != ':')
        return at;
    at += len;
    return at + strspn(at, ": ");
}

tr_str tr_lua_push_line(lua_State *L)
{
    tr_str where;
    luaL_where(L, 1);
    where.ptr = lua_tolstring(L, -1, &where.len);
    if (where.len > 2)
        where.len -= 2; /* ": " */
    return where;
}

void tr_lua_options_check_status(const struct tr_lua_options *o,
                                 tr_status status, const struct tr_err *err,
                                 const char *part)
{
    lua_State *L = o->L;
    if (status == TR_OK)
        return;
    if (status == TR_E_NOMEM)
        tr_lua_raise_nomem(L);
    luaL_checkstack(L, 8, NULL);
    const char *place = "";
    if (err->place.line)
        place = lua_pushfstring(L, ", at line %d, column %d",
                                (int)err->place.line, (int)err->place.column);
    if (part[0] && err->at[0])
        part = lua_pushfstring(L, "%s '%s': ", part, err->at);
    else if (part[0])
        part = lua_pushfstring(L, "%s: ", part);
    tr_lua_options_fail(o, part,
                        lua_pushfstring(L, "%s%s", without_name(err), place));
}

static const struct tr_lua_option *find(const struct tr_lua_option *list,
                                        size_t count, tr_str name)
{
    for (size_t i = 0; i < count; i++)
        if (tr_str_eq(tr_str_from(list[i].name), name))
            return &list[i];
    return NULL;
}

/* "; there are 'a', 'b'", or nothing when the list is too long to read. */
static const char *push_names(lua_State *L, const struct tr_lua_option *list,
                              size_t count)
{
    if (count > 8)
        return "";
    luaL_checkstack(L, 4, NULL);
    lua_pushliteral(L, "; there are ");
    for (size_t i = 0; i < count; i++) {
        lua_pushfstring(L, i + 1 < count ? "'%s', " : "'%s'", list[i].name);
        lua_concat(L, 2);
    }
    return lua_tostring(L, -1);
}

_Noreturn static void fail_unknown(const struct tr_lua_options *o,
                                   const struct tr_lua_option *list,
                                   size_t count, tr_str name)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++)
        tr_nearest_offer(&nearest, tr_str_from(list[i].name));
    const char *unknown =
        lua_pushfstring(o->L, "unknown option '%s'", name.ptr);
    const char *hint =
        nearest.best.len > 0
            ? lua_pushfstring(o->L, ", did you mean '%s'?", nearest.best.ptr)
            : push_names(o->L, list, count);
    tr_lua_options_fail(o, unknown, hint);
}

/* The option whose name is the key at `index`. */
static const struct tr_lua_option *check_key(const struct tr_lua_options *o,
                                             const struct tr_lua_option *list,
                                             size_t count, int index)
{
    tr_str name;
    if (lua_type(o->L, index) != LUA_TSTRING)
        tr_lua_options_fail(o, "options have names, not a key of type ",
                            luaL_typename(o->L, index));
    name.ptr = lua_tolstring(o->L, index, &name.len);
    const struct tr_lua_option *option = find(list, count, name);
    if (!option)
        fail_unknown(o, list, count, name);
    return option;
}

void tr_lua_options_check(const struct tr_lua_options *o,
                          const struct tr_lua_option *list, size_t count)
{
    luaL_checkstack(o->L, 6, NULL);
    for (lua_pushnil(o->L); lua_next(o->L, o->index); lua_pop(o->L, 1))
        (void)check_key(o, list, count, -2);
}

void tr_lua_options_push_json(const struct tr_lua_options *o,
                              const struct tr_lua_option *list, size_t count)
{
    luaL_checkstack(o->L, 8, NULL);
    lua_createtable(o->L, 0, 4);
    int out = lua_gettop(o->L);
    for (lua_pushnil(o->L); lua_next(o->L, o->index);) {
        const struct tr_lua_option *option = check_key(o, list, count, -2);
        lua_setfield(o->L, out,
                     option->json_name ? option->json_name : option->name);
    }
}

int tr_lua_option_push(const struct tr_lua_options *o, const char *name)
{
    lua_pushstring(o->L, name);
    return lua_rawget(o->L, o->index);
}

bool tr_lua_option_has(const struct tr_lua_options *o, const char *name)
{
    int type = tr_lua_option_push(o, name);
    lua_pop(o->L, 1);
    return type != LUA_TNIL;
}

_Noreturn static void fail_type(const struct tr_lua_options *o,
                                const char *name, const char *wanted)
{
    lua_pushfstring(o->L, "'%s' must be %s, not ", name, wanted);
    const char *message = lua_tostring(o->L, -1);
    tr_lua_options_fail(o, message, luaL_typename(o->L, -2));
}

tr_str tr_lua_option_str(const struct tr_lua_options *o, const char *name)
{
    tr_str s = {NULL, 0};
    int type = tr_lua_option_push(o, name);
    if (type == LUA_TSTRING)
        s.ptr = lua_tolstring(o->L, -1, &s.len);
    else if (type != LUA_TNIL)
        fail_type(o, name, "a string");
    lua_pop(o->L, 1);
    return s;
}

bool tr_lua_option_bool(const struct tr_lua_options *o, const char *name,
                        bool otherwise)
{
    int type = tr_lua_option_push(o, name);
    if (type == LUA_TBOOLEAN)
        otherwise = lua_toboolean(o->L, -1);
    else if (type != LUA_TNIL)
        fail_type(o, name, "true or false");
    lua_pop(o->L, 1);
    return otherwise;
}

int64_t tr_lua_option_i64(const struct tr_lua_options *o, const char *name)
{
    int is_integer = 1;
    lua_Integer value = 0;
    int type = tr_lua_option_push(o, name);
    if (type == LUA_TNUMBER)
        value = lua_tointegerx(o->L, -1, &is_integer);
    if (!is_integer || (type != LUA_TNUMBER && type != LUA_TNIL))
        fail_type(o, name, "a whole number");
    lua_pop(o->L, 1);
    return value;
}

double tr_lua_option_double(const struct tr_lua_options *o, const char *name)
{
    double value = 0;
    int type = tr_lua_option_push(o, name);
    if (type == LUA_TNUMBER)
        value = lua_tonumber(o->L, -1);
    else if (type != LUA_TNIL)
        fail_type(o, name, "a number");
    lua_pop(o->L, 1);
    return value;
}

/* An empty table counts as an array and as an object. */
const struct tr_json *tr_lua_option_json(const struct tr_lua_options *o,
                                         const char *name,
                                         enum tr_json_kind kind,
                                         struct tr_arena *arena)
{
    const struct tr_json *value = NULL;
    int type = tr_lua_option_push(o, name);
    if (type != LUA_TNIL) {
        value = tr_lua_to_json_new(o->L, -1, arena);
        if (value->kind != kind &&
            !(value->kind == TR_JSON_OBJECT && value->len == 0))
            fail_type(o, name,
                      kind == TR_JSON_ARRAY ? "an array" : "a table of names");
    }
    lua_pop(o->L, 1);
    return tr_json_is(value, kind) ? value : NULL;
}

const tr_str *tr_lua_options_strs(const struct tr_lua_options *o,
                                  const char *name, struct tr_arena *arena,
                                  size_t *count)
{
    lua_State *L = o->L;
    bool is_table = lua_istable(L, -1);
    if (!is_table && lua_type(L, -1) != LUA_TSTRING)
        tr_lua_options_fail(o, "must be an array of strings: ", name);
    size_t len = is_table ? (size_t)lua_rawlen(L, -1) : 1;
    tr_str *items = TR_NEW_ARRAY(arena, tr_str, len);
    if (!items)
        tr_lua_raise_nomem(L);
    for (size_t i = 0; is_table && i < len; i++) {
        if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TSTRING)
            tr_lua_options_fail(o, "must be an array of strings: ", name);
        items[i].ptr = lua_tolstring(L, -1, &items[i].len);
        lua_pop(L, 1);
    }
    if (!is_table)
        items[0].ptr = lua_tolstring(L, -1, &items[0].len);
    *count = len;
    return items;
}

const tr_str *tr_lua_option_strs(const struct tr_lua_options *o,
                                 const char *name, struct tr_arena *arena,
                                 size_t *count)
{
    const tr_str *items = NULL;
    *count = 0;
    if (tr_lua_option_push(o, name) != LUA_TNIL)
        items = tr_lua_options_strs(o, name, arena, count);
    lua_pop(o->L, 1);
    return items;
}
