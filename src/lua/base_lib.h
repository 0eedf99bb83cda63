/*
 * lua/base_lib.h - the global functions: Lua's, but for what gets round limits.
 */
#ifndef TR_LUA_BASE_LIB_H
#define TR_LUA_BASE_LIB_H

#include <lua.h>

/* Adds them to the table on top of the stack. */
void tr_lua_add_base(lua_State *L);

/*
 * Called wherever code could catch an error: raises again what must not be
 * caught. `status` is what lua_pcallk or lua_resume returned.
 */
void tr_lua_check_caught(lua_State *L, int status);

#endif
