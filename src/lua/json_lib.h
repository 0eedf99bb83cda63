/*
 * lua/json_lib.h - `json.encode(value)` and `json.decode(text)`.
 */
#ifndef TR_LUA_JSON_LIB_H
#define TR_LUA_JSON_LIB_H

#include "base/str.h"

#include <lua.h>

void tr_lua_push_json_lib(lua_State *L);

/* The value at `index` as JSON text in the scratch arena; may raise. */
tr_str tr_lua_encode(lua_State *L, int index);

#endif
