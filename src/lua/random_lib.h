/*
 * lua/random_lib.h - math, whose random numbers belong to the call.
 */
#ifndef TR_LUA_RANDOM_LIB_H
#define TR_LUA_RANDOM_LIB_H

#include "lua/run.h"

void tr_lua_push_math_lib(lua_State *L);

/* As math.random, with its arguments from stack index `first` on. */
int tr_lua_random_push(lua_State *L, struct tr_lua_run *run, int first);

#endif
