/*
 * lua/define_model.h - prefixes, node_type, shape, shape_file.
 *
 * What they declare goes to the model's builder in the state that loads the
 * app; in the others they only see to it that the same comes in the same order.
 */
#ifndef TR_LUA_DEFINE_MODEL_H
#define TR_LUA_DEFINE_MODEL_H

#include <lua.h>

/* Adds the four functions to the table on top of the stack. */
void tr_lua_add_model(lua_State *L);

#endif
