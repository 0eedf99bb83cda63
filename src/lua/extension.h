/*
 * lua/extension.h - extension "id" { ... }: an extension of MCP that the app
 * takes part in. It has no handler; clients are told of its settings.
 */
#ifndef TR_LUA_EXTENSION_H
#define TR_LUA_EXTENSION_H

#include <lua.h>

/* Adds the function to the table on top of the stack. */
void tr_lua_add_extension(lua_State *L);

#endif
