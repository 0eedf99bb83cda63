/*
 * lua/pending.h - definitions that were begun: `capability "id"` without its
 * table is a mistake that nothing else would notice.
 */
#ifndef TR_LUA_PENDING_H
#define TR_LUA_PENDING_H

#include <lua.h>

/*
 * The first notes that `word` and the name at index 1 were read, and where
 * (which is only right while the app loads), and pushes what the second takes
 * at `index`, once the table has come.
 */
void tr_lua_pending_begin(lua_State *L, const char *word);
void tr_lua_pending_end(lua_State *L, int index);

/*
 * Raises for the first definition that has no table; called when the app has
 * been read.
 */
void tr_lua_pending_check(lua_State *L);

#endif
