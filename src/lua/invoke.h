/*
 * lua/invoke.h - ctx:invoke: another capability as a function call.
 *
 * Its result is recorded, so that it is not done twice when the handler is run
 * again. What the other handler recorded on its way stays in the journal in
 * front of it and is skipped over.
 */
#ifndef TR_LUA_INVOKE_H
#define TR_LUA_INVOKE_H

#include <lua.h>

int tr_lua_ctx_invoke(lua_State *L);

#endif
