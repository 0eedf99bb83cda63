/*
 * lua/require.h - require "lib.money": lib/money.lua of the app's folder, and
 * nothing else.
 *
 * A module runs once in each state, in the sandbox of app.lua, and only while
 * app.lua runs: afterwards its value is there for whoever asks. Its text is
 * read once for all states.
 */
#ifndef TR_LUA_REQUIRE_H
#define TR_LUA_REQUIRE_H

#include "base/str.h"

#include <lua.h>

/* One that was read; in the arena of the host. */
struct tr_lua_module {
    tr_str name; /* "lib.money" */
    tr_str path; /* as messages show it: "lib/money.lua" */
    tr_str source;
};

/* Sets `require` in the table on top of the stack. */
void tr_lua_add_require(lua_State *L);

#endif
