/*
 * lua/sandbox.h - what code in app.lua can see, and that it stays as it is.
 *
 * There is no io, os, debug, package, load or dofile. Our own tables are only
 * reachable through userdata that pass reads on, so that neither rawset nor a
 * metatable gets at them; globals become read-only when the app has loaded.
 */
#ifndef TR_LUA_SANDBOX_H
#define TR_LUA_SANDBOX_H

#include "base/str.h"

#include <lua.h>

/* A lua_CFunction for a fresh state; its argument is the struct tr_lua. */
int tr_lua_sandbox_open(lua_State *L);

/* Pushes the function of a file of the app, which sees what app.lua sees.
 * Raises what is wrong with the text, with file and line. */
void tr_lua_push_file(lua_State *L, tr_str path, tr_str source);

/* Replaces the table on top of the stack by a function that goes through it, as
 * __pairs returns, and does not give it away. */
void tr_lua_push_pairs(lua_State *L);

/* A metatable that hides itself, on top of the stack, and a ref to it. */
int tr_lua_new_mark(lua_State *L, const char *name);

#endif
