/*
 * lua/convert.h - JSON to Lua values and back.
 *
 * Integers of 64 bits stay exact, other numbers become floats; an integer that
 * would be another one then becomes a table with its `digits`, which comes back
 * as it was; null is the global `null`; arrays carry a metatable, so that an
 * empty one stays an array. On the way out keys are in byte order, and a table
 * is an array when it was made by `array` or has the keys 1 to n. All of it may
 * raise.
 */
#ifndef TR_LUA_CONVERT_H
#define TR_LUA_CONVERT_H

#include "json/json.h"

#include <lua.h>

/* Pushes a value; NULL counts as null. */
void tr_lua_push_json(lua_State *L, const struct tr_json *value);
void tr_lua_push_null(lua_State *L);
void tr_lua_push_str(lua_State *L, tr_str s);

bool tr_lua_is_null(lua_State *L, int index);

/* Gives the table on top of the stack the mark of arrays. */
void tr_lua_mark_array(lua_State *L);

/* Whether the table at `index` has the metatable that a ref names. */
bool tr_lua_has_mark(lua_State *L, int index, int ref);
void tr_lua_set_mark(lua_State *L, int ref);

/*
 * The value at `index`, copied into the arena. Raises for what JSON cannot
 * say: functions, NaN, bytes that are not UTF-8, mixed tables, too deep ones.
 */
struct tr_json tr_lua_to_json(lua_State *L, int index, struct tr_arena *arena);
const struct tr_json *tr_lua_to_json_new(lua_State *L, int index,
                                         struct tr_arena *arena);

/* A string in the arena; raises when it is not UTF-8 or there is no memory. */
tr_str tr_lua_to_text(lua_State *L, int index, struct tr_arena *arena);

/* Raises for want of memory outside of Lua. */
_Noreturn void tr_lua_raise_nomem(lua_State *L);

/* What was made, unless there was no memory for it. */
void *tr_lua_must_have(lua_State *L, void *made);

#endif
