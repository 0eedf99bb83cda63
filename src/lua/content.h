/*
 * lua/content.h - content blocks: ctx:text, image, audio, resource and link.
 *
 * A block is a table in the form MCP has for it, with a mark that tells it from
 * plain data.
 */
#ifndef TR_LUA_CONTENT_H
#define TR_LUA_CONTENT_H

#include <lua.h>

int tr_lua_content_text(lua_State *L);
int tr_lua_content_image(lua_State *L);
int tr_lua_content_audio(lua_State *L);
int tr_lua_content_resource(lua_State *L);
int tr_lua_content_link(lua_State *L);

/* Pushes a text block for the string on top of the stack, which it takes. */
void tr_lua_push_text_block(lua_State *L);

/*
 * Pushes the contents of a resource in the form MCP has for them, from the
 * table at `index`: {text = or blob =, uri, mime_type, meta}.
 */
void tr_lua_push_contents(lua_State *L, int index, const char *what);

/* Pushes annotations in the form of JSON, from the table at `index`. */
void tr_lua_push_annotations(lua_State *L, int index, const char *what);

#endif
