/*
 * test/support/lua_world.h - apps in Lua that have a graph, on a store in a
 * folder of its own.
 *
 * They have the types Person (ids are given), Task (project and number are
 * unique), Bug (a Task) and Note (ids by content), and functions: cap(id, run)
 * makes a capability that takes anything; task(n, more) gives the fields of a
 * task; code(f, ...) calls what must fail, and gives its code, its text and the
 * error. The capability `count` tells how many tasks there are: {"n": 0}.
 */
#ifndef TR_TEST_LUA_WORLD_H
#define TR_TEST_LUA_WORLD_H

#include "runtime/env.h"
#include "support/folder.h"
#include "support/lua_door.h"

struct lua_world {
    struct folder folder;
    struct tr_call_env env;
    struct lua_app app;
};

void lua_world_open(struct lua_world *w, const char *source);
void lua_world_open_with(struct lua_world *w, const char *source,
                         const struct tr_lua_limits *limits);

/* Without those types and functions. */
void lua_world_open_bare(struct lua_world *w, const char *source,
                         const struct tr_lua_limits *limits);
/* As lua_world_open, where who declares nothing writes nothing. */
void lua_world_open_in_production(struct lua_world *w, const char *source);
void lua_world_close(struct lua_world *w);

/* Calls a capability, and compares; whoever sleeps is woken. */
void lua_world_check(struct lua_world *w, const char *name,
                     const char *expected);

/* The same for one that fails; `part` is in what it says. */
void lua_world_check_fails(struct lua_world *w, const char *name,
                           tr_status status, const char *part);

/* For assertions in Lua: the handler `test` says 'ok'; then so many tasks are
 * there. */
void lua_world_test(const char *source, const char *tasks);

#endif
