/*
 * lua/setting.h - setting "max_open" (integer { default = 5 }): what an app
 * lets its operator choose.
 *
 * The declaration gives the value, so that app.lua can use it while it loads;
 * handlers read ctx.settings.
 */
#ifndef TR_LUA_SETTING_H
#define TR_LUA_SETTING_H

#include <lua.h>

/* Sets `setting` in the table on top of the stack. */
void tr_lua_add_setting(lua_State *L);

/* Pushes what ctx.settings is. */
void tr_lua_push_settings(lua_State *L);

#endif
