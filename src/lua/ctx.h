/*
 * lua/ctx.h - the `ctx` that a handler gets: what its call can do.
 *
 * A userdata that forgets its call when the call ends; used after that, or in
 * another call, it raises.
 */
#ifndef TR_LUA_CTX_H
#define TR_LUA_CTX_H

#include "lua/run.h"

/* Makes the metatable of ctx, in a fresh state. */
void tr_lua_ctx_open(lua_State *L);

/* Pushes a new ctx for a call. */
void tr_lua_ctx_push(lua_State *L, struct tr_lua_run *run);

/* The call of the ctx that is argument 1, or stands at `index`. */
struct tr_lua_run *tr_lua_ctx_run(lua_State *L);
struct tr_lua_run *tr_lua_ctx_run_of(lua_State *L, int index);

#endif
