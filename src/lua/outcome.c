#include "lua/outcome.h"

#include "base/limits.h"
#include "json/build.h"
#include "lua/content.h"
#include "lua/convert.h"
#include "lua/fault.h"
#include "lua/host.h"
#include "lua/options.h"

/* What is being read: the value at absolute index `index`. */
struct reading {
    lua_State *L;
    struct tr_arena *arena;
    struct tr_call_outcome *out;
    int index;
};

/* [{"type":"text","text":...}], without the detour over tables. */
static const struct tr_json *text_content(const struct reading *r, int index)
{
    if (lua_type(r->L, index) != LUA_TSTRING)
        (void)luaL_error(r->L, "a text is a string, not a %s",
                         luaL_typename(r->L, index));
    struct tr_json_member members[] = {
        {tr_json_make_text(TR_JSON_STRING, TR_STR("type")),
         tr_json_make_text(TR_JSON_STRING, TR_STR("text"))},
        {tr_json_make_text(TR_JSON_STRING, TR_STR("text")),
         tr_lua_to_json(r->L, index, r->arena)},
    };
    struct tr_json block;
    struct tr_json *array = TR_NEW(r->arena, struct tr_json);
    if (!array || !tr_json_make_object(r->arena, members, 2, &block) ||
        !tr_json_make_array(r->arena, &block, 1, array))
        tr_lua_raise_nomem(r->L);
    return array;
}

static bool is_block(const struct reading *r, int index)
{
    return tr_lua_has_mark(r->L, index, tr_lua_of(r->L)->refs.block);
}

/* Whether the table is an array that begins with a block. */
static bool is_block_list(const struct reading *r, int index)
{
    if (!lua_istable(r->L, index))
        return false;
    lua_rawgeti(r->L, index, 1);
    bool is = is_block(r, -1);
    lua_pop(r->L, 1);
    return is;
}

/* A block, a string, or an array of them, at `index`. */
static const struct tr_json *blocks_of(const struct reading *r, int index)
{
    lua_State *L = r->L;
    if (lua_type(L, index) == LUA_TSTRING)
        return text_content(r, index);
    index = lua_absindex(L, index);
    lua_newtable(L);
    int out = lua_gettop(L);
    lua_Integer count =
        is_block(r, index) ? 1 : (lua_Integer)lua_rawlen(L, index);
    for (lua_Integer i = 1; i <= count; i++) {
        if (is_block(r, index))
            lua_pushvalue(L, index);
        else
            lua_rawgeti(L, index, i);
        if (lua_type(L, -1) == LUA_TSTRING)
            tr_lua_push_text_block(L);
        if (!is_block(r, -1))
            (void)luaL_error(L,
                             "content is strings and blocks made by "
                             "ctx:text, ctx:image ...; item %I is a %s",
                             i, luaL_typename(L, -1));
        lua_rawseti(L, out, i);
    }
    tr_lua_mark_array(L);
    const struct tr_json *content = tr_lua_to_json_new(L, out, r->arena);
    lua_settop(L, out - 1);
    return content;
}

/* What ctx:error made. */
static void read_failure(struct reading *r)
{
    lua_State *L = r->L;
    r->out->is_error = true;
    (void)lua_getfield(L, r->index, "message");
    r->out->content = text_content(r, -1);
    if (lua_getfield(L, r->index, "data") != LUA_TNIL)
        r->out->data = tr_lua_to_json_new(L, -1, r->arena);
    lua_pop(L, 2);
}

/* What ctx:result made. */
static void read_result(struct reading *r)
{
    lua_State *L = r->L;
    if (lua_getfield(L, r->index, "content") != LUA_TNIL)
        r->out->content = blocks_of(r, -1);
    if (lua_getfield(L, r->index, "value") != LUA_TNIL)
        r->out->value = tr_lua_to_json_new(L, -1, r->arena);
    if (lua_getfield(L, r->index, "meta") != LUA_TNIL)
        r->out->meta = tr_lua_to_json_new(L, -1, r->arena);
    (void)lua_getfield(L, r->index, "is_error");
    r->out->is_error = lua_toboolean(L, -1);
    lua_pop(L, 4);
    if (r->out->meta && r->out->meta->kind != TR_JSON_OBJECT)
        (void)luaL_error(L, "ctx:result: 'meta' must be a table of names");
}

static void read_capability(struct reading *r)
{
    static const struct tr_json nothing = {.kind = TR_JSON_ARRAY};
    const struct tr_lua_refs *refs = &tr_lua_of(r->L)->refs;
    if (lua_isnil(r->L, r->index))
        r->out->content = &nothing;
    else if (lua_type(r->L, r->index) == LUA_TSTRING)
        r->out->content = text_content(r, r->index);
    else if (tr_lua_has_mark(r->L, r->index, refs->failure))
        read_failure(r);
    else if (tr_lua_has_mark(r->L, r->index, refs->result))
        read_result(r);
    else if (is_block(r, r->index) || is_block_list(r, r->index))
        r->out->content = blocks_of(r, r->index);
    else
        r->out->value = tr_lua_to_json_new(r->L, r->index, r->arena);
}

/* Pushes the contents that one value stands for. */
static void push_contents(const struct reading *r, int index)
{
    lua_State *L = r->L;
    index = lua_absindex(L, index);
    if (lua_type(L, index) == LUA_TSTRING) {
        lua_createtable(L, 0, 1);
        lua_pushvalue(L, index);
        lua_setfield(L, -2, "text");
        return;
    }
    if (!lua_istable(L, index))
        (void)luaL_error(L,
                         "a resource returns a string or {text=...} or "
                         "{blob=...}, not a %s",
                         luaL_typename(L, index));
    tr_lua_push_contents(L, index, "resource");
}

/* Reads contents; nil means that there is no such resource. */
static void read_resource(struct reading *r)
{
    lua_State *L = r->L;
    if (lua_isnil(L, r->index))
        return;
    bool is_list = lua_istable(L, r->index) && lua_rawlen(L, r->index) > 0;
    lua_Integer count = is_list ? (lua_Integer)lua_rawlen(L, r->index) : 1;
    lua_newtable(L);
    int out = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++) {
        if (is_list)
            lua_rawgeti(L, r->index, i);
        else
            lua_pushvalue(L, r->index);
        push_contents(r, -1);
        lua_rawseti(L, out, i);
        lua_settop(L, out);
    }
    tr_lua_mark_array(L);
    r->out->content = tr_lua_to_json_new(L, out, r->arena);
}

/* Pushes {role, content} for a string, a block or a message. */
static void push_message(const struct reading *r, int index)
{
    lua_State *L = r->L;
    index = lua_absindex(L, index);
    bool is_message = lua_istable(L, index) && !is_block(r, index);
    lua_createtable(L, 0, 2);
    if (is_message)
        (void)lua_getfield(L, index, "content");
    else
        lua_pushvalue(L, index);
    if (lua_type(L, -1) == LUA_TSTRING)
        tr_lua_push_text_block(L);
    if (!lua_istable(L, -1))
        (void)luaL_error(L, "a prompt's message is a string, a block or "
                            "{role=, content=}");
    lua_setfield(L, -2, "content");
    if (!is_message || lua_getfield(L, index, "role") != LUA_TSTRING) {
        lua_settop(L, lua_gettop(L) - (is_message ? 1 : 0));
        lua_pushliteral(L, "user");
    }
    lua_setfield(L, -2, "role");
}

/* Replaces the value by its list of messages, which is pushed. */
static void push_messages(const struct reading *r, int index)
{
    lua_State *L = r->L;
    index = lua_absindex(L, index);
    bool is_list = lua_istable(L, index) && !is_block(r, index);
    lua_Integer count = is_list ? (lua_Integer)lua_rawlen(L, index) : 1;
    lua_newtable(L);
    int out = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++) {
        if (is_list)
            lua_rawgeti(L, index, i);
        else
            lua_pushvalue(L, index);
        push_message(r, -1);
        lua_rawseti(L, out, i);
        lua_settop(L, out);
    }
    tr_lua_mark_array(L);
}

static void read_prompt(struct reading *r)
{
    lua_State *L = r->L;
    lua_createtable(L, 0, 2);
    int out = lua_gettop(L);
    bool is_named = false;
    if (lua_istable(L, r->index) && !is_block(r, r->index)) {
        is_named = lua_getfield(L, r->index, "messages") == LUA_TTABLE;
        (void)lua_getfield(L, r->index, "description");
        lua_setfield(L, out, "description");
    }
    push_messages(r, is_named ? lua_gettop(L) : r->index);
    lua_setfield(L, out, "messages");
    r->out->value = tr_lua_to_json_new(L, out, r->arena);
}

/*
 * MCP allows a hundred values (server/utilities/completion): the rest is
 * counted in `total`.
 */
static void read_completion(struct reading *r)
{
    static const struct tr_lua_option list[] = {
        {"values", NULL},
        {"total", NULL},
        {"has_more", NULL},
    };
    lua_State *L = r->L;
    struct tr_lua_options o = {L, r->index, "completion", NULL, NULL};
    if (!lua_istable(L, r->index))
        (void)luaL_error(L, "a completion returns an array of strings");
    bool is_named = tr_lua_option_push(&o, "values") == LUA_TTABLE;
    if (is_named)
        tr_lua_options_push_json(&o, list, TR_LEN(list));
    else
        lua_createtable(L, 0, 3);
    int out = lua_gettop(L);
    int values = is_named ? out - 1 : r->index;
    lua_Integer count = (lua_Integer)lua_rawlen(L, values);
    lua_createtable(L, (int)(count > 100 ? 100 : count), 0);
    for (lua_Integer i = 1; i <= count && i <= 100; i++) {
        if (lua_rawgeti(L, values, i) != LUA_TSTRING)
            (void)luaL_error(L, "a completion's values are strings");
        lua_rawseti(L, -2, i);
    }
    tr_lua_mark_array(L);
    lua_setfield(L, out, "values");
    if (count > 100) {
        lua_pushinteger(L, count);
        lua_setfield(L, out, "total");
        lua_pushboolean(L, 1);
        lua_setfield(L, out, "has_more");
    }
    r->out->value = tr_lua_to_json_new(L, out, r->arena);
}

/* allowed, reason: the last two values on the stack. */
static void read_policy(struct reading *r)
{
    lua_State *L = r->L;
    int allowed = r->index - 1;
    tr_str reason = TR_STR("");
    if (!lua_isboolean(L, allowed) && !lua_isnil(L, allowed))
        (void)luaL_error(L, "a policy returns true or false, not a %s",
                         luaL_typename(L, allowed));
    if (lua_toboolean(L, allowed))
        return;
    if (lua_type(L, r->index) == LUA_TSTRING)
        reason = tr_lua_to_text(L, r->index, r->arena);
    r->out->status = tr_fail(&r->out->err, TR_E_POLICY, "%.*s", TR_FMT(reason));
}

void tr_lua_outcome_read(lua_State *L, struct tr_lua_run *run)
{
    struct tr_call_outcome *out =
        TR_NEW(run->call->arena, struct tr_call_outcome);
    if (!out)
        tr_lua_raise_nomem(L);
    luaL_checkstack(L, 16, NULL);
    struct reading r = {L, run->call->arena, out, lua_gettop(L)};
    const struct tr_lua_refs *refs = &run->lua->refs;
    bool is_failure = tr_lua_has_mark(L, r.index, refs->failure);
    switch (is_failure ? TR_LUA_CAPABILITY : run->handler->kind) {
    case TR_LUA_CAPABILITY:
        read_capability(&r);
        break;
    case TR_LUA_RESOURCE:
    case TR_LUA_TEMPLATE:
        read_resource(&r);
        break;
    case TR_LUA_PROMPT:
        read_prompt(&r);
        break;
    case TR_LUA_COMPLETION:
        read_completion(&r);
        break;
    case TR_LUA_POLICY:
        read_policy(&r);
        break;
    }
    run->outcome = out;
}
