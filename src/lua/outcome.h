/*
 * lua/outcome.h - what a handler returned or threw, as a struct
 * tr_call_outcome.
 *
 * By the kind of handler, a door finds:
 *   capability  `content` (blocks) or `value` (plain data), or both
 *   resource    `content`: [{text | blob, uri?, mimeType?, _meta?}], or
 *               nothing when there is none
 *   prompt      `value`: {description?, messages: [{role, content}]}
 *   completion  `value`: {values: [...], total?, has_more?}
 *   policy      nothing when it allows; else TR_E_POLICY, and why
 */
#ifndef TR_LUA_OUTCOME_H
#define TR_LUA_OUTCOME_H

#include "lua/run.h"

/* Reads the value on top of the stack into run->outcome. May raise. */
void tr_lua_outcome_read(lua_State *L, struct tr_lua_run *run);

/* Says where in the app a failure is, unless its text does so already. */
void tr_lua_outcome_place(struct tr_lua_run *run,
                          struct tr_call_outcome *outcome);

/* Whether a text is a name or a value in what the caller has sent. */
bool tr_lua_outcome_was_sent(const struct tr_json *args, tr_str text);

/* Reads the error on top of the dead coroutine's stack. Does not raise. */
void tr_lua_outcome_of_error(struct tr_lua_run *run,
                             struct tr_call_outcome *outcome);

#endif
