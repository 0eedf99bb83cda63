/*
 * lua/kg.h - ctx.kg: the graph, as handlers see it.
 *
 * Nodes are tables with the names of their fields, and id, _type, _version.
 * What fails raises a fault (lua/fault.h); with the code `validation` its
 * data.fields says what is wrong with which field.
 */
#ifndef TR_LUA_KG_H
#define TR_LUA_KG_H

#include <lua.h>

/* Makes the metatable of ctx.kg, in a fresh state. */
void tr_lua_kg_open(lua_State *L);

/* Pushes the graph of the ctx at `index`. */
void tr_lua_kg_push(lua_State *L, int index);

#endif
