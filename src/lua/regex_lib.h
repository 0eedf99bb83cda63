/*
 * lua/regex_lib.h - `re`: regular expressions (PCRE2), as in field patterns.
 */
#ifndef TR_LUA_REGEX_LIB_H
#define TR_LUA_REGEX_LIB_H

#include <lua.h>

void tr_lua_push_regex_lib(lua_State *L);

#endif
