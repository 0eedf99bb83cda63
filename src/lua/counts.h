/*
 * lua/counts.h - adds a state and its calls to the counts of the process.
 */
#ifndef TR_LUA_COUNTS_H
#define TR_LUA_COUNTS_H

#include "lua/state.h"

/* A state has been made, or is about to go. */
void tr_lua_count_state(struct tr_lua *lua);
void tr_lua_uncount_state(struct tr_lua *lua);

/* Its app has been loaded into it. */
void tr_lua_count_load(struct tr_lua *lua);

/*
 * Adds what its memory has changed by, once that is much. Called after each
 * resume.
 */
void tr_lua_count_memory(struct tr_lua *lua);

/* A call has used up a budget. */
void tr_lua_count_stop(struct tr_lua *lua, enum tr_lua_stop_reason reason);

#endif
