#include "base/ascii.h"
#include "base/limits.h"
#include "base/text.h"
#include "json/build.h"
#include "json/number.h"
#include "lua/convert.h"
#include "lua/secret.h"
#include "lua/state.h"

#include <math.h>

/* Where in a value we are, for messages. */
struct spot {
    const struct spot *up;
    const char *key; /* of an object, or NULL */
    lua_Integer index;
};

struct convert {
    lua_State *L;
    struct tr_arena *arena;
    size_t nodes;
    unsigned depth;
};

static struct tr_json convert(struct convert *c, int index,
                              const struct spot *spot);

/*
 * In a call its own arena is full, which ends that call alone; else the system
 * has no memory.
 */
_Noreturn void tr_lua_raise_nomem(lua_State *L)
{
    struct tr_lua *lua = tr_lua_of(L);
    if (!lua->running)
        lua->lib.memory.exhausted = true;
    tr_lua_raise_stop(L, TR_LUA_STOP_MEMORY);
}

void *tr_lua_must_have(lua_State *L, void *made)
{
    if (!made)
        tr_lua_raise_nomem(L);
    return made;
}

/* "result.items[2]" */
static void add_path(luaL_Buffer *out, const struct spot *spot)
{
    if (!spot)
        return;
    add_path(out, spot->up);
    if (!spot->key) {
        lua_pushfstring(out->L, "[%I]", spot->index);
        luaL_addvalue(out);
        return;
    }
    if (spot->up)
        luaL_addchar(out, '.');
    luaL_addstring(out, spot->key);
}

_Noreturn static void refuse(const struct convert *c, const struct spot *spot,
                             const char *why, const char *detail)
{
    luaL_Buffer path;
    luaL_buffinit(c->L, &path);
    add_path(&path, spot);
    luaL_pushresult(&path);
    const char *at = lua_tostring(c->L, -1);
    if (at[0] != '\0')
        (void)luaL_error(c->L, "'%s' cannot be sent: %s%s", at, why, detail);
    else
        (void)luaL_error(c->L, "the value cannot be sent: %s%s", why, detail);
    abort(); /* not reached: luaL_error does not return */
}

static struct tr_json keep_text(const struct convert *c, tr_str text,
                                bool is_string)
{
    tr_str kept;
    if (!tr_arena_copy(c->arena, text, &kept))
        tr_lua_raise_nomem(c->L);
    return is_string ? tr_json_make_text(TR_JSON_STRING, kept)
                     : tr_json_make_text(TR_JSON_NUMBER, kept);
}

static struct tr_json convert_number(const struct convert *c, int index,
                                     const struct spot *spot)
{
    char text[TR_JSON_DOUBLE_TEXT_MAX];
    size_t len = 0;
    if (lua_isinteger(c->L, index)) {
        int n = snprintf(text, sizeof(text), "%lld",
                         (long long)lua_tointeger(c->L, index));
        len = (size_t)n;
    } else {
        double number = lua_tonumber(c->L, index);
        if (!isfinite(number))
            refuse(c, spot, "it is not a finite number", "");
        len = tr_json_double_write(number, text);
    }
    struct tr_json value = keep_text(c, (tr_str){text, len}, false);
    if (!memchr(text, '.', len) && !memchr(text, 'e', len))
        value.flags = TR_JSON_INTEGER;
    return value;
}

static struct tr_json convert_string(const struct convert *c, int index,
                                     const struct spot *spot)
{
    tr_str text;
    text.ptr = lua_tolstring(c->L, index, &text.len);
    if (text.len > UINT32_MAX)
        refuse(c, spot, "it is too long", "");
    if (!tr_utf8_is_valid(text))
        refuse(c, spot, "it is not UTF-8; send bytes as base64", "");
    return keep_text(c, text, true);
}

/* The digits of an integer that Lua has no number for, as we gave them out. */
static struct tr_json convert_digits(const struct convert *c, int index,
                                     const struct spot *spot)
{
    tr_str text = {0};
    lua_pushliteral(c->L, "digits");
    lua_rawget(c->L, index);
    if (lua_type(c->L, -1) == LUA_TSTRING)
        text.ptr = lua_tolstring(c->L, -1, &text.len);
    size_t sign = text.len && text.ptr[0] == '-';
    size_t at = sign;
    while (at < text.len && tr_ascii_is_digit(text.ptr[at]))
        at++;
    if (at < text.len || at == sign || text.len > UINT32_MAX ||
        (text.ptr[sign] == '0' && at > sign + 1))
        refuse(c, spot, "its digits are no integer", "");
    struct tr_json value = keep_text(c, text, false);
    value.flags = TR_JSON_INTEGER;
    lua_pop(c->L, 1);
    return value;
}

/* What the keys of a table are like. */
struct table_facts {
    size_t count;
    lua_Integer highest; /* of integer keys */
    bool has_strings;
};

/* Raises for keys that JSON cannot say: mixed, below 1, or of another type. */
static struct table_facts read_keys(const struct convert *c, int index,
                                    const struct spot *spot)
{
    struct table_facts facts = {0};
    lua_State *L = c->L;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        bool is_string = lua_type(L, -2) == LUA_TSTRING;
        if (!is_string && !lua_isinteger(L, -2))
            refuse(c, spot, "it has a key of type ", luaL_typename(L, -2));
        if (facts.count > 0 && is_string != facts.has_strings)
            refuse(c, spot, "it has both names and numbers as keys, such as ",
                   luaL_tolstring(L, -2, NULL));
        if (!is_string && lua_tointeger(L, -2) < 1)
            refuse(c, spot, "it has the key ", luaL_tolstring(L, -2, NULL));
        if (!is_string && lua_tointeger(L, -2) > facts.highest)
            facts.highest = lua_tointeger(L, -2);
        facts.has_strings = is_string;
        facts.count++;
    }
    return facts;
}

static struct tr_json convert_array(struct convert *c, int index, size_t count,
                                    const struct spot *up)
{
    struct tr_json *items = TR_NEW_ARRAY(c->arena, struct tr_json, count);
    if (!items)
        tr_lua_raise_nomem(c->L);
    for (size_t i = 0; i < count; i++) {
        struct spot spot = {up, NULL, (lua_Integer)i + 1};
        lua_rawgeti(c->L, index, spot.index);
        items[i] = convert(c, lua_gettop(c->L), &spot);
        lua_pop(c->L, 1);
    }
    return (struct tr_json){
        .kind = TR_JSON_ARRAY,
        .len = (uint32_t)count,
        .as.items = items,
    };
}

static int by_key(const void *a, const void *b)
{
    return tr_str_cmp(tr_json_text(&((const struct tr_json_member *)a)->key),
                      tr_json_text(&((const struct tr_json_member *)b)->key));
}

static struct tr_json convert_object(struct convert *c, int index, size_t count,
                                     const struct spot *up)
{
    lua_State *L = c->L;
    size_t i = 0;
    struct tr_json object;
    struct tr_json_member *members =
        TR_NEW_ARRAY(c->arena, struct tr_json_member, count);
    if (!members)
        tr_lua_raise_nomem(L);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1), i++) {
        int top = lua_gettop(L);
        struct spot spot = {up, lua_tostring(L, top - 1), 0};
        members[i].key = convert_string(c, top - 1, &spot);
        members[i].value = convert(c, top, &spot);
    }
    qsort(members, count, sizeof(*members), by_key);
    if (!tr_json_make_object(c->arena, members, count, &object))
        tr_lua_raise_nomem(L);
    return object;
}

static struct tr_json convert_table(struct convert *c, int index,
                                    const struct spot *spot)
{
    if (++c->depth > TR_LIMIT_LUA_DEPTH)
        refuse(c, NULL, "it is nested too deep, or contains itself", "");
    luaL_checkstack(c->L, 6, "nested too deep");
    if (tr_lua_has_mark(c->L, index, tr_lua_of(c->L)->refs.integer)) {
        c->depth--;
        return convert_digits(c, index, spot);
    }
    struct table_facts facts = read_keys(c, index, spot);
    bool is_marked = tr_lua_has_mark(c->L, index, tr_lua_of(c->L)->refs.array);
    if (is_marked && facts.has_strings)
        refuse(c, spot, "it is an array and has a name as key", "");
    if (!facts.has_strings && facts.highest != (lua_Integer)facts.count)
        refuse(c, spot, "it is an array with holes", "");
    c->nodes += facts.count;
    if (c->nodes > TR_LIMIT_LUA_NODES)
        refuse(c, NULL, "it has too many values", "");
    tr_lua_spend(c->L, facts.count * 8);
    struct tr_json value = is_marked || (facts.count && !facts.has_strings)
                               ? convert_array(c, index, facts.count, spot)
                               : convert_object(c, index, facts.count, spot);
    c->depth--;
    return value;
}

static struct tr_json convert(struct convert *c, int index,
                              const struct spot *spot)
{
    switch (lua_type(c->L, index)) {
    case LUA_TNIL:
        return (struct tr_json){.kind = TR_JSON_NULL};
    case LUA_TBOOLEAN:
        return tr_json_make_bool(lua_toboolean(c->L, index));
    case LUA_TNUMBER:
        return convert_number(c, index, spot);
    case LUA_TSTRING:
        return convert_string(c, index, spot);
    case LUA_TTABLE:
        return convert_table(c, index, spot);
    default:
        if (tr_lua_is_null(c->L, index))
            return (struct tr_json){.kind = TR_JSON_NULL};
        if (tr_lua_is_secret(c->L, index))
            refuse(c, spot,
                   "it is a secret: ", luaL_tolstring(c->L, index, NULL));
        refuse(c, spot, "it is a ", luaL_typename(c->L, index));
    }
}

struct tr_json tr_lua_to_json(lua_State *L, int index, struct tr_arena *arena)
{
    struct convert c = {.L = L, .arena = arena};
    return convert(&c, lua_absindex(L, index), NULL);
}

const struct tr_json *tr_lua_to_json_new(lua_State *L, int index,
                                         struct tr_arena *arena)
{
    struct tr_json *value = TR_NEW(arena, struct tr_json);
    if (value)
        *value = tr_lua_to_json(L, index, arena);
    else
        tr_lua_raise_nomem(L);
    return value;
}

tr_str tr_lua_to_text(lua_State *L, int index, struct tr_arena *arena)
{
    struct convert c = {.L = L, .arena = arena};
    struct tr_json text = convert_string(&c, lua_absindex(L, index), NULL);
    return tr_json_text(&text);
}
