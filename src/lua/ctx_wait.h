/*
 * lua/ctx_wait.h - the functions of ctx that make a handler wait.
 */
#ifndef TR_LUA_CTX_WAIT_H
#define TR_LUA_CTX_WAIT_H

#include <lua.h>

int tr_lua_ctx_sleep(lua_State *L);
int tr_lua_ctx_ask(lua_State *L);
int tr_lua_ctx_elicit(lua_State *L);
int tr_lua_ctx_sample(lua_State *L);
int tr_lua_ctx_roots(lua_State *L);

#endif
