/*
 * lua/json_lib.h - `json.encode(value)` and `json.decode(text)`.
 */
#ifndef TR_LUA_JSON_LIB_H
#define TR_LUA_JSON_LIB_H

#include "json/json.h"

#include <lua.h>

void tr_lua_push_json_lib(lua_State *L);

/* A tree as JSON text in the arena. Does not raise. */
TR_NODISCARD tr_status tr_lua_write_json(const struct tr_json *value,
                                         struct tr_arena *arena, tr_str *out,
                                         struct tr_err *err);

#endif
