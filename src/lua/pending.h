/*
 * lua/pending.h - definitions that were begun: `capability "id"` without its
 * table is a mistake that nothing else would notice.
 */
#ifndef TR_LUA_PENDING_H
#define TR_LUA_PENDING_H

#include <lua.h>

/*
 * Notes that `word` and the name at index 1 were read, with their place, which
 * is only right while the app loads; pushes what tr_lua_pending_end takes at
 * `index`, once the table has come.
 */
void tr_lua_pending_begin(lua_State *L, const char *word);
void tr_lua_pending_end(lua_State *L, int index);

/* When the app has been read: raises for the first one that has no table. */
void tr_lua_pending_check(lua_State *L);

#endif
