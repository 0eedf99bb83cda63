/*
 * lua/question.h - what a handler may ask the client: elicit, sample, roots.
 *
 * The globals of these names make a question, which is a marked table; ctx:ask
 * sends several at once, ctx:elicit, ctx:sample and ctx:roots one.
 */
#ifndef TR_LUA_QUESTION_H
#define TR_LUA_QUESTION_H

#include "runtime/call.h"

#include <lua.h>

/* Adds the three constructors to the table on top of the stack. */
void tr_lua_add_questions(lua_State *L);

/* Pushes a question made of the table at `index` (nil: an empty one). */
void tr_lua_push_question(lua_State *L, enum tr_call_ask_kind kind, int index);

/*
 * The question on top of the stack as a request of MCP; raises when it is
 * none. `ask` lives in the arena; its key is the question's own, or empty.
 */
void tr_lua_read_question(lua_State *L, struct tr_arena *arena,
                          struct tr_call_ask *ask);

/* "elicit", "sample", "roots" */
const char *tr_lua_ask_name(enum tr_call_ask_kind kind);

#endif
