/*
 * lua/journal.h - what a handler that is run again must see unchanged.
 *
 * Entries are objects with one member that says what they are. All calls of a
 * chain of invocations share the journal of the outermost.
 */
#ifndef TR_LUA_JOURNAL_H
#define TR_LUA_JOURNAL_H

#include "lua/run.h"

/*
 * The value of the next entry, which must be of this kind; NULL when there is
 * none. Raises when the handler has taken another way than the last time.
 */
const struct tr_json *tr_lua_replayed(lua_State *L, struct tr_lua_run *run,
                                      const char *kind);

/* Raises because the handler has taken another way than the last time. */
_Noreturn void tr_lua_fail_replay(lua_State *L);

/* Adds an entry {kind: value}; raises when it cannot. */
void tr_lua_record(lua_State *L, struct tr_lua_run *run, const char *kind,
                   const struct tr_json *value);

/* Entries replayed and recorded so far. */
size_t tr_lua_journal_position(const struct tr_lua_run *run);

#endif
