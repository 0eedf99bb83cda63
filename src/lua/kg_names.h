/*
 * lua/kg_names.h - the names of new nodes, in all rounds of a call the same.
 *
 * They are drawn from a seed that goes into the journal when the call first
 * wants to change something.
 */
#ifndef TR_LUA_KG_NAMES_H
#define TR_LUA_KG_NAMES_H

#include "json/json.h"

#include <lua.h>

struct tr_kg;
struct tr_lua_run;

/* Before the first name is drawn. May raise. */
void tr_lua_kg_fix_names(lua_State *L, struct tr_lua_run *run,
                         struct tr_kg *kg);

/* How far it is, in the arena; for whoever skips what has drawn names. */
struct tr_json tr_lua_kg_names(lua_State *L, struct tr_arena *arena,
                               const struct tr_kg *kg);
void tr_lua_kg_take_names(struct tr_kg *kg, const struct tr_json *names);

#endif
