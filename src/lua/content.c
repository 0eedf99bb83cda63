#include "lua/content.h"

#include "lua/convert.h"
#include "lua/options.h"
#include "lua/state.h"

static const struct tr_lua_option block_options[] = {
    {"annotations", NULL},
    {"meta", "_meta"},
    {"_meta", NULL},
};

static const struct tr_lua_option contents_options[] = {
    {"uri", NULL},         {"mime_type", "mimeType"}, {"text", NULL},
    {"blob", NULL},        {"meta", "_meta"},         {"_meta", NULL},
    {"annotations", NULL},
};

static const struct tr_lua_option link_options[] = {
    {"uri", NULL},         {"name", NULL},        {"title", NULL},
    {"description", NULL}, {"size", NULL},        {"mime_type", "mimeType"},
    {"icons", NULL},       {"annotations", NULL}, {"meta", "_meta"},
    {"_meta", NULL},
};

void tr_lua_push_annotations(lua_State *L, int index, const char *what)
{
    static const struct tr_lua_option list[] = {
        {"audience", NULL},
        {"priority", NULL},
        {"last_modified", "lastModified"},
    };
    struct tr_lua_options o = {L, lua_absindex(L, index), what, "annotations",
                               NULL};
    luaL_checktype(L, index, LUA_TTABLE);
    tr_lua_options_push_json(&o, list, TR_LEN(list));
}

/* Turns the annotations of the block on top into the form of JSON. */
static void fix_annotations(lua_State *L, const char *what)
{
    int block = lua_gettop(L);
    if (lua_getfield(L, block, "annotations") != LUA_TNIL) {
        tr_lua_push_annotations(L, -1, what);
        lua_setfield(L, block, "annotations");
    }
    lua_settop(L, block);
}

/* Marks the block on top of the stack and gives it its type. */
static int end_block(lua_State *L, const char *type)
{
    fix_annotations(L, type);
    lua_pushstring(L, type);
    lua_setfield(L, -2, "type");
    tr_lua_set_mark(L, tr_lua_of(L)->refs.block);
    return 1;
}

void tr_lua_push_text_block(lua_State *L)
{
    lua_createtable(L, 0, 2);
    lua_insert(L, -2);
    lua_setfield(L, -2, "text");
    lua_pushliteral(L, "text");
    lua_setfield(L, -2, "type");
    tr_lua_set_mark(L, tr_lua_of(L)->refs.block);
}

/* Pushes the options at `index`, if any, as the start of a block. */
static void begin_block(lua_State *L, int index, const char *what)
{
    struct tr_lua_options o = {L, index, what, NULL, NULL};
    if (lua_isnoneornil(L, index)) {
        lua_createtable(L, 0, 3);
        return;
    }
    luaL_checktype(L, index, LUA_TTABLE);
    tr_lua_options_push_json(&o, block_options, TR_LEN(block_options));
}

int tr_lua_content_text(lua_State *L)
{
    (void)luaL_checkstring(L, 2);
    begin_block(L, 3, "ctx:text");
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "text");
    return end_block(L, "text");
}

static int media(lua_State *L, const char *what, const char *type)
{
    (void)luaL_checkstring(L, 2);
    (void)luaL_checkstring(L, 3);
    begin_block(L, 4, what);
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "data");
    lua_pushvalue(L, 3);
    lua_setfield(L, -2, "mimeType");
    return end_block(L, type);
}

int tr_lua_content_image(lua_State *L)
{
    return media(L, "ctx:image", "image");
}

int tr_lua_content_audio(lua_State *L)
{
    return media(L, "ctx:audio", "audio");
}

void tr_lua_push_contents(lua_State *L, int index, const char *what)
{
    struct tr_lua_options o = {L, lua_absindex(L, index), what, NULL, NULL};
    tr_lua_options_push_json(&o, contents_options, TR_LEN(contents_options));
    if (tr_lua_option_has(&o, "text") == tr_lua_option_has(&o, "blob"))
        tr_lua_options_fail(&o, "either 'text' or 'blob' is needed", "");
}

/* Annotations stand on the block, everything else in its resource. */
int tr_lua_content_resource(lua_State *L)
{
    struct tr_lua_options o = {L, 2, "ctx:resource", NULL, NULL};
    luaL_checktype(L, 2, LUA_TTABLE);
    if (tr_lua_option_str(&o, "uri").len == 0)
        tr_lua_options_fail(&o, "'uri' is needed", "");
    lua_createtable(L, 0, 3);
    tr_lua_push_contents(L, 2, "ctx:resource");
    (void)lua_getfield(L, -1, "annotations");
    lua_setfield(L, -3, "annotations");
    lua_pushnil(L);
    lua_setfield(L, -2, "annotations");
    lua_setfield(L, -2, "resource");
    return end_block(L, "resource");
}

int tr_lua_content_link(lua_State *L)
{
    struct tr_lua_options o = {L, 2, "ctx:link", NULL, NULL};
    luaL_checktype(L, 2, LUA_TTABLE);
    tr_lua_options_push_json(&o, link_options, TR_LEN(link_options));
    if (tr_lua_option_str(&o, "uri").len == 0 ||
        tr_lua_option_str(&o, "name").len == 0)
        tr_lua_options_fail(&o, "'uri' and 'name' are needed", "");
    return end_block(L, "resource_link");
}
