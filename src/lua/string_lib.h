/*
 * lua/string_lib.h - the string library, with patterns that have a bound.
 */
#ifndef TR_LUA_STRING_LIB_H
#define TR_LUA_STRING_LIB_H

#include <lua.h>

/* Also makes it what ("text"):method() finds. */
void tr_lua_push_string_lib(lua_State *L);

#endif
