/*
 * lua/form_lib.h - `form`: names and values as web forms send them
 * (application/x-www-form-urlencoded).
 */
#ifndef TR_LUA_FORM_LIB_H
#define TR_LUA_FORM_LIB_H

#include <lua.h>

/* Pushes the table of functions. */
void tr_lua_push_form_lib(lua_State *L);

#endif
