/*
 * lua/fetch.h - ctx:fetch: what a handler asks another host, and its reply.
 *
 * What is sent may hold secrets (secret.h): it is put together in a buffer that
 * belongs to the run, outside of Lua, and is wiped when the reply is there.
 */
#ifndef TR_LUA_FETCH_H
#define TR_LUA_FETCH_H

#include "lua/run.h"

/* A function of ctx. */
int tr_lua_ctx_fetch(lua_State *L);

/* Makes the metatable of replies. */
void tr_lua_fetch_open(lua_State *L);

/* Begins what the coroutine wants; tr_lua_run_go_on hears of its end. */
TR_NODISCARD tr_status tr_lua_fetch_begin(struct tr_lua_run *run,
                                          struct tr_err *err);

/* Ends what may still run, and wipes what was sent. */
void tr_lua_fetch_done(struct tr_lua_run *run);

/* Pushes the reply that a record of the journal has, or nil and an error;
 * returns how many values that are. */
int tr_lua_push_reply(lua_State *L, const struct tr_json *record);

#endif
